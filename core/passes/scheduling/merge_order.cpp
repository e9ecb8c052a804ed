#include "core/passes/scheduling/merge_order.h"

#include <algorithm>
#include <numeric>

namespace overlap::scheduling {

MergeOrder::MergeOrder(std::span<const NodeId> order)
    : slots_(order.size()),
      at_slot_(order.begin(), order.end()),
      singles_(order.size()),
      set_of_(order.size(), no_set),
      found_(order.size()) {
    for (std::uint32_t slot = 0; slot < order.size(); ++slot) slots_[order[slot]] = slot;
    std::iota(singles_.begin(), singles_.end(), NodeId{0});
}

void MergeOrder::put(NodeId node, std::uint32_t slot) {
    at_slot_[slot] = node;
    for (const NodeId member : members(node)) slots_[member] = slot;
}

/// Orders a stretch again: what the last search found, then `behind_found`, then the rest, each part in its order, and
/// empty slots at the end.
void MergeOrder::rearrange(std::uint32_t first, std::uint32_t last, NodeId behind_found) {
    found_part_.clear();
    rest_part_.clear();
    for (std::uint32_t slot = first; slot <= last; ++slot) {
        const NodeId node = at_slot_[slot];
        at_slot_[slot] = no_node;
        if (node == no_node || are_merged(node, behind_found)) continue;
        (found_[slot] == search_ ? found_part_ : rest_part_).push_back(node);
    }
    std::uint32_t slot = first;
    for (const NodeId node : found_part_) put(node, slot++);
    put(behind_found, slot++);
    for (const NodeId node : rest_part_) put(node, slot++);
}

void MergeOrder::merge_without_order(NodeId existing, NodeId single) {
    if (!in_set(existing)) {
        set_of_[existing] = static_cast<std::uint32_t>(sets_.size());
        sets_.push_back({existing});
    }
    set_of_[single] = set_of_[existing];
    sets_[set_of_[existing]].push_back(single);
}

void MergeOrder::split_without_order(NodeId single) {
    std::erase(sets_[set_of_[single]], single);
    set_of_[single] = no_set;
}

void MergeOrder::merge(NodeId existing, NodeId single) {
    const std::uint32_t first = std::min(slots_[existing], slots_[single]);
    const std::uint32_t last = std::max(slots_[existing], slots_[single]);
    merge_without_order(existing, single);
    at_slot_[slots_[single]] = no_node;
    rearrange(first, last, existing);
}

void MergeOrder::split(NodeId single) {
    const std::uint32_t slot = slots_[single];
    const NodeId other = sets_[set_of_[single]].front();
    split_without_order(single);
    at_slot_[slot] = other;
    // Right behind the others is always correct. Everything up to the next empty slot moves.
    std::uint32_t empty = slot + 1;
    while (at_slot_[empty] != no_node) ++empty;
    for (; empty > slot + 1; --empty) put(at_slot_[empty - 1], empty);
    put(single, slot + 1);
}

void MergeOrder::move_behind(NodeId later, NodeId earlier) {
    // What `earlier` depends on has been found; it moves to the front, and `later` with the rest behind it.
    rearrange(slots_[later], slots_[earlier], earlier);
}

}  // namespace overlap::scheduling
