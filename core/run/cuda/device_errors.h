#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <nccl.h>

#include <string_view>

namespace overlap::cuda {

// Each throws InputError with `what` was attempted and the library's own reason, unless the status is success.

void check(cudaError_t status, std::string_view what);
void check(ncclResult_t status, std::string_view what);
void check(cublasStatus_t status, std::string_view what);
void check(CUptiResult status, std::string_view what);

}  // namespace overlap::cuda
