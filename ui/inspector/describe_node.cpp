#include <algorithm>

#include "core/explain/explain.h"
#include "core/explain/explain_memory.h"
#include "core/views/batch_halves.h"
#include "ui/document/links_shared_step.h"
#include "ui/groups/process_groups_model.h"
#include "ui/inspector/inspector_rows.h"
#include "ui/theme/known_time.h"

namespace overlap::ui {
namespace {

constexpr std::size_t listed_neighbours = 16;

QString numbers(std::span<const std::int64_t> values) {
    QStringList parts;
    for (const std::int64_t value : values) parts.append(QString::number(value));
    return u'[' + parts.join(QStringLiteral(", ")) + u']';
}

/// The group as a link, what it is for and how many ranks it has.
std::vector<InspectorPiece> groupPieces(const Graph& graph, std::string_view name) {
    if (name.empty()) return {};
    std::vector<InspectorPiece> pieces{groupLink(inspectorText(name))};
    const ProcessGroup* group = graph.header().process_group(name);
    if (!group) return pieces;
    if (!group->description.empty()) pieces.push_back(bare(QString::fromStdString(group->description)));
    pieces.push_back(bare(rankCount(group->ranks.size())));
    return pieces;
}

std::vector<InspectorPiece> nodeList(const Graph& graph, std::span<const NodeId> nodes) {
    std::vector<InspectorPiece> pieces;
    for (const NodeId node : nodes) {
        if (pieces.size() == listed_neighbours) {
            pieces.push_back(bare(Document::tr("and %1 more").arg(nodes.size() - listed_neighbours), Tone::faint));
            break;
        }
        pieces.push_back(nodeLink(graph, node));
    }
    return pieces;
}

/// @param exposed of the value for exposed time: figures of a graph that the plan has left behind are no alarm.
void describeCollective(const Graph& graph, const Evaluation& evaluation, std::size_t index, Tone exposed,
                        InspectorRows& rows) {
    const CollectiveTiming& collective = evaluation.simulation.collectives[index];
    const double duration = collective.end_ms - collective.start_ms;
    rows.add(Document::tr("group"), groupPieces(graph, graph.group_name(collective.start)));
    rows.add(Document::tr("bytes · time"), bothTexts(formatBytes(static_cast<double>(collective.bytes)),
                                                     formatKnownTime(duration, evaluation.times_known)));
    if (!evaluation.times_known) {
        if (collective.wait != no_node) rows.add(Document::tr("wait"), {nodeLink(graph, collective.wait)});
        return;
    }
    rows.add(Document::tr("on its stream"),
             Document::tr("%1 to %2").arg(formatTime(collective.start_ms), formatTime(collective.end_ms)));
    // What the group's stream was busy with when the collective could have begun.
    if (const double queued = collective.start_ms - std::max(collective.issue_ms, collective.ready_ms); queued > 1e-9)
        rows.add(Document::tr("queued before"), formatTime(queued));
    const double hidden = std::max(0.0, duration - collective.exposed_ms);
    rows.add(Document::tr("hidden"), formatTime(hidden), hidden > 0 ? Tone::hidden : Tone::plain);
    if (collective.exposed_ms > 0) {
        const QString cause = inspectorText(exposure_cause_name(collective.cause)).replace(u'_', u' ');
        rows.add(exposedRowLabel(evaluation), QStringLiteral("%1: %2").arg(formatTime(collective.exposed_ms), cause),
                 exposed);
        if (collective.blocker != no_node) rows.add(Document::tr("because of"), {nodeLink(graph, collective.blocker)});
        if (evaluation.resolved)  // a plan, which can be changed
            rows.add(Document::tr("advice"),
                     {InspectorPiece{Document::tr("what helps"), inspector_advice_link, Tone::plain}});
    }
    if (collective.wait != no_node) rows.add(Document::tr("wait"), {nodeLink(graph, collective.wait)});
}

/// With whom a collective, or what a wait awaits, is bucketed or why not; why it is exposed or what hides it. What
/// becomes of the node's output between forward and backward.
/// @returns InspectorContent::collective.
std::int32_t describeWhy(Document& document, const Document::NodePlace& place, InspectorRows& rows) {
    const auto evaluation = shownEvaluation(document);
    if (!evaluation) return -1;
    const CollectiveExplanation explanation =
        place.evaluated ? explain_result(*evaluation, place.node, Introduction::left_out)
                        : explain_collective(*place.graph, place.node, evaluation.get(), Introduction::left_out);
    if (!explanation.collective.empty())
        for (const std::string& sentence : explanation.sentences)
            rows.sentence(QString::fromStdString(sentence), Tone::plain);
    for (const std::string& sentence : explain_memory(*evaluation, place.graph->name(place.node)))
        rows.sentence(QString::fromStdString(sentence), Tone::plain);
    return explanation.timing;
}

void describeMerged(const Evaluation& evaluation, const QString& name, InspectorRows& rows) {
    for (const PassReport& report : evaluation.reports)
        for (const BucketReport& bucket : report.buckets) {
            if (bucket.start != name.toStdString()) continue;
            std::vector<InspectorPiece> pieces;
            for (const std::string& member : bucket.members) {
                const QString member_name = QString::fromStdString(member);
                pieces.push_back({member_name, QStringLiteral("node:") + member_name, Tone::plain});
            }
            rows.add(Document::tr("merged of %1").arg(bucket.members.size()), std::move(pieces));
        }
}

/// Which half of a batch the node computes, where expert overlap halves it.
void describeHalf(const Evaluation& evaluation, NodeId node, InspectorRows& rows) {
    const BatchHalves halves(*evaluation.graph);
    const int half = halves.half_of(node);
    if (half < 0) return;
    rows.add(Document::tr("half"), {bare(half == 0 ? Document::tr("first of") : Document::tr("second of")),
                                    moduleLink(inspectorText(halves.module_of(node)))});
    const std::int32_t collective = evaluation.simulation.collective_of_node[node];
    if (collective < 0 || !evaluation.times_known) return;
    const double hidden_ms = hidden_by_other_half_ms(evaluation, halves, static_cast<std::size_t>(collective));
    rows.add(Document::tr("by other half"),
             hidden_ms > 0 ? Document::tr("%1 hidden").arg(formatTime(hidden_ms)) : Document::tr("nothing hidden"),
             hidden_ms > 0 ? Tone::hidden : Tone::plain);
}

}  // namespace

InspectorContent describeNode(Document& document, const QString& name) {
    InspectorContent content{Document::tr("node"), name, {}};
    InspectorRows rows(content);
    const Document::NodePlace place = document.findNode(name);
    if (place.node == no_node) {
        rows.sentence(Document::tr("This plan's graph has no such node"), Tone::faint);
        return content;
    }
    const Graph& graph = *place.graph;
    const auto shown = place.evaluated ? shownEvaluation(document) : shownBaseline(document);
    const Evaluation& evaluation = *shown;
    const NodeId node = place.node;
    // What follows is then of the graph that the plan started from.
    if (!place.evaluated)
        rows.sentence(Document::tr("In the graph as it was read; the plan has replaced this node"), Tone::caution);
    content.collective = describeWhy(document, place, rows);
    if (!place.evaluated) rows.sentence(Document::tr("Figures of the baseline:"), Tone::faint);
    rows.add(Document::tr("op"),
             graph.op(node) == NodeOp::call_function
                 ? inspectorText(graph.target(node))
                 : bothTexts(inspectorText(node_op_name(graph.op(node))), inspectorText(graph.target(node))));
    if (const int bucket = document.bucketOfNode(place); bucket >= 0) {
        std::vector<InspectorPiece> pieces = bucketRemark(document);
        pieces.insert(pieces.begin(), bucketLink(document, bucket));
        rows.add(Document::tr("bucket"), std::move(pieces));
    }
    const NodeId input = place.evaluated ? evaluation.origin[node] : node;
    if (input != no_node)
        if (const auto module = document.modules().innermost(input); module != ModuleTree::no_module)
            rows.add(Document::tr("module"), {moduleLink(inspectorText(document.modules().path(module)))});
    if (const auto backward = graph.metadata(node).autograd_backward)
        rows.add(Document::tr("direction"), *backward ? Document::tr("backward") : Document::tr("forward"));
    describeHalf(evaluation, node, rows);
    if (const std::int32_t collective = evaluation.simulation.collective_of_node[node]; collective >= 0) {
        describeCollective(graph, evaluation, static_cast<std::size_t>(collective),
                           place.evaluated ? Tone::exposed : Tone::plain, rows);
        describeMerged(evaluation, name, rows);
    } else {
        rows.add(Document::tr("time"), formatKnownTime(evaluation.times_ms[node], evaluation.times_known));
        const NodeTiming& timing = evaluation.simulation.nodes[node];
        if (evaluation.times_known)
            rows.add(Document::tr("runs"),
                     Document::tr("%1 to %2").arg(formatTime(timing.start_ms), formatTime(timing.end_ms)));
        if (const NodeId start = graph.awaited_start(node); graph.target_info(node).is_wait && start != no_node)
            rows.add(Document::tr("waits for"), {nodeLink(graph, start)});
    }
    for (const TensorMeta& tensor : graph.outputs(node)) {
        if (!tensor.is_tensor) continue;
        rows.add(Document::tr("output"),
                 bothTexts(inspectorText(dtype_info(tensor.dtype).name) + numbers(graph.shape(tensor)),
                           formatBytes(static_cast<double>(graph.tensor_bytes(tensor)))));
    }
    if (place.node < evaluation.corrected_memory.while_node.size())
        rows.add(Document::tr("memory then"),
                 formatBytes(static_cast<double>(evaluation.corrected_memory.while_node[node])));
    rows.add(Document::tr("inputs"), nodeList(graph, graph.inputs(node)));
    rows.add(Document::tr("users"), nodeList(graph, graph.users(node)));
    return content;
}

}  // namespace overlap::ui
