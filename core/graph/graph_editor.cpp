#include "core/graph/graph_editor.h"

#include <algorithm>
#include <charconv>

#include "core/graph/graph_edges.h"

namespace overlap {

namespace {
/// Gap between labels of neighbours at first, and the most that an insertion takes of a gap: sequences of insertions at
/// one place, the passes' habit, use a gap up linearly instead of halving it each time.
constexpr std::uint64_t label_gap = std::uint64_t{1} << 32;
constexpr std::uint64_t label_step = std::uint64_t{1} << 14;
}  // namespace

GraphEditor::GraphEditor(std::shared_ptr<const Graph> source)
    : source_(std::move(source)),
      header_(source_->header_),
      strings_(std::make_shared<StringPool>(source_->strings_)),
      module_stacks_(source_->module_stacks_),
      target_names_(source_->target_names_),
      target_infos_(source_->target_infos_),
      records_(source_->records_),
      metadata_(source_->metadata_),
      values_(source_->values_),
      tensors_(source_->tensors_),
      dimensions_(source_->dimensions_),
      edge_input_(source_->inputs_),
      naming_(*source_->naming_) {
    const std::uint32_t count = source_->node_count();
    for (const TensorMeta& tensor : tensors_) {
        if (tensor.is_tensor) next_storage_ = std::max(next_storage_, tensor.storage + 1);
    }
    next_.resize(count);
    previous_.resize(count);
    label_.resize(count);
    for (NodeId node = 0; node < count; ++node) {
        next_[node] = node + 1 < count ? node + 1 : no_node;
        previous_[node] = node > 0 ? node - 1 : no_node;
        label_[node] = (std::uint64_t{node} + 1) * label_gap;
    }
    first_ = count > 0 ? 0 : no_node;
    last_ = count > 0 ? count - 1 : no_node;

    first_edge_.assign(source_->input_offsets_.begin(), source_->input_offsets_.end() - 1);
    edge_count_.resize(count);
    edge_user_.resize(edge_input_.size());
    edge_next_.assign(edge_input_.size(), no_edge);
    edge_previous_.assign(edge_input_.size(), no_edge);
    users_head_.assign(count, no_edge);
    users_tail_.assign(count, no_edge);
    user_count_.assign(count, 0);
    registered_.assign(count, 0);
    replacement_.assign(count, no_node);
    for (NodeId node = 0; node < count; ++node) {
        edge_count_[node] = source_->input_offsets_[node + 1] - source_->input_offsets_[node];
        for (std::uint32_t edge = first_edge_[node]; edge < first_edge_[node] + edge_count_[node]; ++edge) {
            edge_user_[edge] = node;
            append_user(edge_input_[edge], edge);
        }
    }
    for (NodeId node = 0; node < count; ++node) {
        if (!std::ranges::is_sorted(source_->users(node))) order_initial_users(node);
    }

    name_used_.resize(strings_->size() + 4096);
    for (const NodeRecord& record : records_) name_used_[record.name] = true;
    for (const StringId name : naming_.retired) name_used_[name] = true;
}

void GraphEditor::order_initial_users(NodeId node) {
    users_head_[node] = users_tail_[node] = no_edge;
    user_count_[node] = 0;
    for (const NodeId user : source_->users(node)) {
        for (std::uint32_t edge = first_edge_[user]; edge < first_edge_[user] + edge_count_[user]; ++edge) {
            if (edge_input_[edge] == node) append_user(node, edge);
        }
    }
}

void GraphEditor::move_before(NodeId node, NodeId target) {
    if (node == target) return;
    unlink(node);
    link_before(node, target);
}

void GraphEditor::move_after(NodeId node, NodeId target) {
    const NodeId behind = next_[target];
    if (behind == node) return;
    unlink(node);
    link_before(node, next_[target]);
}

void GraphEditor::link_before(NodeId node, NodeId target) {
    const NodeId before = target == no_node ? last_ : previous_[target];
    next_[node] = target;
    previous_[node] = before;
    (before == no_node ? first_ : next_[before]) = node;
    (target == no_node ? last_ : previous_[target]) = node;
    const std::uint64_t low = before == no_node ? 0 : label_[before];
    const std::uint64_t high = target == no_node ? low + 2 * label_gap : label_[target];
    if (high - low < 2 || high < low) {
        relabel();
    } else {
        label_[node] = low + std::min((high - low) / 2, label_step);
    }
}

void GraphEditor::unlink(NodeId node) {
    (previous_[node] == no_node ? first_ : next_[previous_[node]]) = next_[node];
    (next_[node] == no_node ? last_ : previous_[next_[node]]) = previous_[node];
}

void GraphEditor::relabel() {
    std::uint64_t label = 0;
    for (NodeId node = first_; node != no_node; node = next_[node]) label_[node] = label += label_gap;
}

void GraphEditor::set_order(std::span<const NodeId> order) {
    NodeId before = no_node;
    for (const NodeId node : order) {
        previous_[node] = before;
        (before == no_node ? first_ : next_[before]) = node;
        before = node;
    }
    last_ = before;
    if (before != no_node) next_[before] = no_node;
    relabel();
}

std::vector<NodeId> GraphEditor::order() const {
    std::vector<NodeId> nodes;
    nodes.reserve(records_.size());
    for (NodeId node = first_; node != no_node; node = next_[node]) nodes.push_back(node);
    return nodes;
}

std::span<const TensorMeta> GraphEditor::outputs(NodeId node) const {
    return {tensors_.data() + records_[node].first_output, records_[node].output_count};
}

std::span<TensorMeta> GraphEditor::mutable_outputs(NodeId node) {
    tensors_changed_ = true;
    return {tensors_.data() + records_[node].first_output, records_[node].output_count};
}

std::span<const std::int64_t> GraphEditor::shape(const TensorMeta& tensor) const {
    return {dimensions_.data() + tensor.first_dimension, tensor.rank};
}

std::span<const std::int64_t> GraphEditor::stride(const TensorMeta& tensor) const {
    return {dimensions_.data() + tensor.first_dimension + tensor.rank, tensor.rank};
}

std::int64_t GraphEditor::element_count(const TensorMeta& tensor) const {
    std::int64_t count = 1;
    for (const std::int64_t size : shape(tensor)) count *= size;
    return count;
}

std::span<const Value> GraphEditor::children(const Value& value) const {
    if (!value.has_children()) return {};
    return {values_.data() + value.first, value.count};
}

const Value* GraphEditor::argument(NodeId node, std::size_t index) const {
    const std::span<const Value> args = children(records_[node].args);
    return index < args.size() ? &args[index] : nullptr;
}

const Value* GraphEditor::keyword(NodeId node, std::string_view key) const {
    const std::span<const Value> kwargs = children(records_[node].kwargs);
    for (std::size_t index = 0; index + 1 < kwargs.size(); index += 2) {
        if (text(kwargs[index].string) == key) return &kwargs[index + 1];
    }
    return nullptr;
}

NodeId GraphEditor::current(NodeId node) const {
    while (node != no_node && replacement_[node] != no_node) node = replacement_[node];
    return node;
}

NodeId GraphEditor::node_argument(NodeId node, std::size_t index) const {
    const Value* value = argument(node, index);
    return value && value->is(ValueKind::node) ? current(value->node) : no_node;
}

std::span<const NodeId> GraphEditor::inputs(NodeId node) const {
    return {edge_input_.data() + first_edge_[node], edge_count_[node]};
}

std::vector<NodeId> GraphEditor::users(NodeId node) const {
    std::vector<NodeId> users;
    users.reserve(user_count_[node]);
    for_each_user(node, [&](NodeId user) { users.push_back(user); });
    std::ranges::stable_sort(users, {}, [&](NodeId user) { return registered_[user]; });
    return users;
}

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
    if (target_by_name_.empty()) {
        target_by_name_.reserve(target_names_.size());
        for (std::uint32_t index = 0; index < target_names_.size(); ++index) {
            target_by_name_.emplace(target_names_[index], index);
        }
    }
    const StringId name = intern(target);
    const auto [entry, is_new] = target_by_name_.emplace(name, static_cast<std::uint32_t>(target_names_.size()));
    if (is_new) {
        target_names_.push_back(name);
        target_infos_.push_back(describe_target(target));
    }
    return entry->second;
}

Value GraphEditor::list(std::span<const Value> items) {
    Value value;
    value.kind = ValueKind::list;
    value.count = static_cast<std::uint32_t>(items.size());
    value.first = static_cast<std::uint32_t>(values_.size());
    values_.insert(values_.end(), items.begin(), items.end());
    return value;
}

Value GraphEditor::dictionary(std::span<const Value> keys_and_values) {
    Value value = list(keys_and_values);
    value.kind = ValueKind::dictionary;
    return value;
}

std::uint32_t GraphEditor::dimensions(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides) {
    const auto first = static_cast<std::uint32_t>(dimensions_.size());
    dimensions_.insert(dimensions_.end(), sizes.begin(), sizes.end());
    dimensions_.insert(dimensions_.end(), strides.begin(), strides.end());
    return first;
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
    record.first_output = static_cast<std::uint32_t>(tensors_.size());
    record.output_count = static_cast<std::uint32_t>(node.outputs.size());
    tensors_.insert(tensors_.end(), node.outputs.begin(), node.outputs.end());
    records_.push_back(record);
    metadata_.push_back(node.metadata ? *node.metadata : NodeMetadata{});
    next_.push_back(no_node);
    previous_.push_back(no_node);
    label_.push_back(0);
    users_head_.push_back(no_edge);
    users_tail_.push_back(no_edge);
    user_count_.push_back(0);
    registered_.push_back(0);
    replacement_.push_back(no_node);
    first_edge_.push_back(0);
    edge_count_.push_back(0);
    link_before(made, before);
    attach_inputs(made);
    return made;
}

void GraphEditor::attach_inputs(NodeId node) {
    first_edge_[node] = static_cast<std::uint32_t>(edge_input_.size());
    const auto add = [&](NodeId mentioned) {
        const NodeId input = current(mentioned);
        if (std::find(edge_input_.begin() + first_edge_[node], edge_input_.end(), input) != edge_input_.end()) return;
        edge_input_.push_back(input);
        edge_user_.push_back(node);
        edge_next_.push_back(no_edge);
        edge_previous_.push_back(no_edge);
        append_user(input, static_cast<std::uint32_t>(edge_input_.size() - 1));
    };
    for_each_node(values_, records_[node].args, add);
    for_each_node(values_, records_[node].kwargs, add);
    edge_count_[node] = static_cast<std::uint32_t>(edge_input_.size()) - first_edge_[node];
    registered_[node] = ++clock_;
}

void GraphEditor::detach_inputs(NodeId node) {
    for (std::uint32_t edge = first_edge_[node]; edge < first_edge_[node] + edge_count_[node]; ++edge)
        remove_user(edge);
    edge_count_[node] = 0;
}

void GraphEditor::append_user(NodeId input, std::uint32_t edge) {
    edge_previous_[edge] = users_tail_[input];
    edge_next_[edge] = no_edge;
    (users_tail_[input] == no_edge ? users_head_[input] : edge_next_[users_tail_[input]]) = edge;
    users_tail_[input] = edge;
    ++user_count_[input];
}

void GraphEditor::remove_user(std::uint32_t edge) {
    const NodeId input = edge_input_[edge];
    const std::uint32_t before = edge_previous_[edge], behind = edge_next_[edge];
    (before == no_edge ? users_head_[input] : edge_next_[before]) = behind;
    (behind == no_edge ? users_tail_[input] : edge_previous_[behind]) = before;
    --user_count_[input];
}

/// Whether `user` has that input. Inputs and users say the same: the shorter list answers, since the output of a graph
/// has as many inputs as there are parameters.
bool GraphEditor::takes(NodeId user, NodeId input) const {
    std::uint32_t edge = users_head_[input];
    for (const NodeId known : inputs(user)) {
        if (known == input) return true;
        if (edge == no_edge) return false;
        if (edge_user_[edge] == user) return true;
        edge = edge_next_[edge];
    }
    return false;
}

void GraphEditor::replace_all_uses(NodeId old, NodeId replacement) {
    std::vector<std::uint32_t> edges;
    for (std::uint32_t edge = users_head_[old]; edge != no_edge; edge = edge_next_[edge]) edges.push_back(edge);
    std::ranges::stable_sort(edges, {}, [&](std::uint32_t edge) { return registered_[edge_user_[edge]]; });
    // From here on a mention of `old` in an argument means the replacement.
    replacement_[old] = replacement;
    for (const std::uint32_t edge : edges) {
        const NodeId user = edge_user_[edge];
        if (takes(user, replacement)) {
            // Two inputs become one: their order of first appearance has to be found again.
            detach_inputs(user);
            attach_inputs(user);
            continue;
        }
        remove_user(edge);
        edge_input_[edge] = replacement;
        append_user(replacement, edge);
        registered_[user] = ++clock_;
    }
}

void GraphEditor::set_arguments(NodeId node, Value args, Value kwargs) {
    detach_inputs(node);
    records_[node].args = args;
    records_[node].kwargs = kwargs;
    attach_inputs(node);
}

void GraphEditor::replace_input(NodeId node, NodeId old, NodeId replacement) {
    const auto map = [&](NodeId input) { return input == old ? replacement : input; };
    const Value args = mapped(records_[node].args, map), kwargs = mapped(records_[node].kwargs, map);
    set_arguments(node, args, kwargs);
}

bool GraphEditor::rename(NodeId node, std::string_view name) {
    const StringId wanted = intern(name);
    if (wanted < name_used_.size() && name_used_[wanted]) {
        // Perhaps of an erased node only: those can be given in this way.
        for (NodeId other = first_; other != no_node; other = next_[other]) {
            if (other != node && records_[other].name == wanted) return false;
        }
    }
    naming_.retired.push_back(records_[node].name);
    records_[node].name = wanted;
    mark_used(wanted);
    return true;
}

void GraphEditor::propose_name(NodeId node, std::string_view candidate) {
    if (candidate == name(node)) return;
    naming_.retired.push_back(records_[node].name);
    const NameParts parts = split_name(candidate);
    records_[node].name = unique_name(parts.base, parts.number);
}

void GraphEditor::erase(NodeId node) {
    detach_inputs(node);
    unlink(node);
    label_[node] = 0;
    naming_.retired.push_back(records_[node].name);
}

StringId GraphEditor::unique_name(std::string_view base, std::int64_t number) {
    char buffer[256];
    const std::size_t base_length = std::min(base.size(), sizeof buffer - 24);
    std::copy_n(base.data(), base_length, buffer);
    buffer[base_length] = '_';
    const auto numbered = [&](std::int64_t value) {
        const auto written = std::to_chars(buffer + base_length + 1, buffer + sizeof buffer, value);
        return std::string_view(buffer, static_cast<std::size_t>(written.ptr - buffer));
    };
    const auto is_used = [&](StringId id) { return id < name_used_.size() && name_used_[id]; };
    std::int64_t& last = naming_.last_number[intern(base)];
    StringId name = no_string;
    if (number < 0) {
        number = last;
        name = intern(base);
    } else {
        name = intern(numbered(number));
        if (is_used(name)) number = last;
    }
    while (is_used(name)) name = intern(numbered(++number));
    last = number;
    mark_used(name);
    return name;
}

void GraphEditor::mark_used(StringId name) {
    if (name >= name_used_.size()) name_used_.resize(name + 4096);
    name_used_[name] = true;
}

}  // namespace overlap
