#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>

#include "core/run/program.h"

namespace overlap::cuda {

/// Matrix products by cuBLASLt, the algorithm for each shape chosen once.
class MatrixProducts {
  public:
    MatrixProducts();
    ~MatrixProducts();
    MatrixProducts(const MatrixProducts&) = delete;
    MatrixProducts& operator=(const MatrixProducts&) = delete;

    /// What operands must be aligned to: algorithms are chosen for it (cuBLASLt's own least alignment).
    static constexpr std::int64_t alignment_bytes = 256;
    /// Bytes of the largest operand of a product; what a scratch area must hold to stand in for one.
    static std::int64_t largest_operand_bytes(const MatrixProduct& product);
    /// False for element types that cuBLASLt has no plain product for; these are run as moved bytes.
    static bool knows(Dtype dtype);

    /// left [rows x inner] times right [inner x columns], each `batch` times, all row-major, contiguous and aligned.
    /// @throws InputError where cuBLASLt has no algorithm for the shape.
    void launch(const MatrixProduct& product, const void* left, const void* right, void* result, cudaStream_t stream);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// A product of 16-bit numbers with about as many floating-point operations: what does the work of an attention or a
/// convolution. Its operands are at most `edge` wide and high, its inner dimension is what varies.
MatrixProduct product_of_flops(double flops, Dtype dtype);

}  // namespace overlap::cuda
