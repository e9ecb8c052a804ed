#include "core/run/cuda/devices.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <nccl.h>

#include "core/base/error.h"
#include "core/run/cuda/cudnn_library.h"
#include "core/run/cuda/device_errors.h"

namespace overlap::cuda {

namespace {

/// CUDA writes 13000 for 13.0.
std::string cuda_version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

int driver_version() {
    int version = 0;
    check(cudaDriverGetVersion(&version), "asking for the driver's version");
    return version;
}

}  // namespace

std::vector<Device> find_devices() {
    const int driver = driver_version();
    if (driver == 0) throw InputError("CUDA", "no driver is installed on this machine");
    if (driver / 1000 < CUDART_VERSION / 1000) {
        throw InputError("CUDA", "the driver knows CUDA " + cuda_version_text(driver) +
                                     ", and this program was built with CUDA " + cuda_version_text(CUDART_VERSION) +
                                     ": update the driver");
    }
    int count = 0;
    check(cudaGetDeviceCount(&count), "counting devices");
    if (count == 0) throw InputError("CUDA", "a driver is installed, but no device is attached");
    std::vector<Device> devices;
    for (int index = 0; index < count; ++index) {
        cudaDeviceProp properties{};
        check(cudaGetDeviceProperties(&properties, index), "asking for the properties of a device");
        Device device;
        device.index = index;
        device.name = properties.name;
        device.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
        device.multiprocessors = properties.multiProcessorCount;
        device.compute_major = properties.major;
        device.compute_minor = properties.minor;
        devices.push_back(std::move(device));
    }
    return devices;
}

void use(const Device& device) {
    check(cudaSetDevice(device.index), "choosing a device");
}

std::int64_t free_bytes(const Device& device) {
    std::size_t free = 0, all = 0;
    use(device);
    check(cudaMemGetInfo(&free, &all), "asking for a device's free memory");
    return static_cast<std::int64_t>(free);
}

Versions versions() {
    Versions versions;
    const int driver = driver_version();
    versions.driver = driver == 0 ? "none" : cuda_version_text(driver);
    versions.runtime = cuda_version_text(CUDART_VERSION);
    int nccl = 0;
    check(ncclGetVersion(&nccl), "asking for NCCL's version");
    versions.nccl =
        std::to_string(nccl / 10000) + "." + std::to_string(nccl % 10000 / 100) + "." + std::to_string(nccl % 100);
    const std::size_t cublas = cublasLtGetVersion();
    versions.cublas = std::to_string(cublas / 10000) + "." + std::to_string(cublas % 10000 / 100);
    std::uint32_t cupti = 0;
    check(cuptiGetVersion(&cupti), "asking for CUPTI's version");
    versions.cupti = std::to_string(cupti);
    versions.cudnn = CudnnLibrary::installed_version();
    return versions;
}

}  // namespace overlap::cuda
