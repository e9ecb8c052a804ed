#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/value.h"

namespace overlap::scheduling {

/// Which nodes are to become one, and an order in which every node comes after what it depends on, merges included.
///
/// With the order most checks whether one of two nodes depends on the other are cheap: only the nodes between them have
/// to be visited. It is updated by moving that stretch (Pearce and Kelly, A dynamic topological sort algorithm, 2006).
class MergeOrder {
  public:
    /// @param order all nodes.
    explicit MergeOrder(std::span<const NodeId> order);

    std::uint32_t slot(NodeId node) const { return slots_[node]; }
    bool are_merged(NodeId left, NodeId right) const {
        return left == right || (in_set(left) && set_of_[left] == set_of_[right]);
    }
    /// The nodes that are to become one with `node`, itself included, in the order in which they were merged.
    std::span<const NodeId> members(NodeId node) const {
        return in_set(node) ? std::span<const NodeId>(sets_[set_of_[node]]) : std::span(&singles_[node], 1);
    }

    /// Looks for a dependency of `later` on `earlier` and remembers what `later` depends on for the next change.
    /// @param for_each_dependency calls its second argument for each node that its first depends on directly.
    /// @pre slot(earlier) < slot(later)
    template <typename ForEachDependency>
    bool depends_on(NodeId later, NodeId earlier, ForEachDependency&& for_each_dependency);

    /// Merges `single` with `existing`, which moves both to one slot.
    /// @pre depends_on() found no dependency between the two just before; `single` is merged with nothing.
    void merge(NodeId existing, NodeId single);
    /// Undoes a merge.
    void split(NodeId single);
    /// The same without slots, for when there is no order.
    void merge_without_order(NodeId existing, NodeId single);
    void split_without_order(NodeId single);
    /// Makes room for the edge "later comes after earlier", which contradicts the slots.
    /// @pre depends_on(earlier, later) was false just before.
    void move_behind(NodeId later, NodeId earlier);

  private:
    static constexpr std::uint32_t no_set = 0xffffffffu;
    bool in_set(NodeId node) const { return set_of_[node] != no_set; }
    void put(NodeId node, std::uint32_t slot);
    void rearrange(std::uint32_t first, std::uint32_t last, NodeId behind_found);

    std::vector<std::uint32_t> slots_;  ///< by node
    std::vector<NodeId> at_slot_;       ///< one member of what is there, or no_node
    std::vector<NodeId> singles_;       ///< by node: itself, so that members() can refer to it
    std::vector<std::uint32_t> set_of_;
    std::vector<std::vector<NodeId>> sets_;

    std::vector<std::uint32_t> found_;  ///< by slot: number of the search that reached it
    std::uint32_t search_ = 0;
    std::vector<NodeId> stack_, found_part_, rest_part_;
};

template <typename ForEachDependency>
bool MergeOrder::depends_on(NodeId later, NodeId earlier, ForEachDependency&& for_each_dependency) {
    const std::uint32_t limit = slots_[earlier];
    ++search_;
    found_[slots_[later]] = search_;
    stack_.assign(1, later);
    while (!stack_.empty()) {
        const NodeId node = stack_.back();
        stack_.pop_back();
        bool reached = false;
        for (const NodeId member : members(node)) {
            for_each_dependency(member, [&](NodeId dependency) {
                const std::uint32_t place = slots_[dependency];
                if (place < limit || found_[place] == search_) return;
                reached |= place == limit;
                found_[place] = search_;
                stack_.push_back(dependency);
            });
            if (reached) return true;
        }
    }
    return false;
}

}  // namespace overlap::scheduling
