#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "core/batch/dimension_classes.h"

namespace overlap {

/// The end of a slice that goes up to the last element, as torch writes it.
inline constexpr std::int64_t no_bound = std::numeric_limits<std::int64_t>::max();

/// A node with the dimensions of its arguments.
class OperatorCall {
  public:
    OperatorCall(DimensionClasses& classes_of_graph, NodeId called)
        : classes(classes_of_graph), graph(classes_of_graph.graph()), node(called) {}

    Dimensions out(std::size_t output = 0) const { return classes.of(node, output); }
    /// Of argument `index`; nothing where it is no node or no single tensor.
    std::optional<Dimensions> tensor(std::size_t index) const {
        const Value* argument = graph.argument(node, index);
        return argument ? tensor(*argument) : std::nullopt;
    }
    std::optional<Dimensions> tensor(const Value& value) const {
        if (!value.is(ValueKind::node)) return std::nullopt;
        const std::span<const TensorMeta> outputs = graph.outputs(value.node);
        if (outputs.size() != 1 || !outputs[0].is_tensor) return std::nullopt;
        return classes.of(value.node);
    }
    /// Whether the value is a tensor of truth values.
    bool is_mask(const Value& value) const {
        return tensor(value) && dtype_info(graph.outputs(value.node)[0].dtype).name == "bool";
    }
    std::span<const Value> list(std::size_t index) const {
        const Value* argument = graph.argument(node, index);
        return argument && argument->is(ValueKind::list) ? graph.children(*argument) : std::span<const Value>();
    }
    std::int64_t integer(std::size_t index, std::int64_t missing) const {
        const Value* argument = graph.argument(node, index);
        return argument && argument->is(ValueKind::integer) ? argument->integer : missing;
    }
    bool flag(std::size_t index) const {
        const Value* argument = graph.argument(node, index);
        return argument && argument->is(ValueKind::boolean) && argument->boolean;
    }
    std::size_t dimension(std::size_t index, std::int64_t missing, std::size_t rank) const {
        return wrapped(integer(index, missing), rank);
    }
    /// Counted from the first; beyond the last one where there is no such dimension.
    static std::size_t wrapped(std::int64_t dimension, std::size_t rank) {
        return static_cast<std::size_t>(dimension < 0 ? dimension + static_cast<std::int64_t>(rank) : dimension);
    }

    /// Dimensions of one size, counted from the last; a size of 1 is repeated.
    /// @returns whether all fit.
    bool align(const Dimensions& left, const Dimensions& right) const {
        bool fits = true;
        for (std::size_t back = 1; back <= std::min(left.rank(), right.rank()); ++back) {
            const std::size_t a = left.rank() - back, b = right.rank() - back;
            if (left.sizes[a] == right.sizes[b])
                classes.join(left.at(a), right.at(b));
            else
                fits = fits && (left.sizes[a] == 1 || right.sizes[b] == 1);
        }
        return fits;
    }
    /// All dimensions of two tensors of one rank but `except`.
    void join(const Dimensions& left, const Dimensions& right, std::size_t except = all_dimensions) const {
        for (std::size_t dimension = 0; dimension < std::min(left.rank(), right.rank()); ++dimension) {
            if (dimension != except) classes.join(left.at(dimension), right.at(dimension));
        }
    }
    /// A part of a tensor along dimension `cut`, of whole batches if that grows.
    /// @returns whether it can be one.
    bool join_part(const Dimensions& whole, const Dimensions& part, std::size_t cut) const {
        if (cut >= whole.rank() || part.rank() != whole.rank()) return false;
        join(whole, part, cut);
        classes.join(whole.at(cut), part.at(cut), Fraction(part.sizes[cut], whole.sizes[cut]));
        if (whole.sizes[cut] != part.sizes[cut]) classes.demand(part.at(cut), Demand::whole_batches);
        return true;
    }
    void fix(const Dimensions& tensor, std::size_t begin = 0) const {
        for (std::size_t dimension = begin; dimension < tensor.rank(); ++dimension) classes.fix(tensor.at(dimension));
    }

    static constexpr std::size_t all_dimensions = ~std::size_t{0};
    DimensionClasses& classes;
    const Graph& graph;
    const NodeId node;
};

/// Joins and fixes dimensions of one operator's calls.
/// @returns whether the rule knows the arguments.
using BatchRule = bool (*)(const OperatorCall&);

}  // namespace overlap
