#include "app/runner/device_support.h"

#include <dlfcn.h>

#include <filesystem>

#include "core/base/error.h"

namespace overlap::runner {

namespace {

constexpr const char* module_name = "overlap-runner-devices.so";

std::filesystem::path module_file() {
    const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    for (const std::filesystem::path& place : {folder, folder / "../libexec/overlap-studio"}) {
        if (std::filesystem::exists(place / module_name)) return place / module_name;
    }
    throw InputError("this runner has no GPU support",
                     "it was built without the CUDA toolkit, NCCL and CUPTI, and only --dry-run can be done");
}

const DeviceSupport& load() {
    using Entry = const DeviceSupport* (*)();
    // Resolve all symbols now: one that a library of another version lacks would otherwise end the program during a
    // run.
    void* const module = dlopen(module_file().c_str(), RTLD_NOW | RTLD_LOCAL);
    const auto entry = module ? reinterpret_cast<Entry>(dlsym(module, "overlap_device_support")) : nullptr;
    if (!entry) {
        const char* const reason = dlerror();
        throw InputError("GPU support cannot be loaded",
                         std::string(reason ? reason : module_name) + "; --dry-run can be done without");
    }
    return *entry();
}

}  // namespace

const DeviceSupport& device_support() {
    static const DeviceSupport& support = load();
    return support;
}

}  // namespace overlap::runner
