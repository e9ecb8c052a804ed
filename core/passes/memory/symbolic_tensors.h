#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/graph/editing/graph_editor.h"
#include "core/graph/graph.h"

namespace overlap::memory {

/// Tensors and scalars of sizes that are known only when the job runs: a node's `symbolic_shapes` and `symbolic_value`
/// (docs/formats.md). Their shapes and strides in `outputs` are those under a guess.
class SymbolicTensors {
  public:
    explicit SymbolicTensors(const Graph& graph) : graph_(graph) {}

    /// Whether the node's value is a whole number that is known only when the job runs.
    /// @throws PassRefusal of `pass` for one that is not whole: no file has any, and what the reference does with them
    /// is not known here.
    bool is_scalar(NodeId node, std::string_view pass) const;

    /// Whether a size of the node's first output is symbolic.
    bool is_tensor(NodeId node) const { return !sizes(node).empty(); }

    /// What torch's `is_contiguous` says of the node's first output, under torchtitan's rule that a layout of which
    /// nothing can be said counts as contiguous (torchtitan/experiments/graph_trainer/cpu_offload.py,
    /// `_tensor_is_contiguous`). A symbol of a placeholder's size is known to be near its hint, others may be 0.
    bool is_contiguous(NodeId node, const TensorMeta& tensor) const;

    /// The sizes of the node's first output as an argument: a list of numbers and symbols.
    Value size_argument(GraphEditor& editor, NodeId node, const TensorMeta& tensor) const;
    /// Its strides. Those outside the first symbolic dimension are multiples of it.
    /// @throws PassRefusal of `pass` where such a size is neither a symbol nor a sum of multiples of symbols.
    Value stride_argument(GraphEditor& editor, NodeId node, const TensorMeta& tensor, std::string_view pass) const;

  private:
    /// Texts of the sizes of the first output, quoted where symbolic; empty where none is.
    std::vector<std::string_view> sizes(NodeId node) const;
    bool is_near_hint(std::string_view expression, std::int64_t hint) const;

    const Graph& graph_;
    /// Symbols of the sizes of placeholders; nothing until they are looked up.
    mutable std::optional<std::unordered_set<std::string>> placeholder_symbols_;
};

/// An expression as torch prints it, times a whole number: `3*u0`, `2*u4 + 2*u5`.
/// @returns nothing where it is no sum of multiples of symbols.
std::optional<std::string> multiplied(std::string_view expression, std::int64_t factor);

}  // namespace overlap::memory
