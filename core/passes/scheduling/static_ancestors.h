#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/graph.h"
#include "core/passes/scheduling/collective_set.h"
#include "core/passes/scheduling/collectives.h"
#include "core/passes/scheduling/shared_sets.h"

namespace overlap::scheduling {

/// Which collectives' starts and waits each node depends on, through the graph and through the order that fully hidden
/// collectives fix: start, hiding nodes, wait (`OverlapPreservingBucketer._compute_node_ancestors`). Later changes of
/// the dependencies do not change it.
class StaticAncestors {
  public:
    /// @param order of the schedule.
    StaticAncestors(const Graph& graph, const CollectiveTable& table, std::span<const NodeId> order);

    std::span<const std::uint64_t> starts_before(NodeId node) const { return starts_.before(node); }
    std::span<const std::uint64_t> waits_before(NodeId node) const { return waits_.before(node); }

    /// Nodes that hidden collectives put before `node`: starts before the nodes that hide them, these before waits.
    std::span<const NodeId> fixed_before(NodeId node) const {
        return {fixed_.data() + fixed_offsets_[node], fixed_offsets_[node + 1] - fixed_offsets_[node]};
    }
    /// Whether some node has to come before one that the schedule runs earlier: hidden collectives contradict it.
    bool contradicts_schedule() const { return contradicts_schedule_; }

    /// Which collectives' starts and waits depend on `node`: the same relation the other way round, for any node.
    /// Computed when first needed.
    std::span<const std::uint64_t> starts_behind(NodeId node);
    std::span<const std::uint64_t> waits_behind(NodeId node);

  private:
    using Bits = std::vector<std::uint64_t>;  ///< by node: starts, then waits
    /// The starts, or the waits, that come before each node.
    struct Ancestors {
        SharedSets sets;
        std::vector<SharedSets::Set> by_node;
        std::span<const std::uint64_t> before(NodeId node) const { return sets.words(by_node[node]); }
    };

    std::uint64_t* row_of(Bits& bits, NodeId node) const { return bits.data() + 2 * words_ * node; }
    void collect_fixed();
    void find_before(Ancestors& ancestors, const std::vector<Index>& numbers);
    void add_own(std::uint64_t* row, NodeId node) const;
    void unite(std::uint64_t* into, const std::uint64_t* from) const;
    void find_behind();

    const Graph& graph_;
    const CollectiveTable& table_;
    std::span<const NodeId> order_;
    std::vector<std::uint32_t> positions_;
    std::size_t words_;
    Ancestors starts_, waits_;
    Bits behind_;
    std::vector<std::uint32_t> fixed_offsets_;
    std::vector<NodeId> fixed_;
    bool contradicts_schedule_ = false;
};

}  // namespace overlap::scheduling
