#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/runner/device_options.h"
#include "app/runner/prepared_run.h"
#include "core/run/cuda/devices.h"
#include "core/run/run.h"
#include "core/simulate/simulation.h"

namespace overlap::runner {

/// All of the runner that needs CUDA's libraries. It is a module beside the runner that is loaded on request, so that a
/// dry run works without those libraries.
class DeviceSupport {
  public:
    virtual ~DeviceSupport() = default;

    /// See cuda::find_devices().
    virtual std::vector<cuda::Device> find_devices() const = 0;
    /// Versions of the libraries that a run on devices uses, by name.
    virtual std::map<std::string, std::string> library_versions() const = 0;
    /// Free memory of this rank's device. Ranks on a machine take its devices in order, each its own.
    /// @throws InputError where there are fewer devices than ranks, or none, with the reason.
    virtual std::int64_t free_bytes(const Ranks& ranks) const = 0;
    /// Runs the steps that count, then a pass with every kernel recorded, and fills the device's fields of `record`.
    /// @returns the last recorded step as a timeline.
    virtual Simulation run(const PreparedRun& prepared, Ranks& ranks, const RunOptions& run,
                           const DeviceRunOptions& options, RunRecord& record) const = 0;
};

/// The module, loaded with the first call: `overlap-runner-devices.so` in the runner's folder, or where it is
/// installed,
/// `../libexec/overlap-studio`.
/// @throws InputError where it does not exist (the runner was built without CUDA) or cannot be loaded, with the library
/// that is missing.
const DeviceSupport& device_support();

}  // namespace overlap::runner
