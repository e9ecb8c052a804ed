#pragma once

#include <array>
#include <cstdint>

#include "core/timeline/lane.h"
#include "core/timeline/lane_mip.h"
#include "core/timeline/scanline.h"
#include "core/timeline/time_axis.h"

namespace overlap {

/// Colours of the roles. `stripe` is the second colour of what is hatched.
struct LanePalette {
    Pixel background = 0xff000000u;
    std::array<Pixel, event_role_count> fill{};
    std::array<Pixel, event_role_count> stripe{};

    Pixel fill_of(EventRole role) const { return fill[static_cast<std::size_t>(role)]; }
    Pixel stripe_of(EventRole role) const { return stripe[static_cast<std::size_t>(role)]; }
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
/// event of a pixel or more always keeps at least one pixel of its own, whatever noise lies beside it. Stalls that are
/// shorter than a pixel become bands, as high as their share of it (Scanline::band_share); so does, hatched, the
/// exposed part of short collectives. The cost depends on the width, not on the number of events.
/// @param axis range and width in device pixels.
/// @param scanline reused from call to call to save allocations.
void rasterize_lane(const Lane& lane, const LaneMip& mip, const TimeAxis& axis, const LanePalette& palette,
                    const RasterOptions& options, Scanline& scanline);

/// The event that a pointer at `x_px` means: the one under it; where several share the pixel, the one drawn; else the
/// nearest within `tolerance_px`. @returns no_event for none.
std::uint32_t event_at(const Lane& lane, const LaneMip& mip, const TimeAxis& axis, double x_px,
                       double tolerance_px = 2);

}  // namespace overlap
