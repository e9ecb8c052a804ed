#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/timeline/time_axis.h"
#include "core/timeline/timeline.h"

namespace overlap {

/// Lowest and highest value of a curve within one pixel column.
struct CurveColumn {
    std::int64_t lowest_bytes = 0;
    std::int64_t highest_bytes = 0;
    bool defined = false;  ///< false before the curve's first point
    bool operator==(const CurveColumn&) const = default;
};

/// One column for each pixel of the axis. The curve is a staircase: a value holds until the next point, and the last
/// one to the end of the axis. A spike that is shorter than a pixel still shows in its column's highest value.
std::vector<CurveColumn> rasterize_curve(const MemoryCurve& curve, const TimeAxis& axis);
/// The same of other heights at the curve's points, such as one of its layers.
std::vector<CurveColumn> rasterize_curve(std::span<const std::int64_t> time_ns, std::span<const std::int64_t> bytes,
                                         const TimeAxis& axis);

}  // namespace overlap
