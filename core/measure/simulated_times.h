#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/pipeline/evaluation.h"
#include "core/trace/trace_statistics.h"

namespace overlap {

/// What runs on one process group in a simulated step.
struct SimulatedGroupTimes {
    std::string process_group;
    GpuTimes times;  ///< its collectives: from the first start to the last end; no compute
};

/// How a simulated step uses the GPU's time, in the terms of device_times(). `exposed_ns` is what the toolbar shows:
/// time in which compute stands still for collectives. Each activity has its launch.
struct SimulatedTimes {
    GpuTimes step;
    std::int64_t copies_exposed_ns = 0;       ///< compute stands still for copies between device and host
    std::vector<SimulatedGroupTimes> groups;  ///< in order of first use
};

/// @param evaluation its times are known.
SimulatedTimes simulated_times(const Evaluation& evaluation);

}  // namespace overlap
