#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/run/operands.h"
#include "core/run/program.h"

namespace overlap {

/// Where an operand of a product lies on the device.
struct ProductOperand {
    bool in_pool =
        false;  ///< at `offset` of the pool, as the node's own tensor; else at `offset` of the scratch memory
    std::int64_t offset = 0;
};

/// Left and right factor, the result, what is added to it, and the scales of both factors.
inline constexpr std::size_t product_operand_count = 6;

/// How a device carries one compute command out.
struct DeviceWork {
    enum class Kind : std::uint8_t {
        own_product,       ///< the node's matrix product, by cuBLASLt
        scaled_product,    ///< the node's product of 8-bit floats with its scales, by cuBLASLt
        expert_product,    ///< a product for each expert, as one by cuBLASLt: rows are shared evenly
        attention,         ///< the node's attention as one kernel, by cuDNN
        stand_in_product,  ///< a product with as many operations, and a kernel that moves the node's bytes beside it
        moved_bytes,       ///< a kernel that moves the node's bytes
    };
    Kind kind = Kind::moved_bytes;
    ProductShape product;                                          ///< of all kinds of products
    std::int64_t launches = 1;                                     ///< of the product
    std::array<ProductOperand, product_operand_count> operands{};  ///< of the product
    std::uint32_t attention = 0;                                   ///< index of Program::attentions
    bool is_product() const { return kind != Kind::attention && kind != Kind::moved_bytes; }
};

/// How many commands are carried out in which way.
struct DeviceWorkTotals {
    std::int64_t own_products = 0, scaled_products = 0, expert_products = 0, attentions = 0, stand_in_products = 0,
                 moved_bytes = 0;
    /// Of these the kernels that compute several nodes, these nodes, and those that are computed where they are read.
    std::int64_t fused_kernels = 0, fused_nodes = 0, inlined_nodes = 0;
};

/// What the device's libraries can run, asked before anything is launched. Without an answer they can.
struct DeviceAbilities {
    std::function<bool(const AttentionShape&)> runs_attention;
    std::function<bool(const ProductShape&)> runs_scaled_product;
};

/// What a device runs for each of Program::compute, and the memory that this needs besides the pool.
struct DevicePlan {
    /// cuBLASLt's algorithms may need this much, and are chosen for operands that are aligned to as much.
    static constexpr std::int64_t workspace_bytes = std::int64_t{32} << 20;
    static constexpr std::int64_t operand_alignment_bytes = 256;

    std::vector<DeviceWork> compute;
    std::int64_t fused_kernels = 0, fused_nodes = 0, inlined_nodes = 0;  ///< see DeviceWorkTotals
    /// Products whose operands are no whole tensors of the pool (expanded views, substitutes) work here, and attentions
    /// have their accumulators at its start.
    std::int64_t scratch_bytes = 0;

    std::int64_t attention_workspace_bytes = 0;  ///< of cuDNN's kernels; known when the device is at hand

    /// All that a run itself allocates besides the pool. What NCCL and CUDA allocate is not known in advance.
    std::int64_t bytes_beside_pool() const { return scratch_bytes + workspace_bytes + attention_workspace_bytes; }
    DeviceWorkTotals totals() const;
};

/// @param operands of this program.
DevicePlan plan_device_work(const Program& program, const ProgramOperands& operands,
                            const DeviceAbilities& abilities = {});

/// Bytes of each operand of a product; of scales, too.
std::array<std::int64_t, product_operand_count> operand_bytes(const ProductShape& product);

/// Whether cuBLASLt has a plain product for the element type. 8-bit floats have scales (ProductScaling).
bool has_plain_product(Dtype dtype);

/// A product of bfloat16 numbers and how often it is run, for about as many floating-point operations: it replaces an
/// attention, a convolution or a product that is not run itself. No operand has more than 64 MiB, however many
/// operations there are.
struct StandInProduct {
    ProductShape product;
    std::int64_t launches = 1;
};
StandInProduct product_of_flops(double flops);

}  // namespace overlap
