#pragma once

#include <memory>

#include "core/mesh/collective_times.h"
#include "core/mesh/nccl/nccl_config.h"

namespace overlap {

/// Costs of collectives on `mesh` by autoparallel's NCCL model, in microseconds (`nccl_time_us`). A collective over
/// several mesh dimensions, which that model does not know, runs over all their ranks, of which those count as one
/// node's that lie with rank 0 on its node. A permutation is priced as an all_to_all.
/// @throws InputError for a mesh or a configuration that validate() refuses.
std::unique_ptr<CollectiveTimes> nccl_times(const DeviceMesh& mesh, const NcclConfig& config);

}  // namespace overlap
