#include "core/run/memory_plan.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/memory/storage_table.h"
#include "core/run/memory_pool.h"

namespace overlap {

namespace {

/// For each node the last node before whose end its memory is in use on another stream than compute's: the wait of
/// the collective or copy that it starts, or the graph's last node where nothing awaits it; itself for all others.
std::vector<NodeId> ends_of_use(const Graph& graph, const Program& program) {
    std::vector<NodeId> ends(graph.node_count());
    for (NodeId node = 0; node < graph.node_count(); ++node) ends[node] = node;
    for (const CollectiveWork& collective : program.collectives)
        ends[collective.node] = awaited_by(graph, program, collective.awaited_at);
    for (const TransferWork& transfer : program.transfers)
        ends[transfer.node] = awaited_by(graph, program, transfer.awaited_at);
    return ends;
}

class MemoryPlanner {
  public:
    MemoryPlanner(const Graph& graph, const Program& program)
        : graph_(graph),
          program_(program),
          table_(graph, StorageRule::corrected),
          ends_(ends_of_use(graph, program)),
          awaits_(graph.node_count()),
          buffer_of_storage_(table_.storages().size(), MemoryPlan::no_buffer) {
        for (const Command& command : program.commands) {
            awaits_[command.node] = command.kind == Command::Kind::wait || command.kind == Command::Kind::transfer_wait;
        }
    }

    MemoryPlan make() {
        find_launches();
        add_buffers();
        extend_lifetimes();
        keep_what_kernels_take();
        place();
        return std::move(plan_);
    }

  private:
    void find_launches() {
        is_written_.resize(table_.storages().size());
        launch_of_.resize(graph_.node_count());
        for (NodeId node = 0; node < graph_.node_count(); ++node) launch_of_[node] = node;
        for (const ComputeWork& work : program_.compute) {
            if (!work.kernel) continue;
            for (const NodeId member : work.kernel->members) launch_of_[member] = work.node;
            for (const BufferWrite& write : work.kernel->writes) {
                for (const StorageIndex storage : table_.held_by(write.node)) is_written_[storage] = true;
            }
        }
    }

    /// Nothing writes what the allocator returns, nor a node that changes it in place.
    bool is_unwritten(std::size_t storage) const {
        return !program_.unwritten.empty() && program_.unwritten[table_.storages()[storage].allocator] &&
               !is_written_[storage];
    }

    void add_buffers() {
        const std::vector<Storage>& storages = table_.storages();
        for (std::size_t index = 0; index < storages.size(); ++index) {
            const Storage& storage = storages[index];
            if (!storage.counted || is_unwritten(index)) continue;
            if (const std::optional<std::uint32_t> known = buffer_of_argument(storage)) {
                buffer_of_storage_[index] = *known;
                continue;
            }
            Buffer buffer;
            buffer.allocator = storage.allocator;
            buffer.bytes = storage.bytes;
            const NodeOp op = graph_.op(storage.allocator);
            const bool given = op == NodeOp::placeholder || op == NodeOp::get_attr;
            buffer.first = given ? 0 : launch_of_[storage.allocator];
            buffer.last = given ? graph_.node_count() - 1 : buffer.first;
            buffer_of_storage_[index] = static_cast<std::uint32_t>(plan_.buffers.size());
            if (storage.bytes > plan_.largest_bytes) {
                plan_.largest_bytes = storage.bytes;
                plan_.largest_node = storage.allocator;
            }
            plan_.buffers.push_back(buffer);
        }
    }

    /// Waits and views return what another node has written, also where the file gives their output a storage of its
    /// own: traces with fake tensors do so for waits, and passes that join equal nodes leave such views behind.
    /// @returns nothing for storages that anything else allocates, and no_buffer for those of what nothing writes.
    std::optional<std::uint32_t> buffer_of_argument(const Storage& storage) const {
        const NodeId node = storage.allocator;
        const TargetInfo& info = graph_.target_info(node);
        // The wait for what a wait returns is no command.
        const bool waits = awaits_[node] || graph_.target(node) == "_c10d_functional.wait_tensor.default";
        if (!waits && !info.traits.view && !info.is_getitem) return std::nullopt;
        for (NodeId source : graph_.inputs(node)) {
            // Splits that passes make have no tensors themselves; where in the split one a part begins is not known, so
            // each part lies at its beginning.
            while (graph_.outputs(source).empty() && !graph_.inputs(source).empty() && source < node) {
                const NodeId split = graph_.inputs(source).front();
                if (split >= source) break;
                source = split;
            }
            if (source > node) continue;
            const TensorMeta* read = output_of(source, info.is_getitem ? item_of(node) : 0);
            const std::optional<StorageIndex> held = read ? storage_of(source, *read) : std::nullopt;
            if (!held) continue;
            const std::int64_t bytes = table_.storages()[*held].bytes;
            // A part of a larger storage would need an offset that the node's own output does not have.
            const bool whole = bytes == storage.bytes || read->storage_offset == 0;
            if (whole && bytes >= storage.bytes && is_placed(*held)) return buffer_of_storage_[*held];
        }
        return std::nullopt;
    }

    /// Whether it is known where a storage lies, or that it needs no memory.
    bool is_placed(StorageIndex storage) const {
        return buffer_of_storage_[storage] != MemoryPlan::no_buffer || is_unwritten(storage);
    }

    /// Which of its argument's outputs a getitem returns.
    std::size_t item_of(NodeId node) const {
        const Value* item = graph_.argument(node, 1);
        return item && item->is(ValueKind::integer) && item->integer >= 0 ? static_cast<std::size_t>(item->integer) : 0;
    }

    /// A node's output; where there are not as many, as of a split without tensors, its first. Null where it has none.
    const TensorMeta* output_of(NodeId node, std::size_t output) const {
        const std::span<const TensorMeta> outputs = graph_.outputs(node);
        return outputs.empty() ? nullptr : &outputs[output < outputs.size() ? output : 0];
    }

    /// The storage that one of a node's outputs is in.
    std::optional<StorageIndex> storage_of(NodeId node, const TensorMeta& tensor) const {
        for (const StorageIndex held : table_.held_by(node)) {
            const Storage& storage = table_.storages()[held];
            if (tensor.is_tensor && storage.number == tensor.storage && storage.device == tensor.device) return held;
        }
        return std::nullopt;
    }

    /// Everything that holds or reads a storage keeps it.
    void extend_lifetimes() {
        plan_.first_of_node.reserve(graph_.node_count() + std::size_t{1});
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            plan_.first_of_node.push_back(static_cast<std::uint32_t>(plan_.of_output.size()));
            add_outputs(node);
            for (const StorageIndex storage : table_.held_by(node)) {
                keep(storage, ends_[node]);
                for (const NodeId user : graph_.users(node)) keep(storage, ends_[user]);
            }
        }
        plan_.first_of_node.push_back(static_cast<std::uint32_t>(plan_.of_output.size()));
    }

    void keep(StorageIndex storage, NodeId until) {
        const std::uint32_t buffer = buffer_of_storage_[storage];
        if (buffer == MemoryPlan::no_buffer) return;
        plan_.buffers[buffer].last = std::max(plan_.buffers[buffer].last, until);
    }

    /// Kernels are launched later than the first of their operators stands, and read what goes into those whose results
    /// nothing writes.
    void keep_what_kernels_take() {
        const auto keep_held = [&](NodeId node, NodeId until) {
            for (const StorageIndex storage : table_.held_by(node)) keep(storage, until);
        };
        for (const ComputeWork& work : program_.compute) {
            if (!work.kernel) continue;
            for (const NodeId member : work.kernel->members) {
                keep_held(member, work.node);
                for (const NodeId input : graph_.inputs(member)) keep_held(input, work.node);
            }
            for (const BufferRead& read : work.kernel->reads) {
                keep_held(read.node, work.node);
                keep_held(read.part, work.node);
            }
        }
    }

    void add_outputs(NodeId node) {
        for (std::size_t output = 0; output < graph_.outputs(node).size(); ++output) {
            const std::optional<StorageIndex> storage = storage_of(node, graph_.outputs(node)[output]);
            plan_.of_output.push_back(storage ? buffer_of_storage_[*storage] : MemoryPlan::no_buffer);
        }
    }

    void place() {
        std::vector<std::vector<std::uint32_t>> released(graph_.node_count());
        std::vector<std::vector<std::uint32_t>> taken(graph_.node_count());
        for (std::uint32_t index = 0; index < plan_.buffers.size(); ++index) {
            taken[plan_.buffers[index].first].push_back(index);
            released[plan_.buffers[index].last].push_back(index);
        }
        MemoryPool pool;
        std::int64_t held = 0;
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            for (const std::uint32_t index : taken[node]) {
                Buffer& buffer = plan_.buffers[index];
                buffer.offset = pool.take(aligned_bytes(buffer.bytes));
                held += buffer.bytes;
            }
            if (held > plan_.live_peak_bytes) {
                plan_.live_peak_bytes = held;
                plan_.live_peak_node = node;
            }
            for (const std::uint32_t index : released[node]) {
                const Buffer& buffer = plan_.buffers[index];
                if (buffer.bytes > 0) pool.give_back(buffer.offset, aligned_bytes(buffer.bytes));
                held -= buffer.bytes;
            }
        }
        plan_.pool_bytes = pool.size();
    }

    const Graph& graph_;
    const Program& program_;
    StorageTable table_;
    std::vector<NodeId> ends_;
    std::vector<bool> awaits_;       ///< of each node: whether it is a wait for a collective or a copy
    std::vector<bool> is_written_;   ///< of each storage: whether a kernel of several nodes writes into it
    std::vector<NodeId> launch_of_;  ///< of each node: the one in whose place its kernel is launched
    std::vector<std::uint32_t> buffer_of_storage_;
    MemoryPlan plan_;
};

}  // namespace

std::int64_t aligned_bytes(std::int64_t bytes) {
    constexpr std::int64_t alignment = MemoryPlan::alignment_bytes;
    return (bytes + alignment - 1) / alignment * alignment;
}

MemoryPlan plan_memory(const Graph& graph, const Program& program) {
    return MemoryPlanner(graph, program).make();
}

}  // namespace overlap
