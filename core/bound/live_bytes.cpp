#include "core/bound/live_bytes.h"

#include <algorithm>
#include <bit>

#include "core/bound/gather_results.h"
#include "core/memory/storage_table.h"

namespace overlap {

LiveBytes::LiveBytes(const StepWork& work)
    : result_bytes_(work.collectives.size()), alive_until_(work.collectives.size(), -1) {
    const Graph& graph = *work.graph;
    const StorageTable table(graph, StorageRule::corrected);
    const std::size_t count = work.anchors.size();
    leaves_ = std::bit_ceil(count + 1);  // so that no range is the whole tree
    tree_.assign(2 * leaves_, 0);
    std::int64_t* alive = &tree_[leaves_];
    const OwnMemory own(work, table);
    std::int64_t held = own.held_bytes();
    std::vector<Life> lives(table.storages().size());
    std::vector<std::int64_t> change(count + 1);
    std::vector<std::int32_t> used_after(table.storages().size(), -1);  // the last anchor that some use comes after
    for (NodeId node = 0; node < graph.node_count(); ++node)
        for (const NodeId input : graph.inputs(node))
            for (const StorageIndex storage : table.held_by(input))
                used_after[storage] = std::max(used_after[storage], work.after[node]);
    for (StorageIndex index = 0; index < table.storages().size(); ++index) {
        const Storage& storage = table.storages()[index];
        // What is recomputed need not be alive.
        if (!storage.counted || !work.memory_is_fixed) continue;
        const NodeId maker = storage.allocator;
        if (!is_made_once(work, maker)) continue;
        const std::int32_t from = work.needed_by[maker];
        const std::int32_t to = std::max(used_after[index], work.anchor_of_node[maker]);
        if (from > to) continue;
        lives[index] = {from, to, storage.bytes};
        change[static_cast<std::size_t>(from)] += storage.bytes;
        change[static_cast<std::size_t>(to) + 1] -= storage.bytes;
    }
    const std::vector<GatherResult> results = gather_results(work, table);
    for (std::size_t index = 0; index < results.size() && work.memory_is_fixed; ++index) {
        if (results[index].uses.empty()) continue;
        // Plans may gather once or twice what has several uses: the first use is one of some gather.
        const auto after = [&](NodeId use) { return work.after[use]; };
        alive_until_[index] = after(*std::ranges::min_element(results[index].uses, {}, after));
        result_bytes_[index] = results[index].bytes;
    }
    for (std::size_t anchor = 0; anchor < count; ++anchor) {
        held += change[anchor];
        alive[anchor] = held;
    }
    find_most(work, own, lives);
    for (std::size_t node = leaves_; node-- > 1;) tree_[node] = std::max(tree_[2 * node], tree_[2 * node + 1]);
}

/// What a node reads and returns, and what lives from before the last anchor that it needs to behind the first that
/// needs it.
void LiveBytes::find_most(const StepWork& work, const OwnMemory& own, const std::vector<Life>& lives) {
    most_ = own.most();
    if (!work.memory_is_fixed) return;
    std::vector<StorageIndex> by_start;
    for (StorageIndex index = 0; index < lives.size(); ++index)
        if (lives[index].bytes > 0) by_start.push_back(index);
    std::ranges::stable_sort(by_start, {}, [&](StorageIndex index) { return lives[index].from; });
    std::vector<NodeId> nodes;
    for (NodeId node = 0; node < work.graph->node_count(); ++node)
        if (work.compute_ms[node] > 0) nodes.push_back(node);
    std::ranges::stable_sort(nodes, {}, [&](NodeId node) { return work.after[node]; });
    // Of those that began, how much lives to which anchor: a binary indexed tree, from the last anchor on.
    const std::size_t count = work.anchors.size();
    std::vector<std::int64_t> living(count + 1);
    std::size_t next = 0;
    for (const NodeId node : nodes) {
        for (; next < by_start.size() && lives[by_start[next]].from <= work.after[node]; ++next)
            for (std::size_t at = count - static_cast<std::size_t>(lives[by_start[next]].to); at <= count;
                 at += at & -at)
                living[at] += lives[by_start[next]].bytes;
        std::int64_t bytes = own.held_bytes();
        for (std::size_t at = count - static_cast<std::size_t>(work.needed_by[node]); at > 0; at -= at & -at)
            bytes += living[at];
        for (const StorageIndex storage : own.of(node)) {
            const Life& life = lives[storage];
            const bool counted = life.from <= work.after[node] && life.to >= work.needed_by[node];
            if (!counted) bytes += own.bytes_of(storage);
        }
        if (bytes > most_.bytes) most_ = {bytes, node};
    }
}

std::int32_t LiveBytes::last_without_room(std::size_t collective, std::int32_t before, std::int64_t limit) const {
    if (result_bytes_[collective] == 0) return -1;
    const std::int64_t room = limit - result_bytes_[collective];
    // The last leaf below `end` that holds more than `room`: up to a subtree that has one, and down to its last.
    const std::int32_t end = std::min(before, alive_until_[collective] + 1);
    if (end <= 0) return -1;
    std::size_t node = leaves_ + static_cast<std::size_t>(end);
    while (true) {
        if (node & 1 && tree_[node - 1] > room) {
            --node;
            break;
        }
        node /= 2;
        if (node <= 1) return -1;
    }
    while (node < leaves_) node = tree_[2 * node + 1] > room ? 2 * node + 1 : 2 * node;
    return static_cast<std::int32_t>(node - leaves_);
}

}  // namespace overlap
