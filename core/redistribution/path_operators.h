#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/graph/graph.h"
#include "core/mesh/redistribution.h"

namespace overlap {

// What redistribution paths know of operators and their arguments.

inline constexpr std::string_view pad_operator = "aten.constant_pad_nd.";
inline constexpr std::string_view gather_operator = "_c10d_functional.all_gather_into_tensor.default";
inline constexpr std::string_view scatter_operator = "_c10d_functional.reduce_scatter_tensor.default";
inline constexpr std::string_view reduce_operator = "_c10d_functional.all_reduce.default";
inline constexpr std::string_view exchange_operator = "_dtensor.shard_dim_alltoall.default";

/// Whether an operator hands its tensor on, in another dtype or memory at most, when its shape stays.
bool is_carrier(std::string_view target);
/// A collective of one tensor that paths follow.
bool communicates_alone(std::string_view target);
bool is_split(std::string_view target);

/// The shape of the one tensor that a node returns; nothing where it returns another number of them.
std::optional<Extents> tensor_shape(const Graph& graph, NodeId node);
std::int64_t integer_argument(const Graph& graph, NodeId node, std::size_t index, std::int64_t otherwise);
/// Tensor dimension of an argument, counted from the front; 0 where it is left out.
int dimension_argument(const Graph& graph, NodeId node, std::size_t index, std::size_t dims);
/// Documents may name dimensions that the tensor does not have.
bool has_dimension(const Extents& shape, int dim);
std::optional<ReduceOp> reduce_op(std::string_view name);

}  // namespace overlap
