#include "core/memory/storage_table.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "core/cost/stream_steps.h"
#include "core/graph/device_text.h"
#include "core/graph/strides.h"

namespace overlap {

namespace {

/// Beginnings of operators that return their argument, a view of it or a copy, as its strides and the dtype demand.
constexpr auto copying_views = std::to_array<std::string_view>({
    "aten.reshape",
    "aten.contiguous.",
    "aten.flatten.",
    "aten.ravel.",
    "aten.to.",
    "aten.type_as.",
    "aten.coalesce.",
    "aten.pin_memory.",
    "aten._autocast_to_",
});

bool may_copy(std::string_view target) {
    return std::ranges::any_of(copying_views, [&](std::string_view start) { return target.starts_with(start); });
}

}  // namespace

class StorageTable::Finder {
  public:
    Finder(const Graph& graph, StorageRule rule, StorageTable& table)
        : graph_(graph), corrected_(rule == StorageRule::corrected), table_(table) {
        // The reference knows nothing of what is under way: no steps.
        if (corrected_) steps_ = stream_steps(graph);
        std::size_t tensors = 0;
        for (NodeId node = 0; node < graph.node_count(); ++node) {
            const std::span<const TensorMeta> outputs = graph.outputs(node);
            tensors += outputs.size();
            for (const TensorMeta& tensor : outputs) highest_ = std::max(highest_, tensor.storage);
        }
        // Numbers are small as a rule; then a table by number replaces the hash map.
        dense_ = highest_ < 16 * tensors + 4096;
        if (dense_) by_number_.assign(std::size_t{highest_} + 1, no_storage);
        table.storages_.reserve(tensors);
        table.held_.reserve(tensors);
        table.of_output_.reserve(tensors);
        table.offsets_.reserve(graph.node_count() + std::size_t{1});
        table.first_output_.reserve(graph.node_count());
    }

    void find_storages() {
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            table_.first_output_.push_back(static_cast<std::uint32_t>(table_.of_output_.size()));
            for (const TensorMeta& tensor : graph_.outputs(node))
                table_.of_output_.push_back(tensor.is_tensor ? add_output(node, tensor) : no_storage);
            table_.offsets_.push_back(static_cast<std::uint32_t>(table_.held_.size()));
        }
    }

    void find_last_users() {
        std::vector<NodeId> awaited_at(steps_.of_node.size(), no_node);
        const auto add = [&](NodeId start, NodeId wait) {
            awaited_at[start] = wait == no_node ? graph_.node_count() - 1 : wait;
        };
        for (const IssuedCollective& collective : steps_.collectives) add(collective.node, collective.wait);
        for (const IssuedTransfer& transfer : steps_.transfers) add(transfer.node, transfer.wait);
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            const NodeId wait = awaited_at.empty() ? no_node : awaited_at[node];
            const NodeId last = wait == no_node ? node : std::max(node, wait);
            for (const NodeId input : graph_.inputs(node)) use(input, last);
            if (wait != no_node) use(node, last);
        }
        if (!corrected_) return;
        for (Storage& storage : table_.storages_) {
            if (number_decides(storage.allocator)) {
                storage.released_by = no_node;  // the graph's caller has it
            } else if (storage.released_by == no_node || storage.released_by < storage.allocator) {
                // Nothing consumes it, or only what some passes of torch leave in front of it.
                storage.released_by = storage.allocator;
            }
        }
    }

  private:
    void use(NodeId node, NodeId last) {
        for (const StorageIndex storage : table_.held_by(node)) {
            NodeId& released_by = table_.storages_[storage].released_by;
            if (released_by == no_node || released_by < last) released_by = last;
        }
    }

    StorageIndex add_output(NodeId node, const TensorMeta& tensor) {
        StorageIndex index = number_decides(node) ? of_number(tensor) : of_argument(node, tensor);
        if (index == no_storage) index = allocate(node, tensor);
        std::vector<StorageIndex>& held = table_.held_;
        if (std::find(held.begin() + table_.offsets_.back(), held.end(), index) == held.end()) held.push_back(index);
        return index;
    }

    /// What the graph is given allocates nothing: there, one number is one storage by either rule.
    bool number_decides(NodeId node) const {
        const NodeOp op = graph_.op(node);
        return !corrected_ || op == NodeOp::placeholder || op == NodeOp::get_attr;
    }

    StorageIndex of_number(const TensorMeta& tensor) const {
        StorageIndex index = first_of_number(tensor.storage);
        while (index != no_storage && table_.storages_[index].device != tensor.device)
            index = table_.storages_[index].same_number;
        return index;
    }

    /// The storage that an output has from an output before it or from an argument of its node.
    StorageIndex of_argument(NodeId node, const TensorMeta& tensor) const {
        StorageIndex index = claimed_by(node, tensor);
        for (const NodeId input : graph_.inputs(node)) {
            if (index != no_storage) return index;
            // Some passes of torch leave nodes in front of their inputs; such an input allocates later.
            if (input < node) index = claimed_by(input, tensor);
        }
        return index == no_storage ? handed_on(node, tensor) : index;
    }

    /// The storage of the output of a node that claims the same number; of those that are known so far.
    StorageIndex claimed_by(NodeId node, const TensorMeta& tensor) const {
        const std::span<const TensorMeta> outputs = graph_.outputs(node);
        const std::size_t first = table_.first_output_[node];
        for (std::size_t output = 0; output < outputs.size() && first + output < table_.of_output_.size(); ++output) {
            const TensorMeta& other = outputs[output];
            if (other.is_tensor && other.storage == tensor.storage && other.device == tensor.device)
                return table_.of_output_[first + output];
        }
        return no_storage;
    }

    /// The storage of the argument that a wait, a view or an item returns, where it has a number of its own: traces
    /// with fake tensors give waits such numbers, and passes that join equal nodes leave such views behind.
    StorageIndex handed_on(NodeId node, const TensorMeta& tensor) const {
        if (graph_.op(node) != NodeOp::call_function) return no_storage;
        const TargetInfo& info = graph_.target_info(node);
        const StreamStep& step = steps_.of_node[node];
        const bool waits =
            info.is_wait || step.kind == StreamStep::Kind::wait || step.kind == StreamStep::Kind::transfer_wait;
        if (!waits && !info.traits.view && !info.is_getitem) return no_storage;
        NodeId source = earlier_argument(node, step.first_argument);
        std::optional<std::size_t> output = 0;
        if (source != no_node && info.is_getitem && !graph_.outputs(source).empty())
            output = item_of(node, graph_.outputs(source).size());
        // Splits that passes make have no tensors themselves: their items lie in what is split.
        while (source != no_node && graph_.outputs(source).empty())
            source = is_view(source) ? earlier_argument(source, 0) : no_node;
        if (source == no_node || !output) return no_storage;
        const TensorMeta& read = graph_.outputs(source)[*output];
        if (!read.is_tensor || read.device != tensor.device) return no_storage;
        if (!waits && !info.is_getitem && may_copy(graph_.target(node)) && copies(read, tensor)) return no_storage;
        const StorageIndex held = table_.of_output(source, *output);
        // Of a part of a larger storage the node's own output does not tell the place.
        const std::int64_t bytes = table_.storages_[held].bytes;
        const bool whole = bytes == tensor.storage_bytes || (bytes > tensor.storage_bytes && read.storage_offset == 0);
        return whole ? held : no_storage;
    }

    bool is_view(NodeId node) const {
        return graph_.op(node) == NodeOp::call_function && graph_.target_info(node).traits.view;
    }

    /// Whether an operator that returns its argument where that will do has copied it.
    bool copies(const TensorMeta& read, const TensorMeta& returned) const {
        if (read.dtype != returned.dtype) return true;
        const auto seen = view_strides(graph_.shape(read), graph_.stride(read), graph_.shape(returned));
        return !seen || !std::ranges::equal(*seen, graph_.stride(returned));
    }

    NodeId earlier_argument(NodeId node, std::size_t index) const {
        const Value* argument = graph_.argument(node, index);
        return argument && argument->is(ValueKind::node) && argument->node < node ? argument->node : no_node;
    }

    /// Which of so many outputs a getitem returns; negative ones count from the end. Nothing where it is none of them.
    std::optional<std::size_t> item_of(NodeId node, std::size_t count) const {
        const Value* item = graph_.argument(node, 1);
        if (!item || !item->is(ValueKind::integer)) return {};
        const std::int64_t index = item->integer < 0 ? item->integer + static_cast<std::int64_t>(count) : item->integer;
        if (index < 0 || index >= static_cast<std::int64_t>(count)) return {};
        return static_cast<std::size_t>(index);
    }

    StorageIndex first_of_number(std::uint32_t number) const {
        if (dense_) return by_number_[number];
        const auto entry = sparse_.find(number);
        return entry == sparse_.end() ? no_storage : entry->second;
    }

    StorageIndex allocate(NodeId node, const TensorMeta& tensor) {
        const auto index = static_cast<StorageIndex>(table_.storages_.size());
        Storage storage;
        storage.bytes = tensor.storage_bytes;
        storage.allocator = node;
        storage.number = tensor.storage;
        storage.device = tensor.device;
        storage.counted = !is_on_cpu(graph_.text(tensor.device));
        if (number_decides(node)) {
            storage.same_number = first_of_number(tensor.storage);
            if (dense_) {
                by_number_[tensor.storage] = index;
            } else {
                sparse_[tensor.storage] = index;
            }
        }
        table_.storages_.push_back(storage);
        return index;
    }

    const Graph& graph_;
    const bool corrected_;
    StorageTable& table_;
    StreamSteps steps_;  ///< empty by the reference's rule
    std::uint32_t highest_ = 0;
    bool dense_ = true;
    std::vector<StorageIndex> by_number_;
    std::unordered_map<std::uint32_t, StorageIndex> sparse_;
};

StorageTable::StorageTable(const Graph& graph, StorageRule rule) {
    Finder finder(graph, rule, *this);
    finder.find_storages();
    finder.find_last_users();
}

}  // namespace overlap
