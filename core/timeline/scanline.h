#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/timeline/lane.h"

namespace overlap {

/// 32-bit colours, 0xffRRGGBB, as a window system takes them.
using Pixel = std::uint32_t;

/// A stretch of a scanline that is hatched: diagonal stripes over the fill.
struct HatchRun {
    std::int32_t begin_px = 0;
    std::int32_t end_px = 0;
    Pixel stripe = 0;
    bool operator==(const HatchRun&) const = default;
};

/// An event that is wide enough for text. Clipped to the scanline.
struct LabelSlot {
    std::uint32_t event = no_event;
    std::int32_t begin_px = 0;
    std::int32_t end_px = 0;
    std::int32_t plain_end_px = 0;  ///< where hatching begins, on which no text can be read; else `end_px`
    bool operator==(const LabelSlot&) const = default;
};

/// What one lane shows over one range: a row of pixels, and what one row cannot show.
struct Scanline {
    std::vector<Pixel> fill;
    /// A band along the lower edge, as high in each pixel as its share of exposed time, in 1/255 of the lane's height:
    /// so the area of it is the exposed time, however narrow single stalls are. All three are empty where there is
    /// none.
    std::vector<std::uint8_t> band_share;
    std::vector<Pixel> band;         ///< its colour
    std::vector<Pixel> band_stripe;  ///< the colour of its stripes; bands are hatched
    std::vector<HatchRun> hatches;   ///< from left to right, apart from each other
    std::vector<LabelSlot> labels;   ///< from left to right

    /// No events: `width_px` pixels of background.
    void clear(std::size_t width_px, Pixel background);
    void set_band(std::size_t column, std::uint8_t share, Pixel colour, Pixel stripe);
    /// Solid colours only, for where stripes would be lost.
    void remove_hatching();
};

/// How hatching looks: stripes of a quarter of `period_px` that lean by one pixel a row.
struct HatchStyle {
    std::int32_t period_px = 8;
    /// By how many pixels the range was moved to the left, so that stripes keep their place in time, not on the screen.
    std::int32_t phase_px = 0;
};

/// Fills a block of `height_px` rows with the scanline, bands and hatching included. The upper edge of a band is
/// blended, so that a band lower than a pixel is seen, and wider bands keep their area.
/// @param stride_px distance from one row to the next, in pixels.
void paint_scanline(const Scanline& scanline, Pixel* pixels, std::ptrdiff_t stride_px, std::int32_t height_px,
                    const HatchStyle& hatch);
/// The same, but leaves the block as it is where the scanline shows `background`.
void paint_scanline_over(const Scanline& scanline, Pixel background, Pixel* pixels, std::ptrdiff_t stride_px,
                         std::int32_t height_px, const HatchStyle& hatch);

/// `colour` over `background`; `share` in 1/255. Each channel is rounded to the nearest: x / 255 is
/// (t + t / 256) / 256 with t = x + 128, for two channels at once.
inline Pixel mixed(Pixel background, Pixel colour, std::uint32_t share) {
    constexpr std::uint32_t outer = 0x00ff00ffu, halves = 0x00800080u;
    const std::uint32_t rest = 255 - share;
    const auto rounded = [](std::uint32_t sums) {
        const std::uint32_t shifted = sums + halves;
        return ((shifted + ((shifted >> 8) & outer)) >> 8) & outer;
    };
    const std::uint32_t red_and_blue = rounded((background & outer) * rest + (colour & outer) * share);
    const std::uint32_t green = rounded(((background >> 8) & 255u) * rest + ((colour >> 8) & 255u) * share);
    return 0xff000000u | red_and_blue | (green & 255u) << 8;
}

}  // namespace overlap
