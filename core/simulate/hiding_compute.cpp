#include "core/simulate/hiding_compute.h"

#include <algorithm>
#include <functional>

namespace overlap {

HidingCompute::HidingCompute(const Graph& graph, std::span<const double> times_ms, const Simulation& simulation)
    : simulation_(simulation) {
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (times_ms[node] <= 0 || !simulation.on_compute(node)) continue;
        if (!graph.target_info(node).is_wait) compute_.push_back(node);
    }
}

std::vector<HidingNode> HidingCompute::of(const CollectiveTiming& collective) const {
    const auto ends_by = [&](NodeId node, double time_ms) { return simulation_.nodes[node].end_ms <= time_ms; };
    std::vector<HidingNode> hiding;
    for (auto next = std::lower_bound(compute_.begin(), compute_.end(), collective.start_ms, ends_by);
         next != compute_.end() && simulation_.nodes[*next].start_ms < collective.end_ms; ++next) {
        const NodeTiming& place = simulation_.nodes[*next];
        const double common_ms =
            std::min(place.end_ms, collective.end_ms) - std::max(place.start_ms, collective.start_ms);
        if (common_ms > 0) hiding.push_back({*next, common_ms});
    }
    std::ranges::stable_sort(hiding, std::greater<>(), &HidingNode::common_ms);
    return hiding;
}

}  // namespace overlap
