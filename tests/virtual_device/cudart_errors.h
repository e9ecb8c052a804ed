// What every entry of the virtual libcudart needs: the device, and the last error.
#pragma once

#include <cuda_runtime_api.h>

#include "tests/virtual_device/device.h"
#include "tests/virtual_device/settings.h"

namespace overlap::virtual_device {

inline Device& device() {
    return Device::get();
}

/// The last error, as cudaGetLastError() tells it once.
inline cudaError_t& last_error() {
    static cudaError_t error = cudaSuccess;
    return error;
}

/// What a call returns: an error is the last one from now on.
inline cudaError_t told(cudaError_t error) {
    if (error != cudaSuccess) last_error() = error;
    return error;
}

}  // namespace overlap::virtual_device

// What a call of the runner that is to fail returns, or one on something that does not exist.
#define FAIL_ON_REQUEST(error) \
    if (fails(__func__)) return told(error)
