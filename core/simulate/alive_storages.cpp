#include "core/simulate/alive_storages.h"

#include <algorithm>

namespace overlap {
namespace {

constexpr std::size_t never = static_cast<std::size_t>(-1);

bool is_there_at_first(NodeOp op) {
    return op == NodeOp::placeholder || op == NodeOp::get_attr;
}

/// For each node the point after its allocation; the next one is that after its release. 0 for nodes without points.
std::vector<std::size_t> points_of_nodes(const Graph& graph) {
    std::vector<std::size_t> points(graph.node_count(), 0);
    std::size_t next = 1;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (is_there_at_first(graph.op(node)) || graph.op(node) == NodeOp::output) continue;
        points[node] = next;
        next += 2;
    }
    return points;
}

}  // namespace

AliveStorages alive_storages(const Graph& graph, StorageRule rule, std::size_t point, std::size_t most) {
    const StorageTable table(graph, rule);
    const std::vector<std::size_t> points = points_of_nodes(graph);
    AliveStorages alive;
    for (const Storage& storage : table.storages()) {
        if (!storage.counted) continue;
        const NodeOp op = graph.op(storage.allocator);
        const std::size_t from = is_there_at_first(op) ? 0 : points[storage.allocator];
        if (from == 0 && !is_there_at_first(op)) continue;  // the output allocates and releases nothing
        const bool released =
            op != NodeOp::placeholder && storage.last_user != no_node && points[storage.last_user] > 0;
        const std::size_t until = released ? points[storage.last_user] + 1 : never;
        if (point < from || point >= until) continue;
        alive.bytes += storage.bytes;
        ++alive.count;
        alive.pieces.push_back({storage.allocator, released ? storage.last_user : no_node, storage.bytes});
    }
    std::ranges::stable_sort(alive.pieces, [](const AliveStorage& a, const AliveStorage& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.allocator < b.allocator;
    });
    if (alive.pieces.size() > most) alive.pieces.resize(most);
    return alive;
}

}  // namespace overlap
