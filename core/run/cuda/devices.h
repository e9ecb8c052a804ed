#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace overlap::cuda {

struct Device {
    int index = 0;
    std::string name;
    std::int64_t memory_bytes = 0;
    int multiprocessors = 0;
    int compute_major = 0, compute_minor = 0;
};

/// Versions of what a run uses, for its result: `13.0`, `2.28.3`. That of cuDNN is empty where it is not found.
struct Versions {
    std::string driver, runtime, nccl, cublas, cupti, cudnn;
};

/// Devices of this machine, in CUDA's order. Asking sets none of them up: that would take memory of each, for each
/// process.
/// @throws InputError with the reason where there is none: no driver, a driver that is older than the toolkit that this
/// program was built with (with both versions), no device.
std::vector<Device> find_devices();

/// What this thread does from now on, it does on the device.
void use(const Device& device);

/// Free memory of the device; sets the device up for this process.
std::int64_t free_bytes(const Device& device);

Versions versions();

}  // namespace overlap::cuda
