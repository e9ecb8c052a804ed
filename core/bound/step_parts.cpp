#include "core/bound/step_parts.h"

#include <algorithm>
#include <functional>

#include "core/pipeline/step_with_links_shared.h"

namespace overlap {

StepParts step_parts(const StepWork& work, const Evaluation& evaluation) {
    constexpr double nanosecond_in_ms = 1e-6;
    const Graph& graph = *evaluation.graph;
    StepParts parts;
    parts.step_ms = step_with_links_shared(evaluation);
    parts.in_every_plan_ms = compute_of_every_plan_ms(work);
    parts.beyond_ms = std::max(0.0, evaluation.simulation.compute_ms - parts.in_every_plan_ms);
    parts.waiting_ms = std::max(0.0, parts.step_ms - evaluation.simulation.compute_ms);
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (evaluation.times_ms[node] <= 0 || !evaluation.simulation.on_compute(node)) continue;
        if (graph.target_info(node).is_wait) continue;
        const NodeId known = work.graph->find(graph.name(node));
        const double time_ms = evaluation.times_ms[node] - (known == no_node ? 0 : work.compute_ms[known]);
        if (time_ms >= nanosecond_in_ms) parts.beyond.push_back({node, time_ms});
    }
    std::ranges::stable_sort(parts.beyond, std::greater(), &StepParts::Beyond::time_ms);
    return parts;
}

}  // namespace overlap
