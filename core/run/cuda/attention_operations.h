#pragma once

#include <cstdint>
#include <vector>

#include "core/run/attention.h"
#include "core/run/cuda/cudnn_library.h"

namespace overlap::cuda {

/// What a tensor of attention_operations() is, beside those that an attention takes and returns, whose identity is
/// that of their role.
enum class AttentionExtra : std::int64_t {
    sums = attention_role_count,  ///< accumulators, as attention_accumulators() places them
    query_gradient,
    key_gradient,
    value_gradient,
    scale,  ///< numbers that are passed with each launch
    minus_infinity,
    one,
    first_virtual,  ///< values that never reach memory are numbered from here on
};

/// The descriptors of an attention as cuDNN takes it: products, softmax and mask as single operations, which its
/// engines know as one kernel by their arrangement. The forward pass is that of cuDNN's documentation on fused flash
/// attention, the backward pass computes scores again from the statistics.
struct AttentionOperations {
    std::vector<CudnnDescriptor> descriptors;  ///< everything that the operations refer to, and they themselves
    std::vector<void*> operations;             ///< in order
    std::vector<std::int64_t> identities;      ///< of tensors in memory and of numbers, each once: what a launch gives
};

/// @throws InputError where cuDNN refuses a descriptor.
AttentionOperations attention_operations(const CudnnLibrary& library, const AttentionShape& shape);

}  // namespace overlap::cuda
