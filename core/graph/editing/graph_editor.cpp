#include "core/graph/editing/graph_editor.h"

#include <algorithm>

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
      metadata_of_(source_->metadata_of_),
      custom_json_(source_->custom_json_),
      extra_json_(source_->extra_json_),
      values_(source_->values_),
      tensors_(source_->tensors_),
      dimensions_(source_->dimensions_),
      next_storage_(source_->next_storage_) {
    const std::uint32_t count = source_->node_count();
    const std::size_t nodes = count + count / 2 + 64;  // with room for new ones
    next_.reserve(nodes);
    next_.resize(count);
    previous_.reserve(nodes);
    previous_.resize(count);
    label_.reserve(nodes);
    label_.resize(count);
    for (NodeId node = 0; node < count; ++node) {
        next_[node] = node + 1;
        previous_[node] = node - 1;  // of the first: no_node
        label_[node] = (std::uint64_t{node} + 1) * label_gap;
    }
    if (count > 0) next_.back() = no_node;
    first_ = count > 0 ? 0 : no_node;
    last_ = count > 0 ? count - 1 : no_node;

    const std::size_t edges = source_->inputs_.size(), more_edges = edges + edges / 2 + 64;
    edge_input_.reserve(more_edges);
    edge_input_.assign(source_->inputs_.begin(), source_->inputs_.end());
    edges_.reserve(more_edges);
    edges_.resize(edges);
    first_edge_.reserve(nodes);
    first_edge_.assign(source_->input_offsets_.begin(), source_->input_offsets_.end() - 1);
    edge_count_.reserve(nodes);
    edge_count_.resize(count);
    for (NodeId node = 0; node < count; ++node) {
        edge_count_[node] = source_->input_offsets_[node + 1] - source_->input_offsets_[node];
    }
    lists_users_.reserve(nodes);
    lists_users_.resize(count);
    user_list_.reserve(nodes);
    user_list_.resize(count);
    registered_.reserve(nodes);
    registered_.resize(count);
    replacement_.reserve(nodes);
    replacement_.resize(count, no_node);
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
    link_before(node, next_[target], true);
}

/// @param stays_behind whether more may be put behind the node before `target`, in front of this one.
void GraphEditor::link_before(NodeId node, NodeId target, bool stays_behind) {
    const NodeId before = target == no_node ? last_ : previous_[target];
    next_[node] = target;
    previous_[node] = before;
    (before == no_node ? first_ : next_[before]) = node;
    (target == no_node ? last_ : previous_[target]) = node;
    const std::uint64_t low = before == no_node ? 0 : label_[before];
    const std::uint64_t high = target == no_node ? low + 2 * label_gap : label_[target];
    if (high - low < 2 || high < low) {
        relabel();
        return;
    }
    const std::uint64_t half = (high - low) / 2;
    if (!stays_behind) {
        label_[node] = low + std::min(half, label_step);
    } else if (high - low >= label_gap) {
        label_[node] = low + half;  // it is not known yet whether others follow it, or come in front of it
    } else {
        label_[node] = before == last_moved_ ? low + std::min(half, label_step) : high - std::min(half, label_step);
    }
    last_moved_ = node;
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
    std::uint64_t label = 0;
    for (const NodeId node : order) {
        previous_[node] = before;
        (before == no_node ? first_ : next_[before]) = node;
        label_[node] = label += label_gap;
        before = node;
    }
    last_ = before;
    if (before != no_node) next_[before] = no_node;
}

std::vector<NodeId> GraphEditor::order() const {
    std::vector<NodeId> nodes;
    nodes.reserve(records_.size());
    for (NodeId node = first_; node != no_node; node = next_[node]) nodes.push_back(node);
    return nodes;
}

std::span<TensorMeta> GraphEditor::mutable_outputs(NodeId node) {
    const NodeRecord record = records_[node];
    if (record.output_count == 0) return {};
    std::size_t first = record.first_output;
    if (!tensors_.is_new(first)) {
        first = tensors_.add(outputs(node));
        records_.write(node).first_output = static_cast<std::uint32_t>(first);
    }
    return tensors_.write(first, record.output_count);
}

void GraphEditor::set_metadata(NodeId node, const NodeMetadata& metadata) {
    if (custom_json_[node] != metadata.custom_json) custom_json_.write(node) = metadata.custom_json;
    if (extra_json_[node] != metadata.extra_json) extra_json_.write(node) = metadata.extra_json;
    NodeMetadata rest = metadata;
    rest.custom_json = rest.extra_json = empty_string;
    if (rest == metadata_[metadata_of_[node]]) return;
    metadata_of_.write(node) = static_cast<std::uint32_t>(metadata_.add({&rest, 1}));
}

void GraphEditor::set_estimate(NodeId node, std::optional<double> milliseconds) {
    NodeMetadata changed = metadata(node);
    if (changed.estimate_ms == milliseconds) return;
    changed.estimate_ms = milliseconds;
    set_metadata(node, changed);
}

std::int64_t GraphEditor::element_count(const TensorMeta& tensor) const {
    std::int64_t count = 1;
    for (const std::int64_t size : shape(tensor)) count *= size;
    return count;
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

NodeId GraphEditor::node_argument(NodeId node, std::size_t index) const {
    const Value* value = argument(node, index);
    return value && value->is(ValueKind::node) ? current(value->node) : no_node;
}

std::vector<NodeId> GraphEditor::users(NodeId node) const {
    std::vector<NodeId> users;
    users.reserve(user_count(node));
    bool registered_again = false;
    for_each_user(node, [&](NodeId user) {
        users.push_back(user);
        registered_again |= registered_[user] != 0;
    });
    if (registered_again) std::ranges::stable_sort(users, {}, [&](NodeId user) { return registered_[user]; });
    return users;
}

void GraphEditor::attach_inputs(NodeId node) {
    edges_changed_ = true;
    first_edge_[node] = static_cast<std::uint32_t>(edge_input_.size());
    const auto add = [&](NodeId mentioned) {
        const NodeId input = current(mentioned);
        if (std::find(edge_input_.begin() + first_edge_[node], edge_input_.end(), input) != edge_input_.end()) return;
        edge_input_.push_back(input);
        edges_.push_back({node, no_edge, no_edge});
        append_user(input, static_cast<std::uint32_t>(edge_input_.size() - 1));
    };
    for_each_node(values_, records_[node].args, add);
    for_each_node(values_, records_[node].kwargs, add);
    edge_count_[node] = static_cast<std::uint32_t>(edge_input_.size()) - first_edge_[node];
    registered_[node] = ++clock_;
}

void GraphEditor::detach_inputs(NodeId node) {
    edges_changed_ = true;
    for (std::uint32_t edge = first_edge_[node]; edge < first_edge_[node] + edge_count_[node]; ++edge)
        remove_user(edge);
    edge_count_[node] = 0;
}

/// The edge by which a node of the source uses another one there.
std::uint32_t GraphEditor::source_edge(NodeId user, NodeId input) {
    constexpr std::size_t few = 32;
    const std::span<const NodeId> inputs = source_->inputs(user);
    const std::uint32_t first = source_->input_offsets_[user];
    if (inputs.size() <= few)
        return first + static_cast<std::uint32_t>(std::ranges::find(inputs, input) - inputs.begin());
    const auto [known, is_new] = edges_of_wide_.try_emplace(user);
    auto& edges = known->second;
    if (is_new) {
        edges.reserve(inputs.size());
        for (std::uint32_t index = 0; index < inputs.size(); ++index) edges.emplace_back(inputs[index], first + index);
        std::ranges::sort(edges);
    }
    return std::ranges::lower_bound(edges, std::pair(input, std::uint32_t{0}))->second;
}

/// Makes a list of a node's users, which can be changed, of those that it has in the source.
void GraphEditor::list_users(NodeId node) {
    if (lists_users_[node] != 0) return;
    lists_users_[node] = 1;
    user_list_[node] = {no_edge, no_edge, 0};
    for (const NodeId user : source_->users(node)) {
        const std::uint32_t edge = source_edge(user, node);
        edges_[edge].user = user;
        append_user(node, edge);
    }
}

void GraphEditor::append_user(NodeId input, std::uint32_t edge) {
    list_users(input);
    UserList& list = user_list_[input];
    edges_[edge].previous = list.tail;
    edges_[edge].next = no_edge;
    (list.tail == no_edge ? list.head : edges_[list.tail].next) = edge;
    list.tail = edge;
    ++list.count;
}

void GraphEditor::remove_user(std::uint32_t edge) {
    const NodeId input = edge_input_[edge];
    list_users(input);
    UserList& list = user_list_[input];
    const std::uint32_t before = edges_[edge].previous, behind = edges_[edge].next;
    (before == no_edge ? list.head : edges_[before].next) = behind;
    (behind == no_edge ? list.tail : edges_[behind].previous) = before;
    --list.count;
}

/// Whether `user` has that input. Inputs and users say the same: the shorter list answers, since the output of a graph
/// has as many inputs as there are parameters.
bool GraphEditor::takes(NodeId user, NodeId input) const {
    const std::span<const NodeId> known = inputs(user);
    if (known.size() <= user_count(input)) return std::ranges::find(known, input) != known.end();
    bool found = false;
    for_each_user(input, [&](NodeId other) { found |= other == user; });
    return found;
}

void GraphEditor::replace_all_uses(NodeId old, NodeId replacement) {
    list_users(old);
    std::vector<std::uint32_t> edges;
    for (std::uint32_t edge = user_list_[old].head; edge != no_edge; edge = edges_[edge].next) edges.push_back(edge);
    std::ranges::stable_sort(edges, {}, [&](std::uint32_t edge) { return registered_[edges_[edge].user]; });
    // From here on a mention of `old` in an argument means the replacement.
    replacement_[old] = replacement;
    replaced_ = edges_changed_ = true;
    for (const std::uint32_t edge : edges) {
        const NodeId user = edges_[edge].user;
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
    NodeRecord& record = records_.write(node);
    record.args = args;
    record.kwargs = kwargs;
    const std::span<const NodeId> known = inputs(node);
    std::size_t seen = 0;  // of the known inputs, in order of first appearance
    bool same = true;
    const auto look = [&](NodeId mentioned) {
        const NodeId input = current(mentioned);
        if (seen < known.size() && known[seen] == input) {
            ++seen;
        } else {
            const std::span<const NodeId> before = known.first(seen);
            same = same && std::ranges::find(before, input) != before.end();
        }
    };
    for_each_node(values_, args, look);
    for_each_node(values_, kwargs, look);
    if (same && seen == known.size()) {
        // Where a user stands in the lists of its inputs does not matter once it has a time of registration.
        registered_[node] = ++clock_;
        return;
    }
    detach_inputs(node);
    attach_inputs(node);
}

void GraphEditor::replace_input(NodeId node, NodeId old, NodeId replacement) {
    const auto map = [&](NodeId input) { return input == old ? replacement : input; };
    Value args = records_[node].args, kwargs = records_[node].kwargs;
    // An output returns all gradients, and many of them are replaced one by one: the list that it got for the first of
    // them is its own.
    const bool has_own_lists = op(node) == NodeOp::output && args.count == 1 && kwargs.count == 0 &&
                               values_.is_new(args.first) && values_[args.first].is(ValueKind::list) &&
                               values_.is_new(values_[args.first].first);
    const Value returned = has_own_lists ? values_[args.first] : Value();
    const auto is_nested = [](const Value& value) { return value.has_children(); };
    if (has_own_lists && std::ranges::none_of(children(returned), is_nested)) {
        for (Value& value : values_.write(returned.first, returned.count)) {
            if (value.is(ValueKind::node) && current(value.node) == old) value.node = replacement;
        }
    } else {
        args = mapped(args, map);
        kwargs = mapped(kwargs, map);
    }
    const std::span<const NodeId> known = inputs(node);
    const auto edge = std::ranges::find(known, old);
    if (edge == known.end() || old == replacement || takes(node, replacement)) return set_arguments(node, args, kwargs);
    // The new input first appears where the former one did.
    NodeRecord& record = records_.write(node);
    record.args = args;
    record.kwargs = kwargs;
    edges_changed_ = true;
    const std::uint32_t place = first_edge_[node] + static_cast<std::uint32_t>(edge - known.begin());
    remove_user(place);
    edge_input_[place] = replacement;
    edges_[place].user = node;
    append_user(replacement, place);
    registered_[node] = ++clock_;
}

void GraphEditor::erase(NodeId node) {
    detach_inputs(node);
    unlink(node);
    label_[node] = 0;
    own_naming().retired.push_back(records_[node].name);
}

}  // namespace overlap
