#pragma once

#include <cstdint>

#include "core/mesh/nccl/nccl_config.h"

namespace overlap {

/// Microseconds of an all-to-all of `bytes` a rank (`nccl_all_to_all_cost` in
/// autoparallel/cost_models/nccl_cost_model.py). NCCL's tuning knows none, so: copy engines within an NVSwitch, the
/// network cards between switched nodes, else the steps of a Simple ring.
double nccl_all_to_all_time_us(const NcclTopology& topology, std::int64_t bytes);

}  // namespace overlap
