#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace overlap {

/// Rows stacked from top to bottom with different heights. Finds a row by bisection.
class LaneStack {
  public:
    LaneStack() = default;
    /// @param heights_px height of each row, its distance to the next included.
    explicit LaneStack(std::span<const std::int32_t> heights_px);

    std::size_t size() const { return tops_px_.size() - 1; }
    std::int32_t top_px(std::size_t row) const { return tops_px_[row]; }
    std::int32_t height_px(std::size_t row) const { return tops_px_[row + 1] - tops_px_[row]; }
    std::int32_t total_px() const { return tops_px_.back(); }
    /// The row at `y_px` below the stack's top, or -1 outside of it.
    std::int32_t row_at(std::int32_t y_px) const;

  private:
    std::vector<std::int32_t> tops_px_{0};  ///< one more than rows
};

}  // namespace overlap
