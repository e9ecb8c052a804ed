#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/graph/editing/draft_array.h"
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
///
/// A pass that changes little costs little: arrays of the source are read in place until they are written, and users
/// are the source's until an edge of theirs changes.
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
    NodeMetadata metadata(NodeId node) const {
        NodeMetadata metadata = metadata_[metadata_of_[node]];
        metadata.custom_json = custom_json_[node];
        metadata.extra_json = extra_json_[node];
        return metadata;
    }
    NodeOp op(NodeId node) const { return records_[node].op; }
    const TargetInfo& target_info(NodeId node) const { return target_infos_[records_[node].target]; }
    std::string_view target(NodeId node) const { return text(target_names_[records_[node].target]); }
    std::string_view name(NodeId node) const { return text(records_[node].name); }
    std::string_view text(StringId id) const { return strings_->text(id); }
    std::span<const TensorMeta> outputs(NodeId node) const {
        const NodeRecord& record = records_[node];
        return tensors_.slice(record.first_output, record.output_count);
    }
    std::span<const std::int64_t> shape(const TensorMeta& tensor) const {
        return dimensions_.slice(tensor.first_dimension, tensor.rank);
    }
    std::span<const std::int64_t> stride(const TensorMeta& tensor) const {
        return dimensions_.slice(std::size_t{tensor.first_dimension} + tensor.rank, tensor.rank);
    }
    std::int64_t element_count(const TensorMeta& tensor) const;

    /// Positional argument `index`, or nullptr. A node value may be outdated: resolve it with current().
    const Value* argument(NodeId node, std::size_t index) const;
    const Value* keyword(NodeId node, std::string_view key) const;
    std::span<const Value> children(const Value& value) const {
        return value.has_children() ? values_.slice(value.first, value.count) : std::span<const Value>();
    }
    /// The node that a node value refers to after all replacements.
    NodeId current(NodeId node) const {
        while (node != no_node && replacement_[node] != no_node) node = replacement_[node];
        return node;
    }
    /// The argument if it is a node, after replacements; else no_node.
    NodeId node_argument(NodeId node, std::size_t index) const;

    /// Distinct inputs in order of first appearance. Valid until the next change.
    std::span<const NodeId> inputs(NodeId node) const {
        return {edge_input_.data() + first_edge_[node], edge_count_[node]};
    }
    std::uint32_t user_count(NodeId node) const {
        return lists_users_[node] != 0 ? user_list_[node].count
                                       : static_cast<std::uint32_t>(source_->users(node).size());
    }
    /// Users in registration order.
    std::vector<NodeId> users(NodeId node) const;
    /// Calls visit(user) for each user, in no particular order.
    template <typename Visit>
    void for_each_user(NodeId node, Visit&& visit) const {
        if (lists_users_[node] == 0) {
            for (const NodeId user : source_->users(node)) visit(user);
            return;
        }
        for (std::uint32_t edge = user_list_[node].head; edge != no_edge; edge = edges_[edge].next)
            visit(edges_[edge].user);
    }

    // Changes.
    StringId intern(std::string_view text) {
        Recent& recent = recent_[(reinterpret_cast<std::uintptr_t>(text.data()) >> 3) % recent_.size()];
        // Another text may lie there by now.
        if (recent.begin != text.data() || strings_->text(recent.id) != text)
            recent = {text.data(), strings_->intern(text)};
        return recent.id;
    }
    StringId compose(const TextPieces& pieces) { return strings_->compose(pieces); }
    /// Number of a module stack, outermost first, for NodeMetadata; equal stacks have equal numbers.
    ModuleStackId module_stack(std::span<const ModuleStackEntry> entries);
    std::uint32_t target_index(std::string_view target);
    Value list(std::span<const Value> items);
    Value dictionary(std::span<const Value> keys_and_values);
    /// Appends sizes and strides; returns TensorMeta::first_dimension.
    std::uint32_t dimensions(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides);
    std::uint32_t new_storage() { return next_storage_++; }
    /// Replaces what is known of a node.
    void set_metadata(NodeId node, const NodeMetadata& metadata);
    void set_custom_json(NodeId node, StringId json) { custom_json_.write(node) = json; }
    void set_extra_json(NodeId node, StringId json) { extra_json_.write(node) = json; }
    void set_estimate(NodeId node, std::optional<double> milliseconds);
    /// The outputs of a node, to be written. Spans of outputs() show what they were.
    std::span<TensorMeta> mutable_outputs(NodeId node);

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
    void set_target(NodeId node, std::uint32_t target) { records_.write(node).target = target; }
    /// The header of the finished graph; without this, that of its source.
    void set_header(GraphHeader header) { header_ = std::make_shared<const GraphHeader>(std::move(header)); }
    /// Replaces args and kwargs of a node.
    void set_arguments(NodeId node, Value args, Value kwargs);
    /// Replaces args by ones that differ in numbers alone, so that the node does not register again.
    /// @pre `args` mentions the nodes that the former ones do, in the same order.
    void set_sizes(NodeId node, Value args) { records_.write(node).args = args; }
    /// fx `map_arg`: `value` with map(node) in place of each node in it. Lists in which something changes are made
    /// anew, since nodes may share them.
    template <typename Map>
    Value mapped(const Value& value, const Map& map);
    /// fx `node.replace_input_with(old, replacement)`: the node re-registers with all its inputs.
    void replace_input(NodeId node, NodeId old, NodeId replacement);
    /// Gives `node` the name of another one, which has been erased (fx `node.name = ...`).
    void take_name(NodeId node, NodeId erased) { records_.write(node).name = records_[erased].name; }
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
                                                        std::vector<StringId> extra_json);

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

    /// That a node uses another. Written only where the users of the input are listed.
    struct Edge {
        NodeId user;
        std::uint32_t next, previous;  ///< neighbours in the list of the input's users
    };
    struct UserList {
        std::uint32_t head, tail, count;
    };
    /// A text that was interned, by the place where it lies: passes ask for the same constants again and again.
    struct Recent {
        const char* begin = nullptr;
        StringId id = empty_string;
    };
    /// Memory of a vector that is not cleared when it grows: most edges are never written.
    template <typename T>
    struct NotCleared : std::allocator<T> {
        template <typename U>
        struct rebind {
            using other = NotCleared<U>;
        };
        template <typename U>
        void construct(U* place) {
            ::new (static_cast<void*>(place)) U;
        }
        template <typename U, typename... Arguments>
        void construct(U* place, Arguments&&... arguments) {
            ::new (static_cast<void*>(place)) U{std::forward<Arguments>(arguments)...};
        }
    };

    void link_before(NodeId node, NodeId target, bool stays_behind = false);
    void unlink(NodeId node);
    void relabel();
    void add_metadata(const NodeMetadata& metadata);
    void attach_inputs(NodeId node);
    bool takes(NodeId user, NodeId input) const;
    void detach_inputs(NodeId node);
    void list_users(NodeId node);
    std::uint32_t source_edge(NodeId user, NodeId input);
    void append_user(NodeId input, std::uint32_t edge);
    void remove_user(std::uint32_t edge);
    std::span<const TensorMeta> new_tensors() const;
    std::int64_t most_bytes() const;
    std::int64_t check_tensors(std::span<const NodeId> nodes) const;
    StringId unique_name(std::string_view base, std::int64_t number);
    NamingState& own_naming();
    void find_used_names();
    bool is_used(StringId name) const { return name < name_used_.size() && name_used_[name] != 0; }
    void mark_used(StringId name);
    void place_inputs(Graph& graph, std::span<const NodeId> nodes, std::span<const NodeId> position) const;
    void place_users(Graph& graph, std::span<const NodeId> nodes, std::span<const NodeId> position) const;
    SharedArena<Value> placed_values(std::span<const NodeId> position) const;
    SharedArray<NodeId> places_by_name(std::span<const NodeId> nodes) const;

    std::shared_ptr<const Graph> source_;
    std::shared_ptr<const GraphHeader> header_;
    std::shared_ptr<StringPool> strings_;
    std::shared_ptr<const Graph::ModuleStacks> module_stacks_;
    DraftArray<StringId, 9> target_names_;
    DraftArray<TargetInfo, 7> target_infos_;
    std::vector<std::uint32_t> target_by_name_;  ///< as the graph's; empty until a target is added
    DraftArray<NodeRecord, 5> records_;
    DraftArena<NodeMetadata> metadata_;
    DraftArray<std::uint32_t, 9> metadata_of_;
    DraftArray<StringId, 9> custom_json_, extra_json_;
    DraftArena<Value> values_;
    DraftArena<TensorMeta> tensors_;
    DraftArena<std::int64_t> dimensions_;
    std::uint32_t next_storage_ = 0;

    NodeId first_ = no_node, last_ = no_node;
    std::vector<NodeId, NotCleared<NodeId>> next_, previous_;
    std::vector<std::uint64_t, NotCleared<std::uint64_t>> label_;  ///< ascending along the list; 0: erased
    NodeId last_moved_ = no_node;

    std::vector<NodeId> edge_input_;
    std::vector<Edge, NotCleared<Edge>> edges_;
    std::vector<std::uint32_t> first_edge_, edge_count_;  ///< a node's inputs are consecutive edges
    std::vector<std::uint8_t> lists_users_;               ///< 0: the users are the source's
    std::vector<UserList, NotCleared<UserList>> user_list_;
    /// Of nodes of the source with many inputs: each input and its edge, by input.
    std::unordered_map<NodeId, std::vector<std::pair<NodeId, std::uint32_t>>> edges_of_wide_;
    std::vector<std::uint32_t> registered_;  ///< time of the last registration as a user; 0: the source's order holds
    std::uint32_t clock_ = 0;
    bool edges_changed_ = false;
    bool users_in_order_ = false;

    std::vector<NodeId> replacement_;  ///< by number; no_node: not replaced
    bool replaced_ = false;
    std::shared_ptr<NamingState> naming_;  ///< null: the source's
    std::vector<std::uint8_t> name_used_;  ///< by string; empty until a name is given
    std::array<Recent, 64> recent_{};      ///< by a part of the place
    std::vector<Value> mapping_;           ///< of mapped(): children done so far, of the innermost list last
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
