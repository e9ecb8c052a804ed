#include "core/memory/memory_profile.h"

#include "core/memory/counted_memory.h"

namespace overlap {

namespace {

/// Changes of one node; those of each node add up, so the order of storages does not matter.
struct Change {
    std::int64_t allocated = 0;
    std::int64_t released = 0;
};

}  // namespace

MemoryProfile memory_profile(const Graph& graph, StorageRule rule) {
    const CountedMemory memory(graph, rule);
    const StorageTable& table = memory.table();
    std::vector<Change> changes(graph.node_count());
    std::int64_t held = 0;
    for (const Storage& storage : table.storages()) {
        if (!storage.counted) continue;
        const NodeOp op = graph.op(storage.allocator);
        if (op == NodeOp::placeholder || op == NodeOp::get_attr) {
            held += storage.bytes;
        } else {
            changes[storage.allocator].allocated += storage.bytes;
        }
        if (op != NodeOp::placeholder && storage.released_by != no_node) {
            changes[storage.released_by].released += storage.bytes;
        }
    }

    MemoryProfile profile;
    profile.points.reserve(2 * std::size_t{graph.node_count()} + 1);
    profile.while_node.resize(graph.node_count());
    profile.points.push_back(held);
    profile.peak_bytes = held;
    const std::int64_t at_start = held;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const NodeOp op = graph.op(node);
        if (op == NodeOp::placeholder || op == NodeOp::get_attr || op == NodeOp::output) {
            profile.while_node[node] = op == NodeOp::placeholder ? at_start : held;
            continue;
        }
        held += changes[node].allocated;
        profile.while_node[node] = held;
        profile.points.push_back(held);
        if (held > profile.peak_bytes) {
            profile.peak_bytes = held;
            profile.peak_node = node;
        }
        held -= changes[node].released;
        profile.points.push_back(held);
    }
    return profile;
}

}  // namespace overlap
