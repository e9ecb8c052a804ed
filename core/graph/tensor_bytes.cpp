#include "core/graph/tensor_bytes.h"

#include <algorithm>

namespace overlap {

std::int64_t counted_bytes(const TensorMeta& tensor, std::span<const std::int64_t> sizes) {
    std::int64_t bytes = dtype_info(tensor.dtype).bytes;
    bool is_empty = false;
    for (const std::int64_t size : sizes) {
        is_empty |= size == 0;
        if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(size, 1), &bytes) || bytes > total_bytes_limit) {
            return total_bytes_limit + 1;
        }
    }
    return std::max(is_empty ? 0 : bytes, tensor.storage_bytes);
}

}  // namespace overlap
