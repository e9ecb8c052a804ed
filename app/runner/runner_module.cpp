#include "app/runner/runner_module.h"

#include <dlfcn.h>

#include <filesystem>

#include "core/base/error.h"

namespace overlap::runner {

namespace {

std::filesystem::path file_of(const RunnerModule& module) {
    const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    for (const std::filesystem::path& place : {folder, folder / "../libexec/overlap-studio"}) {
        if (std::filesystem::exists(place / module.file)) return place / module.file;
    }
    throw InputError(module.absent, module.absent_reason);
}

}  // namespace

void require_module(const RunnerModule& module) {
    file_of(module);
}

void* load_module(const RunnerModule& module) {
    void* const loaded = dlopen(file_of(module).c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const entry = loaded ? dlsym(loaded, module.entry) : nullptr;
    if (!entry) {
        const char* const reason = dlerror();
        throw InputError(module.broken, reason ? reason : module.file);
    }
    return entry;
}

}  // namespace overlap::runner
