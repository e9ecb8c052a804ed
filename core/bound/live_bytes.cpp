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
    std::int64_t held = 0;
    std::vector<std::int64_t> change(count + 1);
    std::vector<std::int32_t> used_after(table.storages().size(), -1);  // the last anchor that some use comes after
    for (NodeId node = 0; node < graph.node_count(); ++node)
        for (const NodeId input : graph.inputs(node))
            for (const StorageIndex storage : table.held_by(input))
                used_after[storage] = std::max(used_after[storage], work.after[node]);
    for (StorageIndex index = 0; index < table.storages().size(); ++index) {
        const Storage& storage = table.storages()[index];
        if (!storage.counted) continue;
        const NodeId maker = storage.allocator;
        if (graph.op(maker) == NodeOp::placeholder) {
            held += storage.bytes;
            continue;
        }
        if (!work.memory_is_fixed) continue;  // what is recomputed need not be alive
        // Before the first anchor there are unsharded parameters, which plans gather once or twice.
        if (work.compute_ms[maker] <= 0 || work.after[maker] < 0) continue;
        const std::int32_t from = work.needed_by[maker];
        const std::int32_t to = std::max(used_after[index], work.anchor_of_node[maker]);
        if (from > to) continue;
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
        if (held > most_) {
            most_ = held;
            most_at_ = static_cast<std::int32_t>(anchor);
        }
    }
    for (std::size_t node = leaves_; node-- > 1;) tree_[node] = std::max(tree_[2 * node], tree_[2 * node + 1]);
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
