#include "core/run/memory_plan.h"

#include <algorithm>
#include <utility>

#include "core/memory/storage_table.h"
#include "core/run/memory_pool.h"

namespace overlap {

namespace {

class MemoryPlanner {
  public:
    MemoryPlanner(const Graph& graph, const Program& program)
        : graph_(graph),
          program_(program),
          table_(graph, StorageRule::corrected),
          buffer_of_storage_(table_.storages().size(), MemoryPlan::no_buffer) {}

    MemoryPlan make() {
        find_launches();
        add_buffers();
        find_outputs();
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
            Buffer buffer;
            buffer.allocator = storage.allocator;
            buffer.bytes = storage.bytes;
            const NodeOp op = graph_.op(storage.allocator);
            const bool given = op == NodeOp::placeholder || op == NodeOp::get_attr;
            buffer.first = given ? 0 : launch_of_[storage.allocator];
            buffer.last = given ? graph_.node_count() - 1 : buffer.first;
            if (storage.released_by != no_node) buffer.last = std::max(buffer.last, storage.released_by);
            buffer_of_storage_[index] = static_cast<std::uint32_t>(plan_.buffers.size());
            if (storage.bytes > plan_.largest_bytes) {
                plan_.largest_bytes = storage.bytes;
                plan_.largest_node = storage.allocator;
            }
            plan_.buffers.push_back(buffer);
        }
    }

    void find_outputs() {
        plan_.first_of_node.reserve(graph_.node_count() + std::size_t{1});
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            plan_.first_of_node.push_back(static_cast<std::uint32_t>(plan_.of_output.size()));
            for (std::size_t output = 0; output < graph_.outputs(node).size(); ++output) {
                const StorageIndex storage = table_.of_output(node, output);
                plan_.of_output.push_back(storage == StorageTable::no_storage ? MemoryPlan::no_buffer
                                                                              : buffer_of_storage_[storage]);
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
