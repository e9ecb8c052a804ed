#include "core/run/memory_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/graph/storage_table.h"

namespace overlap {

namespace {

/// Memory in one piece of unlimited length, of which gaps are used again.
class Pool {
  public:
    std::int64_t take(std::int64_t bytes) {
        const auto fitting = by_size_.lower_bound({bytes, 0});
        if (fitting == by_size_.end()) return grow(bytes);
        const auto [size, offset] = *fitting;
        remove(offset, size);
        if (size > bytes) insert(offset + bytes, size - bytes);
        return offset;
    }

    void give_back(std::int64_t offset, std::int64_t bytes) {
        const auto after = by_offset_.find(offset + bytes);
        if (after != by_offset_.end()) {
            bytes += after->second;
            remove(after->first, after->second);
        }
        const auto behind = by_offset_.lower_bound(offset);
        if (behind != by_offset_.begin()) {
            const auto before = std::prev(behind);
            if (before->first + before->second == offset) {
                const auto [start, size] = *before;
                remove(start, size);
                offset = start;
                bytes += size;
            }
        }
        insert(offset, bytes);
    }

    std::int64_t size() const { return end_; }

  private:
    /// At the end; a gap that ends there is used for a part of it.
    std::int64_t grow(std::int64_t bytes) {
        std::int64_t offset = end_;
        if (!by_offset_.empty()) {
            const auto last = std::prev(by_offset_.end());
            if (last->first + last->second == end_) {
                offset = last->first;
                remove(last->first, last->second);
            }
        }
        end_ = offset + bytes;
        return offset;
    }

    void insert(std::int64_t offset, std::int64_t bytes) {
        by_offset_.emplace(offset, bytes);
        by_size_.emplace(bytes, offset);
    }

    void remove(std::int64_t offset, std::int64_t bytes) {
        by_offset_.erase(offset);
        by_size_.erase({bytes, offset});
    }

    std::int64_t end_ = 0;
    std::map<std::int64_t, std::int64_t> by_offset_;
    std::set<std::pair<std::int64_t, std::int64_t>> by_size_;
};

/// For each node the last node before whose end its memory is in use on another stream than compute's: the wait of
/// the collective that it starts, or the graph's last node where nothing awaits it; itself for all others.
std::vector<NodeId> ends_of_use(const Graph& graph, const Program& program) {
    std::vector<NodeId> ends(graph.node_count());
    for (NodeId node = 0; node < graph.node_count(); ++node) ends[node] = node;
    for (const CollectiveWork& collective : program.collectives) {
        ends[collective.node] = collective.awaited_at < program.commands.size()
                                    ? program.commands[collective.awaited_at].node
                                    : graph.node_count() - 1;
    }
    return ends;
}

class MemoryPlanner {
  public:
    MemoryPlanner(const Graph& graph, const Program& program)
        : graph_(graph),
          table_(graph, StorageRule::corrected),
          ends_(ends_of_use(graph, program)),
          buffer_of_storage_(table_.storages().size(), MemoryPlan::no_buffer) {}

    MemoryPlan make() {
        add_buffers();
        extend_lifetimes();
        place();
        return std::move(plan_);
    }

  private:
    void add_buffers() {
        const std::vector<Storage>& storages = table_.storages();
        for (std::size_t index = 0; index < storages.size(); ++index) {
            const Storage& storage = storages[index];
            if (!storage.counted) continue;
            Buffer buffer;
            buffer.allocator = storage.allocator;
            buffer.bytes = storage.bytes;
            const NodeOp op = graph_.op(storage.allocator);
            const bool given = op == NodeOp::placeholder || op == NodeOp::get_attr;
            buffer.first = given ? 0 : storage.allocator;
            buffer.last = given ? graph_.node_count() - 1 : storage.allocator;
            buffer_of_storage_[index] = static_cast<std::uint32_t>(plan_.buffers.size());
            if (storage.bytes > plan_.largest_bytes) {
                plan_.largest_bytes = storage.bytes;
                plan_.largest_node = storage.allocator;
            }
            plan_.buffers.push_back(buffer);
        }
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

    /// An output lies in the storage of the node that has its number and device.
    void add_outputs(NodeId node) {
        const std::span<const StorageIndex> held = table_.held_by(node);
        for (const TensorMeta& output : graph_.outputs(node)) {
            const auto storage = std::find_if(held.begin(), held.end(), [&](StorageIndex candidate) {
                return output.is_tensor && table_.storages()[candidate].number == output.storage &&
                       table_.storages()[candidate].device == output.device;
            });
            plan_.of_output.push_back(storage == held.end() ? MemoryPlan::no_buffer : buffer_of_storage_[*storage]);
        }
    }

    void place() {
        std::vector<std::vector<std::uint32_t>> released(graph_.node_count());
        std::vector<std::vector<std::uint32_t>> taken(graph_.node_count());
        for (std::uint32_t index = 0; index < plan_.buffers.size(); ++index) {
            taken[plan_.buffers[index].first].push_back(index);
            released[plan_.buffers[index].last].push_back(index);
        }
        Pool pool;
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
    StorageTable table_;
    std::vector<NodeId> ends_;
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
