#include "core/batch/scaled_tensors.h"

namespace overlap {

std::optional<std::int64_t> BatchChange::scaled(std::int64_t count) const {
    if (count % from != 0) return std::nullopt;
    std::int64_t changed = 0;
    if (__builtin_mul_overflow(count / from, to, &changed)) return std::nullopt;
    return changed;
}

std::optional<ScaledTensor> scaled_tensor(const DimensionClasses& classes, NodeId node, std::size_t output,
                                          const BatchChange& change) {
    const Graph& graph = classes.graph();
    const TensorMeta& tensor = graph.outputs(node)[output];
    const Dimensions dimensions = classes.of(node, output);
    const std::span<const std::int64_t> strides = graph.stride(tensor);
    ScaledTensor scaled{{dimensions.sizes.begin(), dimensions.sizes.end()},
                        {strides.begin(), strides.end()},
                        tensor.storage_offset,
                        false,
                        false};
    for (std::size_t growing = 0; growing < dimensions.rank(); ++growing) {
        if (!classes.grows(dimensions.at(growing))) continue;
        const std::optional<std::int64_t> size = change.scaled(dimensions.sizes[growing]);
        if (!size || *size <= 1 || scaled.grows) return std::nullopt;
        scaled.grows = true;
        scaled.sizes[growing] = *size;
        const std::int64_t stride = strides[growing];
        if (stride == 0) continue;
        scaled.storage_grows = true;
        const std::int64_t extent = dimensions.sizes[growing] * stride;  // up to which memory it reaches
        for (std::size_t other = 0; other < dimensions.rank(); ++other) {
            if (other == growing || strides[other] < stride) continue;
            const std::optional<std::int64_t> outside = change.scaled(strides[other]);
            if (dimensions.sizes[other] == 1) {
                // Nothing lies along it; torch gives it the stride of what lies inside of it, which has grown.
                if (strides[other] >= extent && outside) scaled.strides[other] = *outside;
                continue;
            }
            if (strides[other] < extent || !outside) return std::nullopt;
            scaled.strides[other] = *outside;
        }
        const std::optional<std::int64_t> whole = change.scaled(tensor.storage_offset / extent * extent);
        const std::int64_t rest = tensor.storage_offset % extent;
        if (!whole || rest >= stride) return std::nullopt;
        scaled.storage_offset = *whole + rest;
    }
    return scaled;
}

}  // namespace overlap
