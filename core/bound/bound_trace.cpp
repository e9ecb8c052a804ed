#include "core/bound/bound_trace.h"

#include <string>
#include <utility>

namespace overlap {
namespace {

/// The collective that a point is the start of, or nullptr.
const LinkWork* collective_at(const StepWork& work, WorkPoint point) {
    const std::size_t nodes = work.graph->node_count();
    if (point >= nodes) return &work.collectives[point - nodes];
    const std::int32_t index = work.collective_of_node[point];
    return index < 0 || work.is_wait[point] ? nullptr : &work.collectives[static_cast<std::size_t>(index)];
}

}  // namespace

std::vector<BoundStep> stretches_back(const StepWork& work, const std::vector<double>& start_ms,
                                      const std::vector<Hold>& holds, double end_ms, Hold hold) {
    std::vector<BoundStep> stretches;
    std::string last;
    while (hold.kind != Hold::Kind::none) {
        const LinkWork* const collective = collective_at(work, hold.point);
        BoundStep step;
        if (hold.kind == Hold::Kind::machine) {
            step.kind = hold.machine == 0 ? BoundStep::Kind::compute : BoundStep::Kind::link;
            if (hold.machine > 0) step.groups = work.links[hold.machine - 1];
        } else if (collective) {
            step.kind = BoundStep::Kind::collective;
            step.groups = work.links[collective->link];
        } else if (hold.kind == Hold::Kind::memory) {
            step.kind = BoundStep::Kind::memory;
        }
        step.start_ms = start_ms[hold.point];
        step.end_ms = end_ms;
        step.first = work.graph->name(collective ? collective->node : hold.point);
        step.last = last.empty() ? step.first : last;
        last = step.first;
        end_ms = step.start_ms;
        hold = holds[hold.point];
        if (step.end_ms > step.start_ms) stretches.push_back(std::move(step));
    }
    return stretches;
}

void join_compute(std::vector<BoundStep>& chain) {
    std::vector<BoundStep> joined;
    for (BoundStep& step : chain) {
        const bool joins = !joined.empty() && step.kind == BoundStep::Kind::compute && joined.back().kind == step.kind;
        if (!joins) {
            joined.push_back(std::move(step));
            continue;
        }
        joined.back().end_ms = step.end_ms;
        joined.back().last = std::move(step.last);
    }
    chain = std::move(joined);
}

}  // namespace overlap
