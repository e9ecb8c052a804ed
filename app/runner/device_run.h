#pragma once

#include <map>
#include <string>

#include "app/runner/device_options.h"
#include "app/runner/prepared_run.h"
#include "core/run/cuda/devices.h"
#include "core/run/run.h"
#include "core/simulate/simulation.h"

namespace overlap::runner {

/// The device of this rank: ranks on a machine take its devices in order, each its own.
/// @throws InputError where there are fewer devices than ranks, or none, with the reason.
cuda::Device device_of(const Ranks& ranks);

/// Versions of what a run on devices uses, by name.
std::map<std::string, std::string> library_versions();

/// Runs the steps that count, then a pass with every kernel recorded, and fills what `record` says of a device.
/// @returns the last recorded step as a timeline.
Simulation run_on_device(const PreparedRun& prepared, Ranks& ranks, const RunOptions& run,
                         const DeviceRunOptions& options, RunRecord& record);

}  // namespace overlap::runner
