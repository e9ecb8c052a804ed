#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/graph/editing/graph_editor.h"
#include "core/passes/experts/symbolic_expression.h"

namespace overlap::experts {

/// A tensor's layout in which sizes are expressions. A document has strides as numbers only; those that step over the
/// first symbolic dimension are multiples of its size.
class SymbolicLayout {
  public:
    /// @param shape,stride stay while this is used.
    /// @param sizes the expressions of the tensor's sizes, no_expression for numbers; not empty.
    SymbolicLayout(std::span<const std::int64_t> shape, std::span<const std::int64_t> stride,
                   std::span<const ExpressionId> sizes);

    /// What stride `dimension` is multiplied with the size of dimension first(); 0 for a number.
    std::int64_t stride_factor(std::size_t dimension) const {
        const bool steps_over_it = inner_ > 0 && dimension != first_ && stride_[dimension] >= inner_;
        return steps_over_it ? stride_[dimension] / shape_[first_] : 0;
    }
    std::size_t first() const { return first_; }

  private:
    const std::span<const std::int64_t> shape_, stride_;
    std::size_t first_ = 0;
    std::int64_t inner_ = 0;  ///< elements of one step beyond dimension first(); 0 where no stride can follow its size
};

/// A tensor of memory of its own with these sizes and strides, in place of `tensor`.
TensorMeta with_layout(GraphEditor& editor, const TensorMeta& tensor, std::span<const std::int64_t> sizes,
                       std::span<const std::int64_t> strides);

/// The sizes and strides that a tensor got, for others that are laid out as it was and get the same sizes.
struct KnownLayout {
    std::optional<TensorMeta> whole;  ///< the tensor before; none: nothing is known
    std::uint32_t made = 0;           ///< TensorMeta::first_dimension afterwards
    std::int64_t elements = 0;        ///< how far they reach

    /// Whether a tensor has the sizes and strides that the one before had.
    bool is_of(const GraphEditor& editor, const TensorMeta& tensor) const;
};

/// A tensor of memory of its own, laid out as the one before. @pre known.is_of(editor, tensor)
TensorMeta with_known_layout(GraphEditor& editor, const TensorMeta& tensor, const KnownLayout& known);

/// A tensor of memory of its own whose sizes are those numbers, with strides that follow the size of the first symbolic
/// dimension as they did. @param expressions of the tensor's former sizes. @param known becomes this layout.
TensorMeta with_sizes(GraphEditor& editor, const TensorMeta& tensor, std::span<const ExpressionId> expressions,
                      std::span<const std::int64_t> sizes, KnownLayout& known);

}  // namespace overlap::experts
