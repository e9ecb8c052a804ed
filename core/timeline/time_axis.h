#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/timeline/lane.h"

namespace overlap {

/// Maps time to horizontal position and back: `range` fills `width_px`. A plain value; positions are relative to the
/// left edge and may lie outside of it. The origin is subtracted in integers before anything becomes a double, so that
/// a trace hours long is as exact at its end as at its beginning.
struct TimeAxis {
    TimeRange range{0, 1};
    double width_px = 1;

    double ns_per_px() const { return static_cast<double>(range.length_ns()) / width_px; }
    double x_of(std::int64_t time_ns) const {
        return static_cast<double>(time_ns - range.begin_ns) * (width_px / static_cast<double>(range.length_ns()));
    }
    /// The nanosecond at `x_px`, rounded down.
    std::int64_t time_at(double x_px) const;
};

/// The shortest range that a view shows; below it single nanoseconds would be wider than anything to see.
inline constexpr std::int64_t shortest_view_ns = 100;

/// `range` made to lie in `limits`, keeping its length where possible, and no shorter than shortest_view_ns.
TimeRange clamped(TimeRange range, TimeRange limits);
/// `range` with its length multiplied by `factor`; the time at `pivot` (0 left, 1 right) stays where it is.
TimeRange zoomed(TimeRange range, double factor, double pivot, TimeRange limits);
/// `range` moved by `share` of its length, to the right when positive; stops at the limits.
TimeRange panned(TimeRange range, double share, TimeRange limits);

/// One labelled mark of a ruler.
struct Tick {
    std::int64_t time_ns = 0;
    double x_px = 0;
};

/// Distance between ticks: 1, 2 or 5 times a power of ten nanoseconds, the smallest that puts ticks at least
/// `min_spacing_px` apart.
std::int64_t tick_step_ns(const TimeAxis& axis, double min_spacing_px);
/// The multiples of `step_ns` in the axis' range.
std::vector<Tick> ticks(const TimeAxis& axis, std::int64_t step_ns);
/// Label of a tick: unit by the size of `largest_ns` (the ruler's farthest time, so that a ruler keeps one unit), as
/// many decimals as `step_ns` needs. "250 ms", "250.25 ms", "12.3 µs". Seconds only from 10 s: steps are compared in
/// ms. Zero is "0 ms", as everywhere.
std::string tick_label(std::int64_t time_ns, std::int64_t step_ns, std::int64_t largest_ns);

}  // namespace overlap
