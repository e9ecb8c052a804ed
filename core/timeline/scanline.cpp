#include "core/timeline/scanline.h"

#include <algorithm>

namespace overlap {
namespace {

/// Of a band that is lower than one row: it is seen nevertheless.
constexpr std::int32_t faintest_edge = 72;

std::int32_t stripe_px(const HatchStyle& hatch) {
    return std::max(1, hatch.period_px / 4);
}

/// Where in the period of the hatching a pixel lies, from 0.
std::int32_t stripe_place(std::int32_t x, std::int32_t row, const HatchStyle& hatch) {
    const std::int32_t place = (x + row + hatch.phase_px) % hatch.period_px;
    return place < 0 ? place + hatch.period_px : place;
}

/// The bands of a scanline in a block of so many rows: above the first row that is all band, one that is blended. All
/// is laid out by pixel, without branches, for the compiler to work on several pixels at once.
class Bands {
  public:
    Bands(const Scanline& scanline, std::int32_t height_px, const HatchStyle& hatch)
        : scanline_(scanline), hatch_(hatch), highest_row_(height_px) {
        if (scanline.band_share.empty()) return;
        const std::size_t width = scanline.fill.size();
        first_row_.assign(width, height_px);
        edge_ = scanline.fill;
        for (std::size_t x = 0; x < width; ++x) {
            if (scanline.band_share[x] == 0) continue;
            const std::int32_t amount = height_px * scanline.band_share[x];
            const std::int32_t rows = amount / 255, rest = amount % 255;
            first_row_[x] -= rows;
            highest_row_ = std::min(highest_row_, first_row_[x]);
            const std::int32_t share = rows == 0 ? std::max(rest, faintest_edge) : rest;
            edge_[x] = mixed(edge_[x], scanline.band[x], static_cast<std::uint32_t>(share));
        }
        on_stripe_.resize(width + static_cast<std::size_t>(hatch.period_px));
        for (std::size_t begin = 0; begin < on_stripe_.size(); begin += static_cast<std::size_t>(hatch.period_px)) {
            const std::size_t end = std::min(on_stripe_.size(), begin + static_cast<std::size_t>(stripe_px(hatch)));
            for (std::size_t place = begin; place < end; ++place) on_stripe_[place] = ~Pixel{0};
        }
    }

    /// The row, stripes of bands included, blended edges left out.
    void paint(Pixel* line, std::int32_t row) const {
        if (row < highest_row_ || first_row_.empty()) {
            std::copy(scanline_.fill.begin(), scanline_.fill.end(), line);
            return;
        }
        const Pixel* const on_stripe = on_stripe_.data() + stripe_place(0, row, hatch_);
        const Pixel* const fill = scanline_.fill.data();
        const Pixel* const band = scanline_.band.data();
        const Pixel* const stripe = scanline_.band_stripe.data();
        const std::int32_t* const first_row = first_row_.data();
        for (std::size_t x = 0; x < first_row_.size(); ++x) {
            const Pixel in_band = row >= first_row[x] ? ~Pixel{0} : 0;
            const Pixel hatched = (stripe[x] & on_stripe[x]) | (band[x] & ~on_stripe[x]);
            line[x] = (hatched & in_band) | (fill[x] & ~in_band);
        }
    }
    /// The row above each band, blended with it.
    void paint_edges(Pixel* pixels, std::ptrdiff_t stride_px) const {
        for (std::size_t x = 0; x < first_row_.size(); ++x) {
            const std::int32_t row = first_row_[x] - 1;
            if (row >= 0 && edge_[x] != scanline_.fill[x])
                pixels[row * stride_px + static_cast<std::ptrdiff_t>(x)] = edge_[x];
        }
    }

  private:
    const Scanline& scanline_;
    HatchStyle hatch_;
    std::int32_t highest_row_;  ///< that any band touches
    std::vector<std::int32_t> first_row_;
    std::vector<Pixel> edge_;
    std::vector<Pixel> on_stripe_;  ///< all bits or none, by place in the hatching
};

void stripe(const HatchRun& run, Pixel* line, std::int32_t row, const HatchStyle& hatch) {
    std::int32_t place = stripe_place(run.begin_px, row, hatch);
    for (std::int32_t x = run.begin_px; x < run.end_px; ++x) {
        if (place < stripe_px(hatch)) line[x] = run.stripe;
        if (++place == hatch.period_px) place = 0;
    }
}

}  // namespace

void Scanline::clear(std::size_t width_px, Pixel background) {
    fill.assign(width_px, background);
    band_share.clear();
    band.clear();
    band_stripe.clear();
    hatches.clear();
    labels.clear();
}

void Scanline::set_band(std::size_t column, std::uint8_t share, Pixel colour, Pixel stripe) {
    if (band_share.empty()) {
        band_share.assign(fill.size(), 0);
        band.assign(fill.size(), 0);
        band_stripe.assign(fill.size(), 0);
    }
    band_share[column] = share;
    band[column] = colour;
    band_stripe[column] = stripe;
}

void Scanline::remove_hatching() {
    hatches.clear();
    band_stripe = band;
}

void paint_scanline(const Scanline& scanline, Pixel* pixels, std::ptrdiff_t stride_px, std::int32_t height_px,
                    const HatchStyle& hatch) {
    const Bands bands(scanline, height_px, hatch);
    for (std::int32_t row = 0; row < height_px; ++row) {
        Pixel* const line = pixels + row * stride_px;
        bands.paint(line, row);
        for (const HatchRun& run : scanline.hatches) stripe(run, line, row, hatch);
    }
    bands.paint_edges(pixels, stride_px);
}

void paint_scanline_over(const Scanline& scanline, Pixel background, Pixel* pixels, std::ptrdiff_t stride_px,
                         std::int32_t height_px, const HatchStyle& hatch) {
    const Bands bands(scanline, height_px, hatch);
    std::vector<Pixel> above(scanline.fill.size());
    for (std::int32_t row = 0; row < height_px; ++row) {
        Pixel* const line = pixels + row * stride_px;
        bands.paint(above.data(), row);
        for (std::size_t x = 0; x < above.size(); ++x) {
            if (above[x] != background) line[x] = above[x];
        }
        for (const HatchRun& run : scanline.hatches) stripe(run, line, row, hatch);
    }
    bands.paint_edges(pixels, stride_px);
}

}  // namespace overlap
