#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graph/editing/graph_editor.h"
#include "core/graph/strides.h"

namespace overlap {

/// The nodes that replace a bucket. The reference traces a small function and copies the trace into the graph; this
/// writes the same nodes: names are proposed as the trace's private graph would name them (`view`, `view_1`, ...).
class TracedSequence {
  public:
    /// @param before new nodes are made before this node, in order.
    /// @param metadata of all new nodes.
    TracedSequence(GraphEditor& graph, NodeId before, const NodeMetadata& metadata)
        : graph_(graph), before_(before), metadata_(metadata) {}

    const std::vector<NodeId>& nodes() const { return nodes_; }
    GraphEditor& graph() { return graph_; }

    /// Makes a node. @param base_name proposed name, without number.
    NodeId emit(std::string_view base_name, std::string_view target, std::span<const Value> args,
                std::span<const TensorMeta> outputs, std::span<const Value> keys_and_values = {}, bool multi = false);

    // Argument values.
    Value nodes_list(std::span<const NodeId> nodes);
    Value integers(std::span<const std::int64_t> numbers);
    Value dtype(Dtype dtype);
    Value text(std::string_view text) { return Value::of_string(graph_.intern(text)); }
    /// A device as torch prints it: the first one of its kind where the file only gives the kind.
    Value device(StringId device);

    // Tensors.
    /// A contiguous tensor with a new storage.
    TensorMeta fresh(Dtype dtype, std::span<const std::int64_t> sizes, StringId device);
    /// A contiguous view of `base` from its first element on.
    TensorMeta view_of(const TensorMeta& base, std::span<const std::int64_t> sizes);
    /// A view with given strides, `offset` elements behind the start of `base`.
    TensorMeta strided_view_of(const TensorMeta& base, std::span<const std::int64_t> sizes,
                               std::span<const std::int64_t> strides, std::int64_t offset);

    // Nodes that several merges need.
    NodeId view(NodeId input, std::span<const std::int64_t> written_shape, const TensorMeta& result);
    /// `x.view(dtype)`: the same bytes; the last dimension grows or shrinks with the size of an element.
    /// @throws InputError where the bytes cannot be viewed in this way, and torch raises.
    NodeId view_as(NodeId input, Dtype dtype);
    NodeId empty(std::span<const std::int64_t> sizes, const TensorMeta& result);
    NodeId getitem(NodeId input, std::int64_t index, const TensorMeta& result);
    NodeId wait(NodeId start);
    /// `split_with_sizes` and all its getitems. @param dimension 1 for rows of a matrix, 0 (not written) for a vector.
    std::vector<NodeId> split(NodeId input, std::span<const std::int64_t> sizes, int dimension);
    /// `x.reshape(shape)`: a view where the strides allow it, else a contiguous copy and an unsafe view.
    /// @param shape may hold one -1, which a view of a contiguous tensor keeps as written.
    NodeId reshape(NodeId input, std::span<const std::int64_t> shape);

    /// The node's only tensor.
    const TensorMeta& tensor(NodeId node) const { return graph_.outputs(node).front(); }

  private:
    std::int64_t next_number(std::string_view base_name);

    GraphEditor& graph_;
    NodeId before_;
    NodeMetadata metadata_;
    std::vector<NodeId> nodes_;
    std::vector<std::pair<std::string_view, std::int64_t>> given_;  ///< by base name, names given in the private graph
};

}  // namespace overlap
