// libcublasLt as far as the runner's module calls it, on the virtual device.
#include <cublasLt.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "tests/virtual_device/findings.h"
#include "tests/virtual_device/launches.h"
#include "tests/virtual_device/rates.h"
#include "tests/virtual_device/settings.h"

using namespace overlap::virtual_device;

namespace {

constexpr std::size_t alignment_bytes = 256;  // of operands, which algorithms are chosen for unless others are named

#define FAIL_ON_REQUEST(status) \
    if (fails(__func__)) return status

/// A matrix in cuBLASLt's order, by columns.
struct Layout {
    cudaDataType type = CUDA_R_32F;
    std::int64_t rows = 0, columns = 0, leading = 0, stride = 0;
    std::int32_t batch = 1;

    std::int64_t elements() const { return (batch - 1) * stride + (columns - 1) * leading + rows; }
};

struct Description {
    cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
    cudaDataType scale = CUDA_R_32F;
    bool left_transposed = false, right_transposed = false;
};

struct Preference {
    std::size_t workspace_bytes = 0;
};

const Layout& layout_of(cublasLtMatrixLayout_t handle) {
    return *reinterpret_cast<const Layout*>(handle);
}

Number number_of(cudaDataType type) {
    return type == CUDA_R_64F ? Number::bits_64 : type == CUDA_R_32F ? Number::bits_32 : Number::bits_16;
}

/// As the product takes it.
Layout turned(Layout layout, bool transposed) {
    if (transposed) std::swap(layout.rows, layout.columns);
    return layout;
}

bool fit(const Description& description, const Layout& left_in_memory, const Layout& right_in_memory,
         const Layout& result) {
    const Layout left = turned(left_in_memory, description.left_transposed);
    const Layout right = turned(right_in_memory, description.right_transposed);
    return left.columns == right.rows && left.rows == result.rows && right.columns == result.columns &&
           left.batch == right.batch && left.batch == result.batch && left.type == right.type;
}

bool is_not_zero(const void* number, cudaDataType type) {
    return type == CUDA_R_64F ? *static_cast<const double*>(number) != 0 : *static_cast<const float*>(number) != 0;
}

Span span_of(const void* address, const Layout& layout) {
    const auto start = reinterpret_cast<std::uintptr_t>(address);
    if (start % alignment_bytes != 0) {
        report("misaligned", "an operand of a product is not aligned as its algorithm was chosen for");
    }
    return {start, layout.elements() * bytes_of(number_of(layout.type))};
}

}  // namespace

extern "C" {

std::size_t CUBLASWINAPI cublasLtGetVersion() {
    return 130000;
}

const char* CUBLASWINAPI cublasLtGetStatusString(cublasStatus_t status) {
    switch (status) {
        case CUBLAS_STATUS_NOT_INITIALIZED:
            return "CUBLAS_STATUS_NOT_INITIALIZED";
        case CUBLAS_STATUS_INVALID_VALUE:
            return "CUBLAS_STATUS_INVALID_VALUE";
        case CUBLAS_STATUS_EXECUTION_FAILED:
            return "CUBLAS_STATUS_EXECUTION_FAILED";
        default:
            return "CUBLAS_STATUS_INTERNAL_ERROR";
    }
}

cublasStatus_t CUBLASWINAPI cublasLtCreate(cublasLtHandle_t* handle) {
    FAIL_ON_REQUEST(CUBLAS_STATUS_NOT_INITIALIZED);
    *handle = reinterpret_cast<cublasLtHandle_t>(new char);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasLtDestroy(cublasLtHandle_t handle) {
    delete reinterpret_cast<char*>(handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                                       std::uint64_t rows, std::uint64_t columns,
                                                       std::int64_t leading) {
    FAIL_ON_REQUEST(CUBLAS_STATUS_INVALID_VALUE);
    if (leading < static_cast<std::int64_t>(rows)) return CUBLAS_STATUS_INVALID_VALUE;
    *layout = reinterpret_cast<cublasLtMatrixLayout_t>(
        new Layout{type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), leading});
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
    delete reinterpret_cast<Layout*>(layout);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t handle,
                                                             cublasLtMatrixLayoutAttribute_t attribute,
                                                             const void* value, std::size_t bytes) {
    FAIL_ON_REQUEST(CUBLAS_STATUS_INVALID_VALUE);
    auto& layout = *reinterpret_cast<Layout*>(handle);
    if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT && bytes == sizeof layout.batch) {
        std::memcpy(&layout.batch, value, bytes);
    } else if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET && bytes == sizeof layout.stride) {
        std::memcpy(&layout.stride, value, bytes);
    } else {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* description, cublasComputeType_t compute,
                                                     cudaDataType scale) {
    FAIL_ON_REQUEST(CUBLAS_STATUS_INVALID_VALUE);
    *description = reinterpret_cast<cublasLtMatmulDesc_t>(new Description{compute, scale});
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t handle,
                                                           cublasLtMatmulDescAttributes_t attribute, const void* value,
                                                           std::size_t bytes) {
    FAIL_ON_REQUEST(CUBLAS_STATUS_INVALID_VALUE);
    auto& description = *reinterpret_cast<Description*>(handle);
    cublasOperation_t operation = CUBLAS_OP_N;
    if (bytes != sizeof operation) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(&operation, value, bytes);
    if (attribute == CUBLASLT_MATMUL_DESC_TRANSA) {
        description.left_transposed = operation == CUBLAS_OP_T;
    } else if (attribute == CUBLASLT_MATMUL_DESC_TRANSB) {
        description.right_transposed = operation == CUBLAS_OP_T;
    } else {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
    delete reinterpret_cast<Description*>(description);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
    FAIL_ON_REQUEST(CUBLAS_STATUS_INVALID_VALUE);
    *preference = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
    delete reinterpret_cast<Preference*>(preference);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                                 cublasLtMatmulPreferenceAttributes_t attribute,
                                                                 const void* value, std::size_t bytes) {
    FAIL_ON_REQUEST(CUBLAS_STATUS_INVALID_VALUE);
    auto& known = reinterpret_cast<Preference*>(preference)->workspace_bytes;
    if (attribute != CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES || bytes != sizeof known) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    std::memcpy(&known, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t description,
                                                           cublasLtMatrixLayout_t left, cublasLtMatrixLayout_t right,
                                                           cublasLtMatrixLayout_t, cublasLtMatrixLayout_t result,
                                                           cublasLtMatmulPreference_t preference, int asked,
                                                           cublasLtMatmulHeuristicResult_t* results, int* found) {
    *found = 0;
    FAIL_ON_REQUEST(CUBLAS_STATUS_NOT_SUPPORTED);
    const auto& known = *reinterpret_cast<const Description*>(description);
    const bool doubles = layout_of(left).type == CUDA_R_64F;
    if (doubles != (known.compute == CUBLAS_COMPUTE_64F) || doubles != (known.scale == CUDA_R_64F)) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (asked < 1 || !fit(known, layout_of(left), layout_of(right), layout_of(result)))
        return CUBLAS_STATUS_INVALID_VALUE;
    results[0] = {};
    results[0].workspaceSize = reinterpret_cast<const Preference*>(preference)->workspace_bytes;
    results[0].algo.data[0] = results[0].workspaceSize;
    results[0].state = CUBLAS_STATUS_SUCCESS;
    *found = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t description, const void*,
                                           const void* left, cublasLtMatrixLayout_t left_layout, const void* right,
                                           cublasLtMatrixLayout_t right_layout, const void* beta, const void* added,
                                           cublasLtMatrixLayout_t added_layout, void* result,
                                           cublasLtMatrixLayout_t result_layout, const cublasLtMatmulAlgo_t* algorithm,
                                           void* workspace, std::size_t workspace_bytes, cudaStream_t handle) {
    FAIL_ON_REQUEST(CUBLAS_STATUS_EXECUTION_FAILED);
    const Layout& first = layout_of(left_layout);
    const Layout& second = layout_of(right_layout);
    const auto& known = *reinterpret_cast<const Description*>(description);
    if (!fit(known, first, second, layout_of(result_layout)) || workspace_bytes < algorithm->data[0]) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    Stream* const stream = Device::get().stream_of(handle);
    if (!stream) return CUBLAS_STATUS_INVALID_VALUE;
    Work work;
    work.name = "product";
    work.reads = {span_of(left, first), span_of(right, second)};
    const bool adds = is_not_zero(beta, known.scale);
    if (adds) work.reads.push_back(span_of(added, layout_of(added_layout)));
    work.writes = {span_of(result, layout_of(result_layout)),
                   {reinterpret_cast<std::uintptr_t>(workspace), static_cast<std::int64_t>(workspace_bytes)}};
    const Layout left_factor = turned(first, known.left_transposed);
    const Layout right_factor = turned(second, known.right_transposed);
    work.duration_ns =
        product_ns(number_of(first.type), first.batch, left_factor.rows, left_factor.columns, right_factor.columns, adds);
    launch(*stream, std::move(work));
    return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
