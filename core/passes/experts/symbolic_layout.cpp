#include "core/passes/experts/symbolic_layout.h"

#include <algorithm>
#include <vector>

#include "core/graph/strides.h"

namespace overlap::experts {

SymbolicLayout::SymbolicLayout(std::span<const std::int64_t> shape, std::span<const std::int64_t> stride,
                               std::span<const ExpressionId> sizes)
    : shape_(shape), stride_(stride) {
    while (first_ < sizes.size() && sizes[first_] == no_expression) ++first_;
    if (first_ >= shape.size()) return;
    std::int64_t inner = 0;
    if (__builtin_mul_overflow(stride[first_], shape[first_], &inner)) return;
    inner_ = std::max<std::int64_t>(inner, 0);
}

TensorMeta with_layout(GraphEditor& editor, const TensorMeta& tensor, std::span<const std::int64_t> sizes,
                       std::span<const std::int64_t> strides) {
    TensorMeta made = tensor;
    made.first_dimension = editor.dimensions(sizes, strides);
    made.storage = editor.new_storage();
    made.storage_offset = 0;
    // Where it reaches too far the editor refuses the tensor when the graph is finished.
    made.storage_bytes = memory_reach(sizes, strides).value_or(0) * dtype_info(tensor.dtype).bytes;
    return made;
}

TensorMeta with_sizes(GraphEditor& editor, const TensorMeta& tensor, std::span<const ExpressionId> expressions,
                      std::span<const std::int64_t> sizes, KnownLayout& known) {
    const SymbolicLayout layout(editor.shape(tensor), editor.stride(tensor), expressions);
    std::vector<std::int64_t> strides(editor.stride(tensor).begin(), editor.stride(tensor).end());
    for (std::size_t dimension = 0; dimension < strides.size(); ++dimension) {
        if (layout.stride_factor(dimension) == 0) continue;
        if (__builtin_mul_overflow(layout.stride_factor(dimension), sizes[layout.first()], &strides[dimension]))
            strides[dimension] = 0;
    }
    const TensorMeta made = with_layout(editor, tensor, sizes, strides);
    known = {tensor, made.first_dimension, memory_reach(sizes, strides).value_or(0)};
    return made;
}

bool KnownLayout::is_of(const GraphEditor& editor, const TensorMeta& tensor) const {
    if (!whole || whole->rank != tensor.rank) return false;
    if (whole->first_dimension == tensor.first_dimension) return true;
    return std::ranges::equal(editor.shape(*whole), editor.shape(tensor)) &&
           std::ranges::equal(editor.stride(*whole), editor.stride(tensor));
}

TensorMeta with_known_layout(GraphEditor& editor, const TensorMeta& tensor, const KnownLayout& known) {
    TensorMeta made = tensor;
    made.first_dimension = known.made;
    made.storage = editor.new_storage();
    made.storage_offset = 0;
    made.storage_bytes = known.elements * dtype_info(tensor.dtype).bytes;
    return made;
}

}  // namespace overlap::experts
