#include "core/passes/scheduling/memory_tracker.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/quote.h"

namespace overlap::scheduling {

namespace {

/// A storage whose size is symbolic is assumed to be as large as the tensor that was allocated with it.
std::int64_t storage_bytes(const Graph& graph, const SymbolicSizes& sizes, const Storage& storage) {
    const std::span<const TensorMeta> outputs = graph.outputs(storage.allocator);
    for (std::size_t output = 0; output < outputs.size(); ++output) {
        const TensorMeta& tensor = outputs[output];
        const bool is_allocated_with = tensor.is_tensor && tensor.storage == storage.number &&
                                       tensor.device == storage.device && sizes.is_symbolic(storage.allocator, output);
        if (!is_allocated_with) continue;
        return sizes.elements(storage.allocator, output, SymbolicSizes::guess_in_storages) *
               dtype_info(tensor.dtype).bytes;
    }
    return storage.bytes;
}

}  // namespace

StorageUses::StorageUses(const Graph& graph, const SymbolicSizes& sizes)
    : graph_(graph), table_(graph, StorageRule::reference) {
    const std::vector<Storage>& storages = table_.storages();
    user_counts_.resize(storages.size());
    released_.resize(storages.size());
    bytes_.reserve(storages.size());
    for (const Storage& storage : storages) {
        bytes_.push_back(sizes.empty() ? storage.bytes : storage_bytes(graph, sizes, storage));
    }
    for (StorageIndex storage = 0; storage < storages.size(); ++storage) {
        released_[storage] = !graph.name(storages[storage].allocator).starts_with("primals");
    }
    std::vector<NodeId> last_seen(storages.size(), no_node);
    use_offsets_.reserve(graph.node_count() + 1);
    fresh_offsets_.reserve(graph.node_count() + 1);
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        for (const NodeId input : graph.inputs(node)) {
            for (const StorageIndex storage : table_.held_by(input)) {
                if (!storages[storage].counted || last_seen[storage] == node) continue;
                last_seen[storage] = node;
                uses_.push_back(storage);
                ++user_counts_[storage];
            }
        }
        for (const StorageIndex storage : table_.held_by(node)) {
            if (storages[storage].counted && storages[storage].allocator == node) fresh_.push_back(storage);
        }
        use_offsets_.push_back(static_cast<std::uint32_t>(uses_.size()));
        fresh_offsets_.push_back(static_cast<std::uint32_t>(fresh_.size()));
    }
}

MemoryTracker::MemoryTracker(const StorageUses& uses)
    : uses_(uses), remaining_users_(uses.user_counts()), live_(uses.storages().size()) {
    for (StorageIndex storage = 0; storage < uses.storages().size(); ++storage) {
        const Storage& given = uses.storages()[storage];
        const NodeOp op = uses.graph().op(given.allocator);
        if (!given.counted || (op != NodeOp::placeholder && op != NodeOp::get_attr)) continue;
        live_[storage] = true;
        current_bytes_ += uses.bytes(storage);
    }
}

void MemoryTracker::schedule(NodeId node) {
    const NodeOp op = uses_.graph().op(node);
    const std::span<const StorageIndex> used = uses_.used_by(node);
    if (op == NodeOp::placeholder || op == NodeOp::get_attr || op == NodeOp::output) {
        for (const StorageIndex storage : used) --remaining_users_[storage];
        return;
    }
    for (const StorageIndex storage : uses_.allocated_by(node)) {
        if (live_[storage]) continue;
        live_[storage] = true;
        current_bytes_ += uses_.bytes(storage);
    }
    std::int64_t freed_bytes = 0;
    for (const StorageIndex storage : used) {
        if (!live_[storage]) {
            throw InputError("node " + in_quotes(uses_.graph().name(node)),
                             "it reads memory that has not been allocated yet (storage " +
                                 std::to_string(uses_.storages()[storage].number) +
                                 ", which several nodes claim), and PyTorch raises an AssertionError: all input "
                                 "storages should be currently allocated; without memory limits "
                                 "(max_memory_increase_gb and max_memory_increase_ratio null) nothing is tracked");
        }
        if (--remaining_users_[storage] == 0 && uses_.is_released(storage)) {
            live_[storage] = false;
            freed_bytes += uses_.bytes(storage);
        }
    }
    current_bytes_ -= freed_bytes;
}

BaselineMemory baseline_memory(const StorageUses& uses, std::span<const NodeId> compute) {
    BaselineMemory baseline;
    baseline.before_compute.reserve(compute.size());
    MemoryTracker tracker(uses);
    std::int64_t since_compute = 0;
    for (NodeId node = 0; node < uses.graph().node_count(); ++node) {
        tracker.schedule(node);
        const std::int64_t held = tracker.current_bytes();
        since_compute = std::max(since_compute, held);
        baseline.peak_bytes = std::max(baseline.peak_bytes, held);
        const std::size_t next = baseline.before_compute.size();
        if (next < compute.size() && compute[next] == node) {
            baseline.before_compute.push_back(since_compute);
            since_compute = held;
        }
    }
    return baseline;
}

}  // namespace overlap::scheduling
