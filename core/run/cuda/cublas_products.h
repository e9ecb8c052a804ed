#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "core/run/device_work.h"
#include "core/run/program.h"

namespace overlap::cuda {

/// Matrix products by cuBLASLt, the algorithm for each shape chosen once.
class MatrixProducts {
  public:
    MatrixProducts();
    ~MatrixProducts();
    MatrixProducts(const MatrixProducts&) = delete;
    MatrixProducts& operator=(const MatrixProducts&) = delete;

    /// Addresses of a product's operands, in the order of operand_bytes(); those that it does not have are not used.
    using Memory = std::array<void*, product_operand_count>;
    /// left [rows x inner] times right [inner x columns], each `batch` times, contiguous and aligned; by rows, or a
    /// factor by columns where the shape says that it is transposed.
    /// @throws InputError where cuBLASLt has no algorithm for the shape and element type.
    void launch(const ProductShape& product, const Memory& memory, cudaStream_t stream);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Which products of 8-bit floats cuBLASLt runs on the device that is set. Each shape is run once, on memory of its
/// own: for some products it names an algorithm and refuses the launch.
class ProductTrials {
  public:
    /// Whether cuBLASLt has an algorithm for the product and launches it.
    /// @throws InputError where there is no memory to try it on.
    bool runs(const ProductShape& product);
    /// Why the first that does not run does not, a clause; empty where all ran.
    const std::string& obstacle() const { return obstacle_; }

  private:
    std::map<ProductShape, bool> known_;
    std::string obstacle_;
};

}  // namespace overlap::cuda
