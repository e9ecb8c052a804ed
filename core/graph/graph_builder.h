#pragma once

#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// Makes a Graph node by node, in execution order. Readers and tests use it; passes use GraphEditor.
class GraphBuilder {
  public:
    GraphBuilder();

    StringId intern(std::string_view text) { return strings_->intern(text); }
    /// What was interned. It stays where it is as long as the builder, and the graph, live.
    std::string_view text(StringId id) const { return strings_->text(id); }

    /// Values with children; the children are copied into the arena.
    Value list(std::span<const Value> items);
    Value dictionary(std::span<const Value> keys_and_values);
    Value with_children(ValueKind kind, std::span<const Value> items);
    Value string(std::string_view text, ValueKind kind = ValueKind::string) {
        return Value::of_string(intern(text), kind);
    }

    /// Children of a list, dictionary, slice or symbol; until the next value is made.
    std::span<const Value> children(const Value& value) const;

    /// Index of `target` for NodeRecord::target.
    std::uint32_t target(std::string_view target);
    /// What `target()` was given, and what is known of it.
    std::string_view target_text(std::uint32_t target) const { return text(target_names_[target]); }
    const TargetInfo& target_info(std::uint32_t target) const { return target_infos_[target]; }
    ModuleStackId module_stack(std::span<const ModuleStackEntry> entries);
    /// Appends sizes and strides of a tensor; returns `first_dimension`.
    std::uint32_t dimensions(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides);

    /// Appends a node. Names must be new and arguments must refer to nodes already added; outputs belong to the node.
    /// @throws InputError on a duplicate name.
    NodeId add(NodeRecord record, NodeMetadata metadata = {}, std::span<const TensorMeta> outputs = {});

    /// Shorthand: a contiguous tensor of its own storage.
    TensorMeta contiguous_tensor(Dtype dtype, std::span<const std::int64_t> sizes, std::string_view device = "cuda");
    /// Shorthands for graphs written in code.
    NodeId placeholder(std::string_view name, std::span<const TensorMeta> outputs);
    NodeId call(std::string_view name, std::string_view target_name, std::span<const Value> args,
                std::span<const TensorMeta> outputs, NodeMetadata metadata = {});
    NodeId output(std::span<const Value> values);

    /// The node called `name` so far, or no_node.
    NodeId find(std::string_view name) const;

    /// Users of `node` in an order other than that of the nodes (the file's `users_order`).
    /// @throws InputError in finish() if these are not exactly the node's users.
    void users_order(NodeId node, std::vector<NodeId> users);

    std::uint32_t node_count() const { return static_cast<std::uint32_t>(records_.size()); }

    /// What torch.fx remembers besides the names of the graph's nodes: numbers higher than those of the nodes, and
    /// names of nodes that no longer exist.
    void remember_names(NamingState further) { further_names_ = std::move(further); }
    /// What is known of an operator that the table of core lacks. Call it before the first node that calls the
    /// operator.
    void describe_operator(std::string_view target, OperatorTraits traits, SideEffects side_effects);

    /// The graph; the builder is used up.
    /// @throws InputError when a users_order does not fit, when a second node is an output (passes of torch take the
    /// last node for it and may lose the other), when a node takes the output as an input (it would run after the end
    /// of the graph), or when a placeholder or get_attr has inputs (passes put it before them; Python cannot evaluate a
    /// placeholder's, and get_attr has no use for any).
    Graph finish(GraphHeader header);

  private:
    void keep_metadata(NodeMetadata metadata);
    void put_users_in_given_orders(const std::vector<std::uint32_t>& offsets, std::vector<NodeId>& users) const;
    static void check_output(const Graph& graph);
    static void check_given_nodes(const Graph& graph);

    std::shared_ptr<StringPool> strings_;
    std::vector<StringId> target_names_;
    std::vector<TargetInfo> target_infos_;
    std::vector<NodeRecord> records_;
    std::vector<NodeMetadata> metadata_;
    std::vector<std::uint32_t> metadata_of_;
    std::vector<StringId> custom_json_, extra_json_;
    std::vector<Value> values_;
    std::vector<TensorMeta> tensors_;
    std::vector<std::int64_t> dimensions_;
    std::vector<NodeId> by_name_;
    std::map<StringId, std::uint32_t> targets_;
    std::shared_ptr<Graph::ModuleStacks> stacks_;
    std::map<std::vector<std::uint64_t>, ModuleStackId> stack_ids_;
    std::vector<std::pair<NodeId, std::vector<NodeId>>> users_orders_;
    NamingState further_names_;
    std::uint32_t next_storage_ = 0;
};

}  // namespace overlap
