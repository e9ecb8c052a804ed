#include "app/runner/device_support.h"

#include <string>

#include "app/runner/runner_module.h"
#include "core/base/error.h"

namespace overlap::runner {

namespace {

const DeviceSupport& load() {
    constexpr RunnerModule module{
        "overlap-runner-devices.so", "overlap_device_support", "this runner has no GPU support",
        "it was built without the CUDA toolkit, NCCL and CUPTI, and only --dry-run can be done",
        "GPU support cannot be loaded"};
    using Entry = const DeviceSupport* (*)();
    try {
        return *reinterpret_cast<Entry>(load_module(module))();
    } catch (const InputError& error) {
        if (error.place() != module.broken) throw;
        throw InputError(error.place(), error.problem() + "; --dry-run can be done without");
    }
}

}  // namespace

const DeviceSupport& device_support() {
    static const DeviceSupport& support = load();
    return support;
}

}  // namespace overlap::runner
