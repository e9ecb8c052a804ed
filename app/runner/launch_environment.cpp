#include "app/runner/launch_environment.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace overlap::runner {

namespace {

bool changes_launches(std::string_view name) {
    return name == "CUDA_DEVICE_MAX_CONNECTIONS" || name == "CUDA_LAUNCH_BLOCKING" || name == "CUDA_VISIBLE_DEVICES" ||
           name.starts_with("NCCL_");
}

}  // namespace

void set_run_environment() {
    setenv("NCCL_LAUNCH_ORDER_IMPLICIT", "1", 0);
}

std::map<std::string, std::string> run_environment() {
    std::map<std::string, std::string> found;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text(*entry);
        const std::string_view name = text.substr(0, text.find('='));
        if (name.size() < text.size() && changes_launches(name)) found.emplace(name, text.substr(name.size() + 1));
    }
    return found;
}

}  // namespace overlap::runner
