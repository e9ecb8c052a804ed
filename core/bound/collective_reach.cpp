#include "core/bound/collective_reach.h"

namespace overlap {

CollectiveReach::CollectiveReach(const StepWork& work)
    : nodes_(work.graph->node_count()),
      blocks_((work.collectives.size() + block_size - 1) / block_size),
      before_(nodes_ * blocks_),
      after_(nodes_ * blocks_) {
    const Graph& graph = *work.graph;
    for (std::size_t block = 0; block < blocks_; ++block) {
        const auto bit = [&](NodeId node) -> std::uint64_t {
            if (work.collective_of_node[node] < 0) return 0;
            const auto index = static_cast<std::size_t>(work.collective_of_node[node]);
            return index / block_size == block ? std::uint64_t{1} << (index % block_size) : 0;
        };
        std::uint64_t* const before = &before_[block * nodes_];
        for (NodeId node = graph.node_count(); node-- > 0;) {
            std::uint64_t bits = work.is_wait[node] ? 0 : bit(node);
            for (const NodeId user : graph.users(node)) bits |= before[user];
            if (node == work.made_once)
                for (const NodeId again : work.again) bits |= before[again];
            before[node] = bits;
        }
        std::uint64_t* const after = &after_[block * nodes_];
        for (NodeId node = 0; node < graph.node_count(); ++node) {
            // What uses a collective without its wait does not wait for it.
            std::uint64_t bits = work.is_wait[node] ? bit(node) : 0;
            for (const NodeId input : graph.inputs(node)) bits |= after[input];
            if (work.is_again[node]) bits |= after[work.made_once];
            after[node] = bits;
        }
    }
}

}  // namespace overlap
