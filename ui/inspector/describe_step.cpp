#include "ui/inspector/describe_step.h"

#include "core/advice/advice.h"
#include "ui/inspector/inspector_rows.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

constexpr std::size_t listed = 16;

InspectorPiece timedLink(const Graph& graph, NodeId node, double time_ms) {
    InspectorPiece piece = nodeLink(graph, node);
    piece.text = bothTexts(piece.text, formatTime(time_ms));
    return piece;
}

QString kind() {
    return Document::tr("step");
}

}  // namespace

bool isOfStep(const InspectorContent& content) {
    return content.kind == kind();
}

InspectorContent describeStep(const Evaluation& evaluation, const StepParts& parts,
                              const std::vector<NamedBound>& bounds) {
    InspectorContent content{kind(), Document::tr("What the step is made of"), {}};
    InspectorRows rows(content);
    const Graph& graph = *evaluation.graph;
    rows.add(Document::tr("step"), formatTime(parts.step_ms));
    for (const NamedBound& bound : bounds)
        rows.add(
            Document::tr("bound, %1").arg(bound.plans),
            bothTexts(formatTime(bound.bound_ms),
                      Document::tr("the step is %1 above").arg(formatPercent(parts.step_ms / bound.bound_ms - 1))));
    rows.add(Document::tr("compute of every plan"), formatTime(parts.in_every_plan_ms));
    if (!parts.beyond.empty()) {
        std::vector<InspectorPiece> pieces{bare(formatTime(parts.beyond_ms))};
        for (const StepParts::Beyond& beyond : parts.beyond) {
            if (pieces.size() > listed) {
                pieces.push_back(bare(Document::tr("and %1 more").arg(parts.beyond.size() - listed), Tone::faint));
                break;
            }
            pieces.push_back(timedLink(graph, beyond.node, beyond.time_ms));
        }
        rows.add(Document::tr("compute that a plan may save"), std::move(pieces));
    }
    std::vector<InspectorPiece> waiting{bare(formatTime(parts.waiting_ms), Tone::exposed)};
    for (const std::size_t index : most_exposed(evaluation, listed)) {
        const CollectiveTiming& timing = evaluation.simulation.collectives[index];
        waiting.push_back(timedLink(graph, timing.start, timing.exposed_ms));
    }
    rows.add(Document::tr("waiting"), std::move(waiting));
    return content;
}

}  // namespace overlap::ui
