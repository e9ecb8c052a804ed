#include "core/run/cuda/cublas_products.h"

#include <cublasLt.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/wording.h"
#include "core/run/cuda/device_errors.h"
#include "core/run/cuda/device_objects.h"

namespace overlap::cuda {

namespace {

constexpr std::size_t workspace_bytes = DevicePlan::workspace_bytes;

struct Types {
    cudaDataType_t data;
    cublasComputeType_t compute;
    cudaDataType_t scale;
};

/// Of every type that has_plain_product().
Types types_of(Dtype dtype) {
    const std::string_view name = dtype_info(dtype).name;
    if (name == "bfloat16") return {CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    if (name == "float16") return {CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    if (name == "float32") return {CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    if (name == "float64") return {CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F};
    throw InputError("cuBLASLt", "no plain product of " + std::string(name));
}

/// Of the matrices of a product.
struct MatrixTypes {
    cudaDataType_t left, right, result;
    cublasComputeType_t compute;
    cudaDataType_t scale;
};

cudaDataType_t eight_bit_type(Dtype dtype) {
    return dtype_info(dtype).name == "float8_e5m2" ? CUDA_R_8F_E5M2 : CUDA_R_8F_E4M3;
}

MatrixTypes types_of(const ProductShape& product) {
    if (product.scaling) {
        return {eight_bit_type(product.dtype), eight_bit_type(product.scaling->right),
                types_of(product.scaling->result).data, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    }
    const Types types = types_of(product.dtype);
    return {types.data, types.data, types.data, types.compute, types.scale};
}

/// One shape, ready to launch.
struct Prepared {
    cublasLtMatmulDesc_t description = nullptr;
    cublasLtMatrixLayout_t left = nullptr, right = nullptr, result = nullptr;
    cublasLtMatmulAlgo_t algorithm{};
    cudaDataType_t scale = CUDA_R_32F;

    Prepared() = default;
    Prepared(const Prepared&) = delete;
    Prepared& operator=(const Prepared&) = delete;
    ~Prepared() {
        for (const cublasLtMatrixLayout_t layout : {left, right, result}) {
            if (layout) cublasLtMatrixLayoutDestroy(layout);
        }
        if (description) cublasLtMatmulDescDestroy(description);
    }
};

/// A row-major matrix, or one by columns where it is transposed, `batch` times one behind the other. cuBLASLt's own
/// order is by columns, for which it has all its algorithms: there the same memory is the transposed matrix, and a
/// product of transposed matrices is the transposed product with its factors exchanged.
cublasLtMatrixLayout_t layout_of(cudaDataType_t type, std::int64_t rows, std::int64_t columns, std::int64_t batch,
                                 bool transposed = false) {
    if (transposed) std::swap(rows, columns);
    cublasLtMatrixLayout_t layout = nullptr;
    check(cublasLtMatrixLayoutCreate(&layout, type, static_cast<std::uint64_t>(columns),
                                     static_cast<std::uint64_t>(rows), columns),
          "describing a matrix");
    const auto count = static_cast<std::int32_t>(batch);
    const std::int64_t stride = rows * columns;
    check(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
          "describing a matrix");
    check(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride),
          "describing a matrix");
    return layout;
}

template <typename Value>
void set(cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t attribute, const Value& value) {
    check(cublasLtMatmulDescSetAttribute(description, attribute, &value, sizeof value), "describing a product");
}

void transpose(cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t factor, bool transposed) {
    set(description, factor, transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
}

/// cuBLASLt's first factor is our right one, see layout_of().
void set_scales(cublasLtMatmulDesc_t description, const void* left, const void* right) {
    set(description, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, right);
    set(description, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, left);
}

void scale(cublasLtMatmulDesc_t description, const ProductScaling& scaling) {
    const auto mode = static_cast<std::int32_t>(scaling.by_rows ? CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F
                                                                : CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F);
    set(description, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, mode);
    set(description, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, mode);
    set(description, CUBLASLT_MATMUL_DESC_FAST_ACCUM, static_cast<std::int8_t>(scaling.fast_accumulation));
}

}  // namespace

struct MatrixProducts::State {
    cublasLtHandle_t handle = nullptr;
    void* workspace = nullptr;
    std::map<ProductShape, std::unique_ptr<Prepared>> prepared;

    State() {
        check(cublasLtCreate(&handle), "starting cuBLASLt");
        check(cudaMalloc(&workspace, workspace_bytes), "allocating cuBLASLt's workspace");
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        prepared.clear();
        cudaFree(workspace);
        cublasLtDestroy(handle);
    }

    Prepared& prepare(const ProductShape& product, const Memory& memory) {
        std::unique_ptr<Prepared>& slot = prepared[product];
        if (!slot) slot = make(product, memory);
        return *slot;
    }

    std::unique_ptr<Prepared> make(const ProductShape& product, const Memory& memory) {
        const MatrixTypes types = types_of(product);
        auto made = std::make_unique<Prepared>();
        made->scale = types.scale;
        check(cublasLtMatmulDescCreate(&made->description, types.compute, types.scale), "describing a product");
        // cuBLASLt's first factor is our right one, see layout_of().
        transpose(made->description, CUBLASLT_MATMUL_DESC_TRANSA, product.right_transposed);
        transpose(made->description, CUBLASLT_MATMUL_DESC_TRANSB, product.left_transposed);
        if (product.scaling) {
            scale(made->description, *product.scaling);
            set_scales(made->description, memory[4], memory[5]);
        }
        made->left = layout_of(types.left, product.rows, product.inner, product.batch, product.left_transposed);
        made->right = layout_of(types.right, product.inner, product.columns, product.batch, product.right_transposed);
        made->result = layout_of(types.result, product.rows, product.columns, product.batch);
        choose(product, *made);
        return made;
    }

    void choose(const ProductShape& product, Prepared& made) {
        cublasLtMatmulPreference_t preference = nullptr;
        check(cublasLtMatmulPreferenceCreate(&preference), "choosing an algorithm");
        check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                   &workspace_bytes, sizeof workspace_bytes),
              "choosing an algorithm");
        cublasLtMatmulHeuristicResult_t best{};
        int found = 0;
        const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
            handle, made.description, made.right, made.left, made.result, made.result, preference, 1, &best, &found);
        cublasLtMatmulPreferenceDestroy(preference);
        if (status != CUBLAS_STATUS_SUCCESS || found == 0) {
            throw InputError(
                "cuBLASLt", "no algorithm for " + counted(static_cast<std::size_t>(product.batch), "product") + " of " +
                                std::to_string(product.rows) + "x" + std::to_string(product.inner) + " by " +
                                std::to_string(product.inner) + "x" + std::to_string(product.columns) + ' ' +
                                std::string(dtype_info(product.dtype).name));
        }
        made.algorithm = best.algo;
    }
};

MatrixProducts::MatrixProducts() : state_(std::make_unique<State>()) {}
MatrixProducts::~MatrixProducts() = default;

void MatrixProducts::launch(const ProductShape& product, const Memory& memory, cudaStream_t stream) {
    const Prepared& prepared = state_->prepare(product, memory);
    if (product.scaling) set_scales(prepared.description, memory[4], memory[5]);
    const float one = 1, of_added = product.adds ? 1 : 0;
    const double one_double = 1, of_added_double = product.adds ? 1 : 0;
    const bool doubles = prepared.scale == CUDA_R_64F;
    check(cublasLtMatmul(state_->handle, prepared.description, doubles ? static_cast<const void*>(&one_double) : &one,
                         memory[1], prepared.right, memory[0], prepared.left,
                         doubles ? static_cast<const void*>(&of_added_double) : &of_added,
                         product.adds ? memory[3] : memory[2], prepared.result, memory[2], prepared.result,
                         &prepared.algorithm, state_->workspace, workspace_bytes, stream),
          "launching a product");
}

bool ProductTrials::runs(const ProductShape& product) {
    const auto [known, is_new] = known_.emplace(product, false);
    if (!is_new) return known->second;
    const auto bytes = operand_bytes(product);
    MatrixProducts::Memory memory{};
    std::int64_t all = 0;
    for (const std::int64_t of_operand : bytes) all += aligned_bytes(of_operand);
    const Allocation allocated(all);
    std::int64_t offset = 0;
    for (std::size_t operand = 0; operand < bytes.size(); ++operand) {
        memory[operand] = static_cast<char*>(allocated.address()) + offset;
        offset += aligned_bytes(bytes[operand]);
    }
    check(cudaMemset(allocated.address(), 0, static_cast<std::size_t>(all)), "clearing memory");
    check(cudaDeviceSynchronize(), "clearing memory");
    const Stream stream;
    MatrixProducts products;
    try {
        products.launch(product, memory, stream.get());
        check(cudaDeviceSynchronize(), "trying a product");
        known->second = true;
    } catch (const InputError& error) {
        if (obstacle_.empty()) obstacle_ = error.what();
    }
    return known->second;
}

}  // namespace overlap::cuda
