#include "core/memory/storage_table.h"

#include <algorithm>

namespace overlap {

StorageTable::StorageTable(const Graph& graph, StorageRule rule) : graph_(graph), rule_(rule) {
    std::size_t tensors = 0;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const std::span<const TensorMeta> outputs = graph.outputs(node);
        tensors += outputs.size();
        for (const TensorMeta& tensor : outputs) highest_ = std::max(highest_, tensor.storage);
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
    }
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        for (const NodeId input : graph.inputs(node)) {
            for (const StorageIndex storage : held_by(input)) storages_[storage].last_user = node;
        }
    }
}

void StorageTable::add_output(NodeId node, const TensorMeta& tensor) {
    const bool by_number = number_decides(node);
    StorageIndex index = by_number ? first_of_number(tensor.storage) : of_this_node(tensor);
    if (by_number) {
        while (index != no_storage && storages_[index].device != tensor.device) index = storages_[index].same_number;
    } else {
        for (const NodeId input : graph_.inputs(node)) {
            if (index != no_storage) break;
            // Some passes of torch leave nodes in front of their inputs; such an input allocates later.
            if (input < node) index = find_in(held_by(input), tensor);
        }
    }
    if (index == no_storage) index = allocate(node, tensor);
    if (std::find(held_.begin() + offsets_.back(), held_.end(), index) == held_.end()) held_.push_back(index);
}

/// What the graph is given allocates nothing: there, one number is one storage by either rule.
bool StorageTable::number_decides(NodeId node) const {
    const NodeOp op = graph_.op(node);
    return rule_ == StorageRule::reference || op == NodeOp::placeholder || op == NodeOp::get_attr;
}

StorageIndex StorageTable::of_this_node(const TensorMeta& tensor) const {
    return find_in({held_.data() + offsets_.back(), held_.data() + held_.size()}, tensor);
}

StorageIndex StorageTable::find_in(std::span<const StorageIndex> held, const TensorMeta& tensor) const {
    for (const StorageIndex index : held) {
        if (storages_[index].number == tensor.storage && storages_[index].device == tensor.device) return index;
    }
    return no_storage;
}

StorageIndex StorageTable::first_of_number(std::uint32_t number) const {
    if (dense_) return by_number_[number];
    const auto entry = sparse_.find(number);
    return entry == sparse_.end() ? no_storage : entry->second;
}

StorageIndex StorageTable::allocate(NodeId node, const TensorMeta& tensor) {
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

}  // namespace overlap
