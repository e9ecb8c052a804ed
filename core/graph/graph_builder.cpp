#include "core/graph/graph_builder.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/graph/graph_edges.h"
#include "core/graph/tensor_bytes.h"

namespace overlap {

GraphBuilder::GraphBuilder()
    : strings_(std::make_shared<StringPool>()), stacks_(std::make_shared<Graph::ModuleStacks>()) {}

Value GraphBuilder::with_children(ValueKind kind, std::span<const Value> items) {
    Value value;
    value.kind = kind;
    value.count = static_cast<std::uint32_t>(items.size());
    value.first = static_cast<std::uint32_t>(values_.size());
    values_.insert(values_.end(), items.begin(), items.end());
    return value;
}

Value GraphBuilder::list(std::span<const Value> items) {
    return with_children(ValueKind::list, items);
}

Value GraphBuilder::dictionary(std::span<const Value> keys_and_values) {
    return with_children(ValueKind::dictionary, keys_and_values);
}

std::span<const Value> GraphBuilder::children(const Value& value) const {
    if (!value.has_children()) return {};
    return {values_.data() + value.first, value.count};
}

std::uint32_t GraphBuilder::target(std::string_view target) {
    const StringId name = intern(target);
    const auto [entry, added] = targets_.emplace(name, static_cast<std::uint32_t>(target_names_.size()));
    if (added) {
        target_names_.push_back(name);
        target_infos_.push_back(describe_target(target));
    }
    return entry->second;
}

void GraphBuilder::describe_operator(std::string_view target_name, OperatorTraits traits, SideEffects side_effects) {
    TargetInfo& info = target_infos_[target(target_name)];
    info.traits = traits;
    info.side_effects = side_effects;
}

ModuleStackId GraphBuilder::module_stack(std::span<const ModuleStackEntry> entries) {
    if (entries.empty()) return 0;
    std::vector<std::uint64_t> key;
    key.reserve(entries.size());
    for (const ModuleStackEntry& entry : entries) key.push_back(std::uint64_t{entry.path} << 32 | entry.class_name);
    const auto [known, added] =
        stack_ids_.emplace(std::move(key), static_cast<ModuleStackId>(stacks_->offsets.size() - 1));
    if (added) {
        stacks_->entries.insert(stacks_->entries.end(), entries.begin(), entries.end());
        stacks_->offsets.push_back(static_cast<std::uint32_t>(stacks_->entries.size()));
    }
    return known->second;
}

std::uint32_t GraphBuilder::dimensions(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides) {
    const auto first = static_cast<std::uint32_t>(dimensions_.size());
    dimensions_.insert(dimensions_.end(), sizes.begin(), sizes.end());
    dimensions_.insert(dimensions_.end(), strides.begin(), strides.end());
    return first;
}

NodeId GraphBuilder::add(NodeRecord record, NodeMetadata metadata, std::span<const TensorMeta> outputs) {
    const NodeId node = node_count();
    if (find(strings_->text(record.name)) != no_node) {
        throw InputError("node " + std::to_string(node), "the name \"" + std::string(strings_->text(record.name)) +
                                                             "\" is used twice, and names must be unique");
    }
    record.first_output = static_cast<std::uint32_t>(tensors_.size());
    record.output_count = static_cast<std::uint32_t>(outputs.size());
    for (const TensorMeta& tensor : outputs) {
        tensors_.push_back(tensor);
        if (tensor.is_tensor) next_storage_ = std::max(next_storage_, tensor.storage + 1);
    }
    records_.push_back(record);
    keep_metadata(metadata);
    if (by_name_.size() <= record.name) by_name_.resize(record.name + 1024, no_node);
    by_name_[record.name] = node;
    return node;
}

/// Neighbours often say the same.
void GraphBuilder::keep_metadata(NodeMetadata metadata) {
    custom_json_.push_back(metadata.custom_json);
    extra_json_.push_back(metadata.extra_json);
    metadata.custom_json = metadata.extra_json = empty_string;
    if (metadata_.empty() || !(metadata_.back() == metadata)) metadata_.push_back(metadata);
    metadata_of_.push_back(static_cast<std::uint32_t>(metadata_.size() - 1));
}

TensorMeta GraphBuilder::contiguous_tensor(Dtype dtype, std::span<const std::int64_t> sizes, std::string_view device) {
    std::vector<std::int64_t> strides(sizes.size());
    std::int64_t count = 1;
    for (std::size_t dimension = sizes.size(); dimension-- > 0;) {
        strides[dimension] = count;
        count *= std::max<std::int64_t>(sizes[dimension], 1);
    }
    std::int64_t elements = 1;
    for (const std::int64_t size : sizes) elements *= size;
    TensorMeta tensor;
    tensor.is_tensor = true;
    tensor.dtype = dtype;
    tensor.rank = static_cast<std::uint8_t>(sizes.size());
    tensor.first_dimension = dimensions(sizes, strides);
    tensor.device = intern(device);
    tensor.storage = next_storage_++;
    tensor.storage_bytes = elements * dtype_info(dtype).bytes;
    return tensor;
}

NodeId GraphBuilder::placeholder(std::string_view name, std::span<const TensorMeta> outputs) {
    NodeRecord record;
    record.name = intern(name);
    record.target = target(name);
    record.op = NodeOp::placeholder;
    record.has_outputs = !outputs.empty();
    return add(record, {}, outputs);
}

NodeId GraphBuilder::call(std::string_view name, std::string_view target_name, std::span<const Value> args,
                          std::span<const TensorMeta> outputs, NodeMetadata metadata) {
    NodeRecord record;
    record.name = intern(name);
    record.target = target(target_name);
    record.args = list(args);
    record.has_outputs = !outputs.empty();
    return add(record, metadata, outputs);
}

NodeId GraphBuilder::output(std::span<const Value> values) {
    NodeRecord record;
    record.name = intern("output");
    record.target = target("output");
    record.op = NodeOp::output;
    const Value returned = list(values);
    record.args = list(std::span(&returned, 1));
    return add(record);
}

NodeId GraphBuilder::find(std::string_view name) const {
    const StringId id = strings_->find(name);
    return id < by_name_.size() ? by_name_[id] : no_node;
}

void GraphBuilder::users_order(NodeId node, std::vector<NodeId> users) {
    users_orders_.emplace_back(node, std::move(users));
}

void GraphBuilder::check_output(const Graph& graph) {
    NodeId output = no_node;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) != NodeOp::output) continue;
        const std::string place = "node " + in_quotes(graph.name(node));
        if (output != no_node) throw InputError(place, "this is a second output node, and a graph has one");
        output = node;
        const std::span<const NodeId> users = graph.users(node);
        if (!users.empty()) {
            throw InputError(place, "node " + in_quotes(graph.name(users.front())) +
                                        " takes it as an input, and the output of a graph has no value");
        }
    }
}

void GraphBuilder::check_given_nodes(const Graph& graph) {
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const bool is_placeholder = graph.op(node) == NodeOp::placeholder;
        if (!is_placeholder && graph.op(node) != NodeOp::get_attr) continue;
        const std::span<const NodeId> inputs = graph.inputs(node);
        if (inputs.empty()) continue;
        throw InputError("node " + in_quotes(graph.name(node)),
                         "it takes node " + in_quotes(graph.name(inputs.front())) + " as an input, and a " +
                             (is_placeholder ? "placeholder" : "get_attr") + " has none");
    }
}

void GraphBuilder::put_users_in_given_orders(const std::vector<std::uint32_t>& offsets,
                                             std::vector<NodeId>& users) const {
    for (const auto& [node, order] : users_orders_) {
        const auto begin = users.begin() + offsets[node];
        const auto end = users.begin() + offsets[node + 1];
        std::vector<NodeId> sorted = order;  // users are in graph order so far
        std::sort(sorted.begin(), sorted.end());
        if (!std::equal(begin, end, sorted.begin(), sorted.end())) {
            throw InputError("node \"" + std::string(text(records_[node].name)) + "\", users_order",
                             "these are not exactly the nodes that use it");
        }
        std::copy(order.begin(), order.end(), begin);
    }
}

Graph GraphBuilder::finish(GraphHeader header) {
    Graph graph;
    graph.header_ = std::make_shared<const GraphHeader>(std::move(header));
    auto naming = std::make_shared<NamingState>();
    for (const NodeRecord& record : records_) naming->remember(*strings_, record.name);
    for (const auto& [base, number] : further_names_.last_number) naming->last_number[base] = number;
    naming->retired = std::move(further_names_.retired);
    graph.naming_ = naming;
    graph.strings_ = strings_;
    graph.module_stacks_ = stacks_;

    std::vector<std::uint32_t> input_offsets, user_offsets;
    std::vector<NodeId> inputs, users;
    collect_inputs(records_, values_, input_offsets, inputs);
    collect_users(input_offsets, inputs, user_offsets, users);
    put_users_in_given_orders(user_offsets, users);
    graph.input_offsets_ = SharedArray(std::move(input_offsets));
    graph.inputs_ = SharedArray(std::move(inputs));
    graph.user_offsets_ = SharedArray(std::move(user_offsets));
    graph.users_ = SharedArray(std::move(users));

    std::vector<std::uint32_t> target_by_name(strings_->size(), Graph::no_target);
    for (std::uint32_t target = 0; target < target_names_.size(); ++target) {
        target_by_name[target_names_[target]] = target;
    }
    graph.target_by_name_ = SharedArray(std::move(target_by_name));
    graph.target_names_ = SharedArray(std::move(target_names_));
    graph.target_infos_ = SharedArray(std::move(target_infos_));
    graph.records_ = SharedArray(std::move(records_));
    graph.metadata_ = SharedArena(std::move(metadata_));
    graph.metadata_of_ = SharedArray(std::move(metadata_of_));
    graph.custom_json_ = SharedArray(std::move(custom_json_));
    graph.extra_json_ = SharedArray(std::move(extra_json_));
    graph.custom_mentions_ = std::make_shared<TextMentions>(graph.custom_json_, graph.strings_);
    graph.extra_mentions_ = std::make_shared<TextMentions>(graph.extra_json_, graph.strings_);
    graph.values_ = SharedArena(std::move(values_));
    graph.tensors_ = SharedArena(std::move(tensors_));
    graph.dimensions_ = SharedArena(std::move(dimensions_));
    graph.by_name_ = SharedArray(std::move(by_name_));
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        for (const TensorMeta& tensor : graph.outputs(node)) {
            if (!tensor.is_tensor) continue;
            graph.next_storage_ = std::max(graph.next_storage_, tensor.storage + 1);
            if (graph.most_bytes_ <= total_bytes_limit) graph.most_bytes_ += counted_bytes(tensor, graph.shape(tensor));
        }
    }
    check_output(graph);
    check_given_nodes(graph);
    return graph;
}

}  // namespace overlap
