// New nodes of an edited graph, and what they are made of.

#include <algorithm>

#include "core/graph/editing/graph_editor.h"

namespace overlap {

ModuleStackId GraphEditor::module_stack(std::span<const ModuleStackEntry> entries) {
    const auto equal = [](const ModuleStackEntry& left, const ModuleStackEntry& right) {
        return left.path == right.path && left.class_name == right.class_name;
    };
    const auto count = static_cast<ModuleStackId>(module_stacks_->offsets.size() - 1);
    for (ModuleStackId stack = 0; stack < count; ++stack) {
        const std::span<const ModuleStackEntry> known(
            module_stacks_->entries.data() + module_stacks_->offsets[stack],
            module_stacks_->entries.data() + module_stacks_->offsets[stack + 1]);
        if (std::ranges::equal(known, entries, equal)) return stack;
    }
    auto stacks = std::make_shared<Graph::ModuleStacks>(*module_stacks_);
    stacks->entries.insert(stacks->entries.end(), entries.begin(), entries.end());
    stacks->offsets.push_back(static_cast<std::uint32_t>(stacks->entries.size()));
    module_stacks_ = std::move(stacks);
    return count;
}

std::uint32_t GraphEditor::target_index(std::string_view target) {
    const StringId name = intern(target);
    const SharedArray<std::uint32_t>& shared = source_->target_by_name_;
    const std::span<const std::uint32_t> known =
        target_by_name_.empty() ? std::span<const std::uint32_t>(shared) : target_by_name_;
    if (name < known.size() && known[name] != Graph::no_target) return known[name];
    if (target_by_name_.empty()) target_by_name_.assign(shared.begin(), shared.end());
    if (name >= target_by_name_.size()) target_by_name_.resize(name + 64, Graph::no_target);
    const auto index = static_cast<std::uint32_t>(target_names_.size());
    target_by_name_[name] = index;
    target_names_.push_back(name);
    target_infos_.push_back(describe_target(target));
    return index;
}

Value GraphEditor::list(std::span<const Value> items) {
    Value value;
    value.kind = ValueKind::list;
    value.count = static_cast<std::uint32_t>(items.size());
    value.first = static_cast<std::uint32_t>(values_.add(items));
    return value;
}

Value GraphEditor::dictionary(std::span<const Value> keys_and_values) {
    Value value = list(keys_and_values);
    value.kind = ValueKind::dictionary;
    return value;
}

std::uint32_t GraphEditor::dimensions(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides) {
    const std::size_t first = dimensions_.add(sizes);
    dimensions_.add(strides);
    return static_cast<std::uint32_t>(first);
}

NodeId GraphEditor::create(const NewNode& node, NodeId before) {
    const NodeId made = number_count();
    NodeRecord record;
    record.name = unique_name(node.base_name, node.number);
    record.target = node.target;
    record.op = node.op;
    record.multi = node.multi;
    record.has_outputs = !node.outputs.empty();
    record.args = node.args;
    record.kwargs = node.kwargs;
    record.first_output = static_cast<std::uint32_t>(tensors_.add(node.outputs));
    record.output_count = static_cast<std::uint32_t>(node.outputs.size());
    records_.push_back(record);
    add_metadata(node.metadata ? *node.metadata : NodeMetadata{});
    next_.push_back(no_node);
    previous_.push_back(no_node);
    label_.push_back(0);
    lists_users_.push_back(1);
    user_list_.push_back({no_edge, no_edge, 0});
    registered_.push_back(0);
    replacement_.push_back(no_node);
    first_edge_.push_back(0);
    edge_count_.push_back(0);
    link_before(made, before);
    attach_inputs(made);
    return made;
}

void GraphEditor::add_metadata(const NodeMetadata& metadata) {
    custom_json_.push_back(metadata.custom_json);
    extra_json_.push_back(metadata.extra_json);
    NodeMetadata rest = metadata;
    rest.custom_json = rest.extra_json = empty_string;
    // What is made one after the other often says the same.
    const bool is_last = metadata_.size() > 0 && metadata_[metadata_.size() - 1] == rest;
    metadata_of_.push_back(static_cast<std::uint32_t>(is_last ? metadata_.size() - 1 : metadata_.add({&rest, 1})));
}

}  // namespace overlap
