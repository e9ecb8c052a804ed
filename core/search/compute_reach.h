#pragma once

#include <vector>

#include "core/search/step_work.h"

namespace overlap {

/// Compute that must have ended before each collective can start, and that cannot start before it has ended: all of
/// it, since compute is one machine. In the order of StepWork::collectives. 64 collectives at a time, so it takes
/// nodes * collectives / 64 steps.
struct ComputeReach {
    std::vector<double> before_ms, after_ms;
};
ComputeReach compute_reach(const StepWork& work);

}  // namespace overlap
