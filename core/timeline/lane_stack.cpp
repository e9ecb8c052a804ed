#include "core/timeline/lane_stack.h"

#include <algorithm>

namespace overlap {

LaneStack::LaneStack(std::span<const std::int32_t> heights_px) {
    tops_px_.reserve(heights_px.size() + 1);
    for (const std::int32_t height : heights_px) tops_px_.push_back(tops_px_.back() + height);
}

std::int32_t LaneStack::row_at(std::int32_t y_px) const {
    if (y_px < 0 || y_px >= total_px()) return -1;
    return static_cast<std::int32_t>(std::upper_bound(tops_px_.begin(), tops_px_.end(), y_px) - tops_px_.begin()) - 1;
}

}  // namespace overlap
