#include "core/simulate/memory_profile.h"

#include <algorithm>
#include <unordered_map>

namespace overlap {

namespace {

using StorageIndex = std::uint32_t;
constexpr StorageIndex no_storage = 0xffffffffu;

struct Storage {
    std::int64_t bytes = 0;
    NodeId allocator = no_node;
    NodeId last_user = no_node;
    std::uint32_t number = 0;  ///< the file's
    StringId device = empty_string;
    StorageIndex same_number = no_storage;  ///< further storage of that number, on another device
    bool counted = false;                   ///< not on a CPU
};

/// Storages of a graph: those that each node's outputs lie in, who allocates them and who uses them last.
class StorageTable {
  public:
    StorageTable(const Graph& graph, StorageRule rule) : graph_(graph), rule_(rule) {
        std::size_t tensors = 0;
        for (NodeId node = 0; node < graph.node_count(); ++node) {
            tensors += graph.outputs(node).size();
            for (const TensorMeta& tensor : graph.outputs(node)) highest_ = std::max(highest_, tensor.storage);
        }
        // Numbers are small as a rule; then a table by number replaces the hash map.
        dense_ = highest_ < 16 * tensors + 4096;
        if (dense_) by_number_.assign(std::size_t{highest_} + 1, no_storage);
        storages_.reserve(tensors);
        held_.reserve(tensors);
        offsets_.reserve(graph.node_count() + 1);
        offsets_.push_back(0);
        for (NodeId node = 0; node < graph.node_count(); ++node) {
            for (const TensorMeta& tensor : graph.outputs(node)) {
                if (tensor.is_tensor) add_output(node, tensor);
            }
            offsets_.push_back(static_cast<std::uint32_t>(held_.size()));
            for (const NodeId input : graph.inputs(node)) {
                for (const StorageIndex storage : held_by(input)) storages_[storage].last_user = node;
            }
        }
    }

    const std::vector<Storage>& storages() const { return storages_; }

    /// Storages that the outputs of `node` lie in, each once.
    std::span<const StorageIndex> held_by(NodeId node) const {
        return {held_.data() + offsets_[node], held_.data() + offsets_[node + 1]};
    }

  private:
    void add_output(NodeId node, const TensorMeta& tensor) {
        const bool by_number = number_decides(node);
        StorageIndex index = by_number ? first_of_number(tensor.storage) : of_this_node(tensor);
        if (by_number) {
            while (index != no_storage && storages_[index].device != tensor.device)
                index = storages_[index].same_number;
        } else {
            for (const NodeId input : graph_.inputs(node)) {
                if (index != no_storage) break;
                index = find_in(held_by(input), tensor);
            }
        }
        if (index == no_storage) index = allocate(node, tensor);
        if (std::find(held_.begin() + offsets_.back(), held_.end(), index) == held_.end()) held_.push_back(index);
    }

    /// What the graph is given allocates nothing: there, one number is one storage by either rule.
    bool number_decides(NodeId node) const {
        const NodeOp op = graph_.op(node);
        return rule_ == StorageRule::reference || op == NodeOp::placeholder || op == NodeOp::get_attr;
    }

    StorageIndex of_this_node(const TensorMeta& tensor) const {
        return find_in({held_.data() + offsets_.back(), held_.data() + held_.size()}, tensor);
    }

    StorageIndex find_in(std::span<const StorageIndex> held, const TensorMeta& tensor) const {
        for (const StorageIndex index : held) {
            if (storages_[index].number == tensor.storage && storages_[index].device == tensor.device) return index;
        }
        return no_storage;
    }

    StorageIndex first_of_number(std::uint32_t number) const {
        if (dense_) return by_number_[number];
        const auto entry = sparse_.find(number);
        return entry == sparse_.end() ? no_storage : entry->second;
    }

    StorageIndex allocate(NodeId node, const TensorMeta& tensor) {
        const auto index = static_cast<StorageIndex>(storages_.size());
        Storage storage;
        storage.bytes = tensor.storage_bytes;
        storage.allocator = node;
        storage.number = tensor.storage;
        storage.device = tensor.device;
        const std::string_view device = graph_.text(tensor.device);
        storage.counted = device != "cpu" && !device.starts_with("cpu:");
        if (number_decides(node)) {
            storage.same_number = first_of_number(tensor.storage);
            if (dense_) {
                by_number_[tensor.storage] = index;
            } else {
                sparse_[tensor.storage] = index;
            }
        }
        storages_.push_back(storage);
        return index;
    }

    const Graph& graph_;
    StorageRule rule_;
    std::uint32_t highest_ = 0;
    bool dense_ = true;
    std::vector<Storage> storages_;
    std::vector<StorageIndex> held_;
    std::vector<std::uint32_t> offsets_;
    std::vector<StorageIndex> by_number_;
    std::unordered_map<std::uint32_t, StorageIndex> sparse_;
};

/// Changes of one node; those of each node add up, so the order of storages does not matter.
struct Change {
    std::int64_t allocated = 0;
    std::int64_t released = 0;
};

}  // namespace

MemoryProfile memory_profile(const Graph& graph, StorageRule rule) {
    const StorageTable table(graph, rule);
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
        if (op != NodeOp::placeholder && storage.last_user != no_node) {
            changes[storage.last_user].released += storage.bytes;
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
