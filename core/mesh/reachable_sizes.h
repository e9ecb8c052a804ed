#pragma once

#include <vector>

#include "core/mesh/device_mesh.h"

namespace overlap {

/// The sizes, each once, that a tensor dimension of `size` may have on some rank after `mesh_dims` cut it one after the
/// other with plain shards.
std::vector<std::int64_t> reachable_sizes(std::int64_t size, const std::vector<int>& mesh_dims, const DeviceMesh& mesh);

/// True when cutting `size` by one mesh dimension after the other gives the same parts as cutting it at once by as many
/// ranks as they have together. 5 over (2, 2) is cut into 2, 1, 1, 1 and at once into 2, 2, 1, 0.
bool nested_parts_are_flat(std::int64_t size, const std::vector<int>& mesh_dims, const DeviceMesh& mesh);

/// Ranks of several mesh dimensions together.
std::int64_t ranks_of(const std::vector<int>& mesh_dims, const DeviceMesh& mesh);

}  // namespace overlap
