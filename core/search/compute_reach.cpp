#include "core/search/compute_reach.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace overlap {
namespace {

/// Adds a node's time to those of a block's collectives whose bit is set.
void add(std::uint64_t reached, double time_ms, double* sums) {
    for (; reached; reached &= reached - 1) sums[std::countr_zero(reached)] += time_ms;
}

}  // namespace

ComputeReach compute_reach(const StepWork& work) {
    const Graph& graph = *work.graph;
    const std::size_t count = work.collectives.size();
    constexpr std::size_t block = 64;
    ComputeReach reach;
    reach.before_ms.resize((count + block - 1) / block * block);
    reach.after_ms.resize(reach.before_ms.size());
    std::vector<std::uint64_t> reached(graph.node_count());
    for (std::size_t first = 0; first < count; first += block) {
        const auto bit = [&](NodeId node) -> std::uint64_t {
            const auto index = static_cast<std::size_t>(work.collective_of_node[node]);
            return work.collective_of_node[node] >= 0 && index - first < block ? std::uint64_t{1} << (index - first)
                                                                               : 0;
        };
        std::ranges::fill(reached, 0);
        for (NodeId node = graph.node_count(); node-- > 0;) {
            std::uint64_t bits = work.is_wait[node] ? 0 : bit(node);
            for (const NodeId user : graph.users(node)) bits |= reached[user];
            reached[node] = bits;
            if (work.compute_ms[node] > 0) add(bits, work.compute_ms[node], &reach.before_ms[first]);
        }
        std::ranges::fill(reached, 0);
        for (NodeId node = 0; node < graph.node_count(); ++node) {
            // What uses a collective without its wait does not wait for it.
            std::uint64_t bits = work.is_wait[node] ? bit(node) : 0;
            for (const NodeId input : graph.inputs(node)) bits |= reached[input];
            reached[node] = bits;
            if (work.compute_ms[node] > 0) add(bits, work.compute_ms[node], &reach.after_ms[first]);
        }
    }
    reach.before_ms.resize(count);
    reach.after_ms.resize(count);
    return reach;
}

}  // namespace overlap
