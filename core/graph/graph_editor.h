#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/naming.h"

namespace overlap {

/// A graph under rewriting, with the semantics of torch.fx that its passes can observe: a linked list of nodes, inputs
/// in order of first appearance, users in order of registration, names that are never given twice.
///
/// Nodes of the source keep their numbers; new ones follow. Order is a linked list with labels, so "does a come before
/// b" is one comparison. The order of users is kept by time stamps: torch.fx re-registers a user with all of its inputs
/// when one of them is replaced, so the users of a node are those never re-registered, in their first order, then the
/// others by time.
class GraphEditor {
  public:
    explicit GraphEditor(std::shared_ptr<const Graph> source);

    const Graph& source() const { return *source_; }
    std::uint32_t source_count() const { return source_->node_count(); }
    /// Nodes made so far, erased ones included: numbers are below this.
    std::uint32_t number_count() const { return static_cast<std::uint32_t>(records_.size()); }
    bool is_new(NodeId node) const { return node >= source_count(); }
    bool is_erased(NodeId node) const { return label_[node] == 0; }

    // Order. no_node means "none" at both ends.
    NodeId first() const { return first_; }
    NodeId last() const { return last_; }
    NodeId next(NodeId node) const { return next_[node]; }
    NodeId previous(NodeId node) const { return previous_[node]; }
    bool is_before(NodeId left, NodeId right) const { return label_[left] < label_[right]; }
    /// fx `target.prepend(node)`; nothing happens when both are the same.
    void move_before(NodeId node, NodeId target);
    /// fx `target.append(node)`.
    void move_after(NodeId node, NodeId target);
    /// Numbers of all nodes in order.
    std::vector<NodeId> order() const;
    /// Puts all nodes into this order at once, in linear time.
    /// @pre `order` holds every node that is not erased exactly once.
    void set_order(std::span<const NodeId> order);

    // Nodes.
    const NodeRecord& record(NodeId node) const { return records_[node]; }
    const NodeMetadata& metadata(NodeId node) const { return metadata_[node]; }
    NodeMetadata& metadata(NodeId node) { return metadata_[node]; }
    NodeOp op(NodeId node) const { return records_[node].op; }
    const TargetInfo& target_info(NodeId node) const { return target_infos_[records_[node].target]; }
    std::string_view target(NodeId node) const { return text(target_names_[records_[node].target]); }
    std::string_view name(NodeId node) const { return text(records_[node].name); }
    std::string_view text(StringId id) const { return strings_->text(id); }
    std::span<const TensorMeta> outputs(NodeId node) const;
    std::span<TensorMeta> mutable_outputs(NodeId node);
    std::span<const std::int64_t> shape(const TensorMeta& tensor) const;
    std::span<const std::int64_t> stride(const TensorMeta& tensor) const;
    std::int64_t element_count(const TensorMeta& tensor) const;

    /// Positional argument `index`, or nullptr. A node value may be outdated: resolve it with current().
    const Value* argument(NodeId node, std::size_t index) const;
    const Value* keyword(NodeId node, std::string_view key) const;
    std::span<const Value> children(const Value& value) const;
    /// The node that a node value refers to after all replacements.
    NodeId current(NodeId node) const;
    /// The argument if it is a node, after replacements; else no_node.
    NodeId node_argument(NodeId node, std::size_t index) const;

    /// Distinct inputs in order of first appearance. Valid until the next change.
    std::span<const NodeId> inputs(NodeId node) const;
    std::uint32_t user_count(NodeId node) const { return user_count_[node]; }
    /// Users in registration order.
    std::vector<NodeId> users(NodeId node) const;
    /// Calls visit(user) for each user, in no particular order.
    template <typename Visit>
    void for_each_user(NodeId node, Visit&& visit) const {
        for (std::uint32_t edge = users_head_[node]; edge != no_edge; edge = edge_next_[edge]) visit(edge_user_[edge]);
    }

    // Changes.
    StringId intern(std::string_view text) { return strings_->intern(text); }
    /// Number of a module stack, outermost first, for NodeMetadata; equal stacks have equal numbers.
    ModuleStackId module_stack(std::span<const ModuleStackEntry> entries);
    std::uint32_t target_index(std::string_view target);
    Value list(std::span<const Value> items);
    Value dictionary(std::span<const Value> keys_and_values);
    /// Appends sizes and strides; returns TensorMeta::first_dimension.
    std::uint32_t dimensions(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides);
    std::uint32_t new_storage() { return next_storage_++; }

    struct NewNode {
        std::string_view base_name;  ///< proposed name: base, and a number unless it is -1
        std::int64_t number = -1;
        std::uint32_t target = 0;
        Value args;
        Value kwargs;
        std::span<const TensorMeta> outputs;
        bool multi = false;
        const NodeMetadata* metadata = nullptr;
        NodeOp op = NodeOp::call_function;
    };
    /// Makes a node before `before`.
    NodeId create(const NewNode& node, NodeId before);
    /// fx `old.replace_all_uses_with(replacement)`; users re-register with all their inputs.
    void replace_all_uses(NodeId old, NodeId replacement);
    /// fx `node.target = ...`; nothing else of the node changes.
    void set_target(NodeId node, std::uint32_t target) { records_[node].target = target; }
    /// The header of the finished graph; without this, that of its source.
    void set_header(GraphHeader header) { header_ = std::make_shared<const GraphHeader>(std::move(header)); }
    /// Replaces args and kwargs of a node.
    void set_arguments(NodeId node, Value args, Value kwargs);
    /// Replaces args by ones that differ in numbers alone, so that the node does not register again.
    /// @pre `args` mentions the nodes that the former ones do, in the same order.
    void set_sizes(NodeId node, Value args) { records_[node].args = args; }
    /// fx `map_arg`: `value` with map(node) in place of each node in it. Lists in which something changes are made
    /// anew, since nodes may share them.
    template <typename Map>
    Value mapped(const Value& value, const Map& map);
    /// fx `node.replace_input_with(old, replacement)`: the node re-registers with all its inputs.
    void replace_input(NodeId node, NodeId old, NodeId replacement);
    /// Gives `node` the name of another one, which has been erased (fx `node.name = ...`).
    void take_name(NodeId node, NodeId erased) { records_[node].name = records_[erased].name; }
    /// fx `node.name = ...`: exactly this name; the earlier one is not given again.
    /// @returns false, and does nothing, where another node has the name.
    bool rename(NodeId node, std::string_view name);
    /// fx `node._rename(candidate)`: this name, or the next one like it that is free; the earlier one stays taken.
    void propose_name(NodeId node, std::string_view candidate);
    /// The users of every node of the finished graph will be in the order of the nodes, whenever they registered.
    void put_users_in_order() { users_in_order_ = true; }
    /// @pre `node` has no users.
    void erase(NodeId node);

    /// Whether all inputs of all nodes precede them.
    bool is_topological() const;

    /// The graph, and for each of its nodes its number here if it is the source's, else no_node.
    /// @throws InputError where new nodes bring the tensors of the graph beyond total_bytes_limit, or a tensor beyond
    /// what memory_reach() measures: a document may not have that.
    std::shared_ptr<const Graph> finish(std::vector<NodeId>& origin);

    /// A copy of a graph that differs in the unknown fields of its nodes alone: much cheaper than an editor.
    /// @param strings those of the graph and of the fields.
    /// @param extra_json for each node.
    static std::shared_ptr<const Graph> with_extra_json(const Graph& graph, std::shared_ptr<const StringPool> strings,
                                                        std::span<const StringId> extra_json);

    /// What a node returns, for with_outputs().
    struct GivenTensor {
        NodeId node = no_node;
        Dtype dtype{};
        std::vector<std::int64_t> sizes, strides;
        StringId device = empty_string;
        std::uint32_t storage = 0;
        std::int64_t storage_bytes = 0;
    };
    /// A copy of a graph in which nodes that return nothing return tensors: for figures, no pass makes such.
    /// @param tensors those of a node one after the other.
    static Graph with_outputs(const Graph& graph, std::span<const GivenTensor> tensors);

  private:
    static constexpr std::uint32_t no_edge = 0xffffffffu;

    void link_before(NodeId node, NodeId target);
    void unlink(NodeId node);
    void relabel();
    void attach_inputs(NodeId node);
    bool takes(NodeId user, NodeId input) const;
    void detach_inputs(NodeId node);
    void append_user(NodeId input, std::uint32_t edge);
    void remove_user(std::uint32_t edge);
    void order_initial_users(NodeId node);
    void check_tensors(std::span<const NodeId> nodes) const;
    StringId unique_name(std::string_view base, std::int64_t number);
    void add_users(Graph& graph, std::span<const NodeId> nodes, std::span<const NodeId> position) const;
    void mark_used(StringId name);

    std::shared_ptr<const Graph> source_;
    std::shared_ptr<const GraphHeader> header_;
    std::shared_ptr<StringPool> strings_;
    std::shared_ptr<const Graph::ModuleStacks> module_stacks_;
    std::vector<StringId> target_names_;
    std::vector<TargetInfo> target_infos_;
    std::unordered_map<StringId, std::uint32_t> target_by_name_;  ///< empty until a target is looked up
    std::vector<NodeRecord> records_;
    std::vector<NodeMetadata> metadata_;
    ValueArena values_;
    std::vector<TensorMeta> tensors_;
    std::vector<std::int64_t> dimensions_;
    std::uint32_t next_storage_ = 0;

    NodeId first_ = no_node, last_ = no_node;
    std::vector<NodeId> next_, previous_;
    std::vector<std::uint64_t> label_;  ///< ascending along the list; 0: erased

    std::vector<NodeId> edge_input_, edge_user_;
    std::vector<std::uint32_t> edge_next_, edge_previous_;  ///< neighbours in the list of the input's users
    std::vector<std::uint32_t> first_edge_, edge_count_;    ///< a node's inputs are consecutive edges
    std::vector<std::uint32_t> users_head_, users_tail_, user_count_;
    std::vector<std::uint32_t> registered_;  ///< time of the last registration as a user; 0: the source's order holds
    std::uint32_t clock_ = 0;
    bool users_in_order_ = false;
    bool tensors_changed_ = false;  ///< mutable_outputs() has been called

    std::vector<NodeId> replacement_;  ///< by number; no_node: not replaced
    NamingState naming_;
    std::vector<bool> name_used_;  ///< by string
    std::vector<Value> mapping_;   ///< of mapped(): children done so far, of the innermost list last
};

template <typename Map>
Value GraphEditor::mapped(const Value& value, const Map& map) {
    if (value.is(ValueKind::node)) return Value::of_node(map(current(value.node)));
    if (!value.has_children()) return value;
    const std::size_t begin = mapping_.size();
    bool changed = false;
    for (std::uint32_t child = 0; child < value.count; ++child) {
        // By its place: the arena grows when a list within this one is made anew.
        const Value before = values_[value.first + child];
        const Value after = mapped(before, map);
        changed |= before.is(ValueKind::node) ? before.node != after.node
                                              : before.has_children() && before.first != after.first;
        mapping_.push_back(after);
    }
    Value made = value;
    if (changed) {
        made = list(std::span(mapping_).subspan(begin));
        made.kind = value.kind;
    }
    mapping_.resize(begin);
    return made;
}

}  // namespace overlap
