#pragma once

namespace overlap::ui {

/// Measures of StepPeakChart, in pixels, that its points, names and axes share.
struct StepPeakMetrics {
    static constexpr double radius = 4.5, ring_radius = radius + 3;
    static constexpr int left_margin = 64, right_margin = 16, top_margin = 20, bottom_margin = 24;
    static constexpr double name_gap = 10;  ///< from the middle of a point
    /// The longest line to a name: who reads a longer one looks for its point.
    static constexpr double longest_leader = 90;
    static constexpr double near_leader = 48;  ///< where a name that finds no place can do without its middle
};

}  // namespace overlap::ui
