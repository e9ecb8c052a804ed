#include "core/bound/own_memory.h"

#include <algorithm>

namespace overlap {

bool is_made_once(const StepWork& work, NodeId node) {
    if (work.after[node] < 0) return false;
    if (work.compute_ms[node] > 0) return true;
    const std::int32_t index = work.is_wait[node] ? -1 : work.collective_of_node[node];
    return index >= 0 && work.collectives[static_cast<std::size_t>(index)].kind != CollectiveKind::all_gather;
}

OwnMemory::OwnMemory(const StepWork& work, const StorageTable& table)
    : work_(work), graph_(*work.graph), table_(table) {
    for (const Storage& storage : table.storages())
        if (storage.counted && graph_.op(storage.allocator) == NodeOp::placeholder) held_bytes_ += storage.bytes;
}

/// Operators that return their argument where its strides allow it, and a copy elsewhere, may do otherwise in a plan.
bool OwnMemory::counts(StorageIndex storage) const {
    const Storage& of = table_.storages()[storage];
    return of.counted && graph_.op(of.allocator) == NodeOp::call_function &&
           !graph_.target_info(of.allocator).traits.view;
}

/// What a gather's result was made of where plans may gather it once or twice: as far back as each node has one input.
/// Else no_node.
NodeId OwnMemory::gathered_from(NodeId gather) const {
    const std::int32_t index = work_.collective_of_node[gather];
    const bool is_gather =
        index >= 0 && work_.collectives[static_cast<std::size_t>(index)].kind == CollectiveKind::all_gather;
    if (!is_gather || work_.after[gather] >= 0) return no_node;
    NodeId from = gather;
    while (graph_.inputs(from).size() == 1) from = graph_.inputs(from).front();
    return from;
}

std::vector<StorageIndex> OwnMemory::of(NodeId node) const {
    std::vector<StorageIndex> own;
    std::vector<NodeId> gathered;
    const auto add = [&](StorageIndex storage) {
        if (!counts(storage) || std::ranges::find(own, storage) != own.end()) return;
        const NodeId from = gathered_from(table_.storages()[storage].allocator);
        if (from != no_node) {
            // A plan may gather once what the graph gathers twice.
            if (std::ranges::find(gathered, from) != gathered.end()) return;
            gathered.push_back(from);
        }
        own.push_back(storage);
    };
    for (const NodeId input : graph_.inputs(node))
        for (const StorageIndex storage : table_.held_by(input)) add(storage);
    for (const StorageIndex storage : table_.held_by(node)) add(storage);
    return own;
}

std::int64_t OwnMemory::returned_bytes() const {
    std::int64_t bytes = 0;
    for (NodeId node = 0; node < graph_.node_count(); ++node) {
        if (graph_.op(node) != NodeOp::output) continue;
        for (const StorageIndex storage : of(node)) bytes += bytes_of(storage);
    }
    return bytes;
}

LeastAlive OwnMemory::most() const {
    LeastAlive most{held_bytes_ + returned_bytes(), no_node};
    for (NodeId node = 0; node < graph_.node_count(); ++node) {
        if (work_.compute_ms[node] <= 0) continue;
        std::int64_t bytes = held_bytes_;
        for (const StorageIndex storage : of(node)) bytes += bytes_of(storage);
        if (bytes > most.bytes || (bytes == most.bytes && most.node == no_node)) most = {bytes, node};
    }
    return most;
}

}  // namespace overlap
