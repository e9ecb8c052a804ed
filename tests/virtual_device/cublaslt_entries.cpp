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

constexpr std::uint64_t chosen_algorithm = 0x6f766572;  // stands in each algorithm that was chosen here
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
    const void* left_scale = nullptr;
    const void* right_scale = nullptr;
    std::int32_t left_mode = 0, right_mode = 0;  ///< how these lie
    std::int8_t fast_accumulation = 0;
};

struct Preference {
    std::size_t workspace_bytes = 0;
};

const Layout& layout_of(cublasLtMatrixLayout_t handle) {
    return *reinterpret_cast<const Layout*>(handle);
}

bool is_eight_bit(cudaDataType type) {
    return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

Number number_of(cudaDataType type) {
    if (is_eight_bit(type)) return Number::bits_8;
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
           left.batch == right.batch && left.batch == result.batch &&
           (left.type == right.type || (is_eight_bit(left.type) && is_eight_bit(right.type)));
}

/// What cuBLASLt asks of products of 8-bit floats: columns of the first factor by columns of the second, lines of whole
/// words of 16 bytes, a wide result, and scales for whole factors, or for rows and columns on devices of 9.0.
bool has_eight_bit_product(const Description& known, const Layout& left, const Layout& right, const Layout& result) {
    constexpr std::int64_t word = 16;
    if (settings().capability < 89 || left.batch != 1) return false;
    if (left.type == CUDA_R_8F_E5M2 && right.type == CUDA_R_8F_E5M2) return false;
    if (result.type != CUDA_R_16BF && result.type != CUDA_R_16F && result.type != CUDA_R_32F) return false;
    if (!known.left_transposed || known.right_transposed) return false;
    if (left.leading % word != 0 || right.leading % word != 0) return false;
    if (result.leading * bytes_of(number_of(result.type)) % word != 0) return false;
    if (known.left_mode != known.right_mode) return false;
    const bool by_rows = known.left_mode == CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
    return by_rows ? settings().capability == 90 : known.left_mode == CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
}

double number_at(const void* address, cudaDataType type) {
    return type == CUDA_R_64F ? *static_cast<const double*>(address) : *static_cast<const float*>(address);
}

/// One number, or one for each of `lines`.
Span span_of_scales(const void* address, std::int32_t mode, std::int64_t lines) {
    const auto start = reinterpret_cast<std::uintptr_t>(address);
    const bool several = mode == CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
    if (start % (several ? 16 : 4) != 0) report("misaligned", "the scales of a product are not aligned");
    return {start, (several ? lines : 1) * 4};
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
    const auto take = [&](auto& into) {
        if (bytes != sizeof into) return CUBLAS_STATUS_INVALID_VALUE;
        std::memcpy(&into, value, bytes);
        return CUBLAS_STATUS_SUCCESS;
    };
    cublasOperation_t operation = CUBLAS_OP_N;
    switch (attribute) {
        case CUBLASLT_MATMUL_DESC_TRANSA:
        case CUBLASLT_MATMUL_DESC_TRANSB:
            if (const cublasStatus_t status = take(operation); status != CUBLAS_STATUS_SUCCESS) return status;
            (attribute == CUBLASLT_MATMUL_DESC_TRANSA ? description.left_transposed : description.right_transposed) =
                operation == CUBLAS_OP_T;
            return CUBLAS_STATUS_SUCCESS;
        case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER:
            return take(description.left_scale);
        case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER:
            return take(description.right_scale);
        case CUBLASLT_MATMUL_DESC_A_SCALE_MODE:
            return take(description.left_mode);
        case CUBLASLT_MATMUL_DESC_B_SCALE_MODE:
            return take(description.right_mode);
        case CUBLASLT_MATMUL_DESC_FAST_ACCUM:
            return take(description.fast_accumulation);
        default:
            return CUBLAS_STATUS_INVALID_VALUE;
    }
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
    if (is_eight_bit(layout_of(left).type) &&
        !has_eight_bit_product(known, layout_of(left), layout_of(right), layout_of(result))) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    results[0] = {};
    results[0].workspaceSize = reinterpret_cast<const Preference*>(preference)->workspace_bytes;
    results[0].algo.data[0] = results[0].workspaceSize;
    results[0].algo.data[1] = chosen_algorithm;
    results[0].state = CUBLAS_STATUS_SUCCESS;
    *found = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CUBLASWINAPI cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t description, const void* alpha,
                                           const void* left, cublasLtMatrixLayout_t left_layout, const void* right,
                                           cublasLtMatrixLayout_t right_layout, const void* beta, const void* added,
                                           cublasLtMatrixLayout_t added_layout, void* result,
                                           cublasLtMatrixLayout_t result_layout, const cublasLtMatmulAlgo_t* algorithm,
                                           void* workspace, std::size_t workspace_bytes, cudaStream_t handle) {
    FAIL_ON_REQUEST(CUBLAS_STATUS_EXECUTION_FAILED);
    const Layout& first = layout_of(left_layout);
    const Layout& second = layout_of(right_layout);
    const auto& known = *reinterpret_cast<const Description*>(description);
    const bool scaled = is_eight_bit(first.type);
    if (!fit(known, first, second, layout_of(result_layout)) || algorithm->data[1] != chosen_algorithm ||
        workspace_bytes < algorithm->data[0] || scaled != (known.left_scale != nullptr) ||
        scaled != (known.right_scale != nullptr)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    Stream* const stream = Device::get().stream_of(handle);
    if (!stream) return CUBLAS_STATUS_INVALID_VALUE;
    Work work;
    work.name = "product";
    work.reads = {span_of(left, first), span_of(right, second)};
    work.writes = {span_of(result, layout_of(result_layout)),
                   {reinterpret_cast<std::uintptr_t>(workspace), static_cast<std::int64_t>(workspace_bytes)}};
    std::int64_t operand_bytes = work.reads[0].bytes + work.reads[1].bytes + work.writes[0].bytes;
    const auto read = [&](const Span& span) {
        work.reads.push_back(span);
        operand_bytes += span.bytes;
    };
    // A product is multiplied by 1, and what is added to it by 1 or not at all.
    const double of_added = number_at(beta, known.scale);
    if (number_at(alpha, known.scale) != 1 || (of_added != 0 && of_added != 1)) {
        report("product", "a product has factors other than 1");
    }
    if (of_added != 0) read(span_of(added, layout_of(added_layout)));
    if (scaled) {
        read(span_of_scales(known.left_scale, known.left_mode, layout_of(result_layout).rows));
        read(span_of_scales(known.right_scale, known.right_mode, layout_of(result_layout).columns));
    }
    const Layout left_factor = turned(first, known.left_transposed);
    const Layout right_factor = turned(second, known.right_transposed);
    work.duration_ns = product_ns(number_of(first.type), first.batch, left_factor.rows, left_factor.columns,
                                  right_factor.columns, operand_bytes);
    launch(*stream, std::move(work));
    return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
