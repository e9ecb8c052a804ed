#pragma once

#include <cstdint>

#include "core/mesh/redistribution.h"

namespace overlap {

/// Bytes that the rank at coordinate 0, whose parts are the largest, sends in step `step` of `plan` when collectives
/// run as rings: (n - 1) times its part to gather, (n - 1) / n of it to scatter or exchange, twice that to all-reduce,
/// all of it to permute. 0 for steps that stay local. Rounded up.
std::int64_t sent_bytes(const RedistributionPlan& plan, std::size_t step, const DeviceMesh& mesh,
                        const MeshTensor& tensor);

/// What all steps of a plan send.
std::int64_t sent_bytes(const RedistributionPlan& plan, const DeviceMesh& mesh, const MeshTensor& tensor);

}  // namespace overlap
