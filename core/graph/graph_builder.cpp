#include "core/graph/graph_builder.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/graph/graph_edges.h"

namespace overlap {

GraphBuilder::GraphBuilder()
    : strings_(std::make_shared<StringPool>()), stacks_(std::make_shared<Graph::ModuleStacks>()) {}

Value GraphBuilder::with_children(ValueKind kind, std::span<const Value> items) {
    Value value;
    value.kind = kind;
    value.count = static_cast<std::uint32_t>(items.size());
    value.first = static_cast<std::uint32_t>(graph_.values_.size());
    graph_.values_.insert(graph_.values_.end(), items.begin(), items.end());
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
    return {graph_.values_.data() + value.first, value.count};
}

std::uint32_t GraphBuilder::target(std::string_view target) {
    const StringId name = intern(target);
    const auto [entry, added] = targets_.emplace(name, static_cast<std::uint32_t>(graph_.target_names_.size()));
    if (added) {
        graph_.target_names_.push_back(name);
        graph_.target_infos_.push_back(describe_target(target));
    }
    return entry->second;
}

void GraphBuilder::describe_operator(std::string_view target_name, OperatorTraits traits, SideEffects side_effects) {
    TargetInfo& info = graph_.target_infos_[target(target_name)];
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
    const auto first = static_cast<std::uint32_t>(graph_.dimensions_.size());
    graph_.dimensions_.insert(graph_.dimensions_.end(), sizes.begin(), sizes.end());
    graph_.dimensions_.insert(graph_.dimensions_.end(), strides.begin(), strides.end());
    return first;
}

NodeId GraphBuilder::add(NodeRecord record, NodeMetadata metadata, std::span<const TensorMeta> outputs) {
    const NodeId node = node_count();
    if (find(strings_->text(record.name)) != no_node) {
        throw InputError("node " + std::to_string(node), "the name \"" + std::string(strings_->text(record.name)) +
                                                             "\" is used twice, and names must be unique");
    }
    record.first_output = static_cast<std::uint32_t>(graph_.tensors_.size());
    record.output_count = static_cast<std::uint32_t>(outputs.size());
    for (const TensorMeta& tensor : outputs) {
        graph_.tensors_.push_back(tensor);
        if (tensor.is_tensor) next_storage_ = std::max(next_storage_, tensor.storage + 1);
    }
    graph_.records_.push_back(record);
    graph_.metadata_.push_back(metadata);
    if (graph_.by_name_.size() <= record.name) graph_.by_name_.resize(record.name + 1024, no_node);
    graph_.by_name_[record.name] = node;
    return node;
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
    return id < graph_.by_name_.size() ? graph_.by_name_[id] : no_node;
}

void GraphBuilder::users_order(NodeId node, std::vector<NodeId> users) {
    users_orders_.emplace_back(node, std::move(users));
}

void GraphBuilder::check_output() const {
    NodeId output = no_node;
    for (NodeId node = 0; node < graph_.node_count(); ++node) {
        if (graph_.op(node) != NodeOp::output) continue;
        const std::string place = "node " + in_quotes(graph_.name(node));
        if (output != no_node) throw InputError(place, "this is a second output node, and a graph has one");
        output = node;
        const std::span<const NodeId> users = graph_.users(node);
        if (!users.empty()) {
            throw InputError(place, "node " + in_quotes(graph_.name(users.front())) +
                                        " takes it as an input, and the output of a graph has no value");
        }
    }
}

void GraphBuilder::check_given_nodes() const {
    for (NodeId node = 0; node < graph_.node_count(); ++node) {
        const bool is_placeholder = graph_.op(node) == NodeOp::placeholder;
        if (!is_placeholder && graph_.op(node) != NodeOp::get_attr) continue;
        const std::span<const NodeId> inputs = graph_.inputs(node);
        if (inputs.empty()) continue;
        throw InputError("node " + in_quotes(graph_.name(node)),
                         "it takes node " + in_quotes(graph_.name(inputs.front())) + " as an input, and a " +
                             (is_placeholder ? "placeholder" : "get_attr") + " has none");
    }
}

Graph GraphBuilder::finish(GraphHeader header) {
    graph_.header_ = std::make_shared<const GraphHeader>(std::move(header));
    auto naming = std::make_shared<NamingState>();
    for (const NodeRecord& record : graph_.records_) naming->remember(*strings_, record.name);
    for (const auto& [base, number] : further_names_.last_number) naming->last_number[base] = number;
    naming->retired = std::move(further_names_.retired);
    graph_.naming_ = naming;
    graph_.strings_ = strings_;
    graph_.module_stacks_ = stacks_;
    collect_inputs(graph_.records_, graph_.values_, graph_.input_offsets_, graph_.inputs_);
    collect_users(graph_.input_offsets_, graph_.inputs_, graph_.user_offsets_, graph_.users_);
    for (const auto& [node, order] : users_orders_) {
        const auto begin = graph_.users_.begin() + graph_.user_offsets_[node];
        const auto end = graph_.users_.begin() + graph_.user_offsets_[node + 1];
        std::vector<NodeId> sorted = order;  // users are in graph order so far
        std::sort(sorted.begin(), sorted.end());
        if (!std::equal(begin, end, sorted.begin(), sorted.end())) {
            throw InputError("node \"" + std::string(graph_.name(node)) + "\", users_order",
                             "these are not exactly the nodes that use it");
        }
        std::copy(order.begin(), order.end(), begin);
    }
    check_output();
    check_given_nodes();
    return std::move(graph_);
}

}  // namespace overlap
