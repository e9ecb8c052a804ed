#pragma once

#include <vector>

#include "core/layout/level_layout.h"

namespace overlap {

/// Between ends of edges at one side of a box, pixels.
inline constexpr double port_gap = 16;

/// A curve between the nearest sides of two boxes; around their sides where one is above the other.
std::vector<LayoutPoint> route_beside(const LayoutRect& from, const LayoutRect& to, double box_gap);

}  // namespace overlap
