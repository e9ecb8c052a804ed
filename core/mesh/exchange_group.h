#pragma once

#include <vector>

#include "core/mesh/device_mesh.h"

namespace overlap {

/// The mesh dimensions whose ranks must exchange data when one order of the same mesh dimensions becomes another: a
/// rank finds all that it needs with the ranks that differ from it only in these.
///
/// Blocks are numbered like digits with one radix a place, so where sizes divide a mesh dimension stays out when its
/// ranks' blocks lie equally far apart in both orders. Where they do not divide, blocks begin elsewhere from the first
/// place on at which the number of ranks differs, and everything from there on is exchanged.
///
/// @param size of the tensor dimension.
/// @param before, after the mesh dimensions that cut it, outermost first.
/// @return bit set of mesh dimensions; those of one rank that change place when every rank keeps what it has.
unsigned exchange_group(std::int64_t size, const std::vector<int>& before, const std::vector<int>& after,
                        const Extents& mesh_shape);

/// The mesh dimensions that have another place in the second order.
unsigned moved_mesh_dims(const std::vector<int>& before, const std::vector<int>& after);

}  // namespace overlap
