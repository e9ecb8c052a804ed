#pragma once

#include <cstdint>

#include "core/graph/operator_traits.h"
#include "core/mesh/nccl/nccl_config.h"

namespace overlap {

/// Microseconds of one collective over `topology` by autoparallel's NCCL model (`nccl_collective_time` and
/// `nccl_all_to_all_cost` in autoparallel/cost_models/nccl_cost_model.py): measured curves within an NVSwitch, measured
/// tables between nodes of Hopper and later, else the fastest algorithm and protocol by NCCL's tuning. Infinite when no
/// algorithm can do it.
///
/// The model's ramps begin abruptly, so more bytes may cost less. One rank alone: the figure of the curve where the
/// model has one, 0 where the model divides by the ring's zero steps, for nothing is sent.
///
/// @param collective all_gather, reduce_scatter, all_reduce or all_to_all.
/// @param bytes of the gathered tensor, of the one before the scatter, else of a rank's own.
/// @throws InputError for another kind of collective or negative bytes.
double nccl_time_us(const NcclTopology& topology, CollectiveKind collective, std::int64_t bytes);

}  // namespace overlap
