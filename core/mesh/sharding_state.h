#pragma once

#include <vector>

#include "core/mesh/device_mesh.h"
#include "core/mesh/placement.h"

namespace overlap {

/// The mesh dimensions that cut one tensor dimension, outermost first: the first one is applied first.
struct ShardOrderEntry {
    int tensor_dim = 0;
    std::vector<int> mesh_dims;

    bool operator==(const ShardOrderEntry&) const = default;
};

/// Entries in order of tensor dimensions, none of them empty.
using ShardOrder = std::vector<ShardOrderEntry>;

/// How a tensor lies on a mesh: one placement for each mesh dimension, and in which order mesh dimensions that cut the
/// same tensor dimension do so (torch/distributed/tensor/_dtensor_spec.py).
struct ShardingState {
    std::vector<Placement> placements;
    ShardOrder shard_order;

    bool operator==(const ShardingState&) const = default;
};

/// The order that torch assumes where none is given: mesh dimensions ascending.
ShardOrder default_shard_order(const std::vector<Placement>& placements);
bool is_default_order(const ShardingState& state);
bool has_strided_shard(const std::vector<Placement>& placements);

/// A state in default order.
ShardingState state_in_default_order(std::vector<Placement> placements);

/// The mesh dimensions that cut `tensor_dim`, outermost first; empty when none does.
std::vector<int> mesh_dims_of(const ShardOrder& order, int tensor_dim);

/// Checks a state against its mesh and a tensor of `tensor_dims` dimensions.
/// @throws InputError, with the state's text as its place where it has one: another number of placements than mesh
/// dimensions, a shard of a dimension that the tensor does not have, an order that repeats, lacks or misplaces a mesh
/// dimension, partial operations that torch does not mix (all but sum with avg).
void validate_state(const ShardingState& state, const DeviceMesh& mesh, int tensor_dims);

/// True for partial operations that torch refuses to have together: more than one, other than sum with avg.
bool mixes_reduce_ops(const std::vector<Placement>& placements);

}  // namespace overlap
