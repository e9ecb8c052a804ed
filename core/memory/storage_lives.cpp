#include "core/memory/storage_lives.h"

namespace overlap {

namespace {

bool is_there_at_first(NodeOp op) {
    return op == NodeOp::placeholder || op == NodeOp::get_attr;
}

}  // namespace

StorageLives::StorageLives(const Graph& graph) : graph_(graph), points_(graph.node_count(), 0) {
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (is_there_at_first(graph.op(node)) || graph.op(node) == NodeOp::output) continue;
        points_[node] = point_count_;
        point_count_ += 2;
    }
}

std::optional<StorageLife> StorageLives::of(const Storage& storage) const {
    if (!storage.counted) return {};
    const NodeOp op = graph_.op(storage.allocator);
    StorageLife life;
    if (!is_there_at_first(op)) life.from = points_[storage.allocator];
    if (life.from == 0 && !is_there_at_first(op)) return {};  // the output allocates and releases nothing
    if (op != NodeOp::placeholder && storage.released_by != no_node && points_[storage.released_by] > 0)
        life.until = points_[storage.released_by] + 1;
    return life;
}

}  // namespace overlap
