#pragma once

#include <cstdint>

#include "core/run/cuda/devices.h"
#include "core/run/run.h"
#include "core/simulate/simulation.h"

namespace overlap::runner {

struct DeviceRunOptions {
    bool as_cuda_graph = false;
    int thread_blocks_of_emulation = 24;  ///< as many as NCCL's rings take on an H100's links
    std::uint32_t recorded_steps = 5;
};

/// The device of this rank: ranks on a machine take its devices in order, each its own.
/// @throws InputError where there are fewer devices than ranks, or none, with the reason.
cuda::Device device_of(const Ranks& ranks);

/// Runs the steps that count, then a pass with every kernel recorded, and fills what `record` says of a device.
/// @returns the last recorded step as a timeline.
Simulation run_on_device(const Graph& graph, const Program& program, const MemoryPlan& memory, Ranks& ranks,
                         const RunOptions& run, const DeviceRunOptions& options, RunRecord& record);

}  // namespace overlap::runner
