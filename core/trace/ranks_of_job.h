#pragma once

#include <memory>
#include <span>

#include "core/trace/measured_trace.h"

namespace overlap {

/// Whether traces are of ranks of one job: each says its rank, all different ones, and none says another world size
/// than the others. What is not is one measurement for each trace.
bool are_ranks_of_one_job(std::span<const std::shared_ptr<const MeasuredTrace>> traces);

}  // namespace overlap
