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

    /// Addresses of a product's matrices.
    struct Memory {
        const void* left = nullptr;
        const void* right = nullptr;
        void* result = nullptr;
        const void* added = nullptr;  ///< of a product that adds one
    };
    /// left [rows x inner] times right [inner x columns], each `batch` times, contiguous and aligned; by rows, or a
    /// factor by columns where the shape says that it is transposed.
    /// @throws InputError where cuBLASLt has no algorithm for the shape and element type.
    void launch(const ProductShape& product, const Memory& memory, cudaStream_t stream);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace overlap::cuda
