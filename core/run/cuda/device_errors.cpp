#include "core/run/cuda/device_errors.h"

#include <string>

#include "core/base/error.h"

namespace overlap::cuda {

namespace {

[[noreturn]] void fail(std::string_view library, std::string_view what, const char* reason) {
    throw InputError(std::string(library), std::string(what) + ": " + (reason ? reason : "no reason was given"));
}

}  // namespace

void check(cudaError_t status, std::string_view what) {
    if (status != cudaSuccess) fail("CUDA", what, cudaGetErrorString(status));
}

void check(ncclResult_t status, std::string_view what) {
    if (status != ncclSuccess) fail("NCCL", what, ncclGetErrorString(status));
}

void check(cublasStatus_t status, std::string_view what) {
    if (status != CUBLAS_STATUS_SUCCESS) fail("cuBLASLt", what, cublasLtGetStatusString(status));
}

void check(CUptiResult status, std::string_view what) {
    if (status == CUPTI_SUCCESS) return;
    const char* reason = nullptr;
    cuptiGetResultString(status, &reason);
    fail("CUPTI", what, reason);
}

}  // namespace overlap::cuda
