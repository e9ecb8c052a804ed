#include "core/views/batch_halves.h"

#include <algorithm>

#include "core/passes/experts/chunk_metadata.h"
#include "core/simulate/hiding_compute.h"

namespace overlap {

BatchHalves::BatchHalves(const Graph& graph) {
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) != NodeOp::call_function || graph.metadata(node).extra_json == empty_string) continue;
        const experts::ChunkPlace place = experts::shown_chunk_place(graph, node);
        if (!place.chunk || place.region.empty()) continue;
        if (half_.empty()) {
            half_.assign(graph.node_count(), -1);
            region_of_.assign(graph.node_count(), -1);
        }
        const Region region{place.region,
                            place.is_backward.value_or(graph.metadata(node).autograd_backward.value_or(false))};
        // Nodes of one region follow one another, so that it is found near the end.
        const auto known = std::find(regions_.rbegin(), regions_.rend(), region);
        half_[node] = static_cast<std::int8_t>(*place.chunk);
        region_of_[node] = static_cast<std::int32_t>(
            known == regions_.rend() ? regions_.size() : static_cast<std::size_t>(regions_.rend() - known) - 1);
        if (known == regions_.rend()) regions_.push_back(region);
    }
}

std::string_view BatchHalves::module_of(NodeId node) const {
    return half_of(node) < 0 ? std::string_view() : regions_[static_cast<std::size_t>(region_of_[node])].module;
}

bool BatchHalves::are_opposite(NodeId one, NodeId other) const {
    return half_of(one) >= 0 && half_of(other) == 1 - half_of(one) && module_of(one) == module_of(other);
}

std::vector<NodeId> BatchHalves::with(NodeId node) const {
    std::vector<NodeId> nodes;
    if (half_of(node) < 0) return nodes;
    for (NodeId other = 0; other < half_.size(); ++other)
        if (half_[other] == half_[node] && region_of_[other] == region_of_[node]) nodes.push_back(other);
    return nodes;
}

double hidden_by_other_half_ms(const Evaluation& evaluation, const BatchHalves& halves, std::size_t collective) {
    const CollectiveTiming& timing = evaluation.simulation.collectives[collective];
    if (halves.half_of(timing.start) < 0) return 0;
    double hidden_ms = 0;
    const HidingCompute compute(*evaluation.graph, evaluation.times_ms, evaluation.simulation);
    for (const HidingNode& hiding : compute.of(timing))
        if (halves.are_opposite(timing.start, hiding.node)) hidden_ms += hiding.common_ms;
    return hidden_ms;
}

std::vector<HalfStep> steps_of_half(const Evaluation& evaluation, const BatchHalves& halves, NodeId node) {
    std::vector<HalfStep> steps;
    NodeId last = no_node, longest = no_node;
    for (const NodeId other : halves.with(node)) {
        if (evaluation.simulation.collective_of_node[other] >= 0 && !evaluation.graph->target_info(other).is_wait) {
            if (last != no_node && longest != no_node) {
                steps.push_back({last, longest});
                steps.push_back({longest, other});
            }
            last = other;
            longest = no_node;
        } else if (evaluation.simulation.on_compute(other) && !evaluation.graph->target_info(other).is_wait &&
                   evaluation.times_ms[other] > 0 &&
                   (longest == no_node || evaluation.times_ms[other] > evaluation.times_ms[longest])) {
            longest = other;
        }
    }
    if (last != no_node && longest != no_node) steps.push_back({last, longest});
    return steps;
}

}  // namespace overlap
