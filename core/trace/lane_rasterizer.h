#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/trace/lane.h"
#include "core/trace/lane_mip.h"
#include "core/trace/time_axis.h"

namespace overlap {

/// 32-bit colours, 0xffRRGGBB, as a window system takes them.
using Pixel = std::uint32_t;

/// Colours of the roles. `stripe` is the second colour of what is hatched.
struct LanePalette {
    Pixel background = 0xff000000u;
    std::array<Pixel, event_role_count> fill{};
    std::array<Pixel, event_role_count> stripe{};

    Pixel fill_of(EventRole role) const { return fill[static_cast<std::size_t>(role)]; }
    Pixel stripe_of(EventRole role) const { return stripe[static_cast<std::size_t>(role)]; }
};

/// A stretch of a scanline that is hatched: diagonal stripes over the fill.
struct HatchRun {
    std::int32_t begin_px = 0;
    std::int32_t end_px = 0;
    Pixel stripe = 0;
    bool operator==(const HatchRun&) const = default;
};

/// An event that is wide enough for text. Clipped to the scanline, and to before a hatched tail where that leaves room.
struct LabelSlot {
    std::uint32_t event = no_event;
    std::int32_t begin_px = 0;
    std::int32_t end_px = 0;
    bool operator==(const LabelSlot&) const = default;
};

/// What one lane shows over one range: a row of pixels, and what cannot be said by one row.
struct Scanline {
    std::vector<Pixel> fill;
    std::vector<HatchRun> hatches;  ///< from left to right, apart from each other
    std::vector<LabelSlot> labels;  ///< from left to right
};

struct RasterOptions {
    std::int32_t min_label_px = 40;
    /// Gap of background at the right of each event that is at least six gaps wide, so that neighbours stay apart.
    std::int32_t gap_px = 1;
};

/// Draws a lane into a row of pixels. Pure: no window, no fonts.
///
/// Events of a pixel or more come from a walk that jumps from one visible event to the next; a pixel in which several
/// shorter ones lie shows the one with the longest share of it, mixed with the background by how busy the pixel is. An
/// event of a pixel or more always keeps at least one pixel of its own, whatever noise lies beside it. The cost depends
/// on the width, not on the number of events.
/// @param axis range and width in device pixels.
/// @param scanline reused from call to call to save allocations.
void rasterize_lane(const Lane& lane, const LaneMip& mip, const TimeAxis& axis, const LanePalette& palette,
                    const RasterOptions& options, Scanline& scanline);

/// How hatching looks: stripes of a quarter of `period_px` that lean by one pixel a row.
struct HatchStyle {
    std::int32_t period_px = 8;
    /// By how many pixels the range was moved to the left, so that stripes keep their place in time, not on the screen.
    std::int32_t phase_px = 0;
};

/// Fills a block of `height_px` rows with the scanline, hatching included.
/// @param stride_px distance from one row to the next, in pixels.
void paint_scanline(const Scanline& scanline, Pixel* pixels, std::ptrdiff_t stride_px, std::int32_t height_px,
                    const HatchStyle& hatch);
/// The same, but leaves the block as it is where the scanline shows `background`.
void paint_scanline_over(const Scanline& scanline, Pixel background, Pixel* pixels, std::ptrdiff_t stride_px,
                         std::int32_t height_px, const HatchStyle& hatch);

/// `colour` over `background`; `share` in 1/255.
Pixel mixed(Pixel background, Pixel colour, std::uint32_t share);

/// The event that a pointer at `x_px` means: the one under it; where several share the pixel, the one drawn; else the
/// nearest within `tolerance_px`. @returns no_event for none.
std::uint32_t event_at(const Lane& lane, const LaneMip& mip, const TimeAxis& axis, double x_px,
                       double tolerance_px = 2);

}  // namespace overlap
