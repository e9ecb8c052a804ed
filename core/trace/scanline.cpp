#include "core/trace/scanline.h"

#include <algorithm>

namespace overlap {
namespace {

/// Of a band that is lower than one row: it is seen nevertheless.
constexpr std::int32_t faintest_edge = 72;

/// The bands of a scanline in a block of so many rows: above the first row that is all band, one that is blended.
class Bands {
  public:
    Bands(const Scanline& scanline, std::int32_t height_px) : scanline_(scanline) {
        if (scanline.band_share.empty()) return;
        first_row_.assign(scanline.fill.size(), height_px);
        edge_ = scanline.fill;
        for (std::size_t x = 0; x < edge_.size(); ++x) {
            if (scanline.band_share[x] == 0) continue;
            const std::int32_t amount = height_px * scanline.band_share[x];
            const std::int32_t rows = amount / 255, rest = amount % 255;
            first_row_[x] -= rows;
            const std::int32_t share = rows == 0 ? std::max(rest, faintest_edge) : rest;
            edge_[x] = mixed(edge_[x], scanline.band[x], static_cast<std::uint32_t>(share));
        }
    }

    bool empty() const { return first_row_.empty(); }
    bool covers(std::int32_t x, std::int32_t row) const { return row >= first_row_[static_cast<std::size_t>(x)]; }
    Pixel pixel(std::size_t x, std::int32_t row) const {
        const Pixel above = row == first_row_[x] - 1 ? edge_[x] : scanline_.fill[x];
        return row >= first_row_[x] ? scanline_.band[x] : above;
    }
    void paint(Pixel* line, std::int32_t row) const {
        for (std::size_t x = 0; x < first_row_.size(); ++x) line[x] = pixel(x, row);
    }

  private:
    const Scanline& scanline_;
    std::vector<std::int32_t> first_row_;
    std::vector<Pixel> edge_;
};

void stripe(const HatchRun& run, Pixel* line, std::int32_t row, const HatchStyle& hatch, const Bands& bands) {
    const std::int32_t stripe_px = std::max(1, hatch.period_px / 4);
    std::int32_t place = (run.begin_px + row + hatch.phase_px) % hatch.period_px;
    if (place < 0) place += hatch.period_px;
    for (std::int32_t x = run.begin_px; x < run.end_px; ++x) {
        if (place < stripe_px && (!run.banded || bands.covers(x, row))) line[x] = run.stripe;
        if (++place == hatch.period_px) place = 0;
    }
}

}  // namespace

void Scanline::clear(std::size_t width_px, Pixel background) {
    fill.assign(width_px, background);
    band_share.clear();
    band.clear();
    hatches.clear();
    labels.clear();
}

void Scanline::set_band(std::size_t column, std::uint8_t share, Pixel colour) {
    if (band_share.empty()) {
        band_share.assign(fill.size(), 0);
        band.assign(fill.size(), 0);
    }
    band_share[column] = share;
    band[column] = colour;
}

Pixel mixed(Pixel background, Pixel colour, std::uint32_t share) {
    const std::uint32_t rest = 255 - share;
    const auto channel = [&](unsigned shift) {
        const std::uint32_t sum = ((background >> shift) & 255u) * rest + ((colour >> shift) & 255u) * share;
        return ((sum + 127) / 255) << shift;
    };
    return 0xff000000u | channel(16) | channel(8) | channel(0);
}

void paint_scanline(const Scanline& scanline, Pixel* pixels, std::ptrdiff_t stride_px, std::int32_t height_px,
                    const HatchStyle& hatch) {
    const Bands bands(scanline, height_px);
    for (std::int32_t row = 0; row < height_px; ++row) {
        Pixel* const line = pixels + row * stride_px;
        if (bands.empty()) {
            std::copy(scanline.fill.begin(), scanline.fill.end(), line);
        } else {
            bands.paint(line, row);
        }
        for (const HatchRun& run : scanline.hatches) stripe(run, line, row, hatch, bands);
    }
}

void paint_scanline_over(const Scanline& scanline, Pixel background, Pixel* pixels, std::ptrdiff_t stride_px,
                         std::int32_t height_px, const HatchStyle& hatch) {
    const Bands bands(scanline, height_px);
    for (std::int32_t row = 0; row < height_px; ++row) {
        Pixel* const line = pixels + row * stride_px;
        for (std::size_t x = 0; x < scanline.fill.size(); ++x) {
            const Pixel pixel = bands.empty() ? scanline.fill[x] : bands.pixel(x, row);
            if (pixel != background) line[x] = pixel;
        }
        for (const HatchRun& run : scanline.hatches) stripe(run, line, row, hatch, bands);
    }
}

}  // namespace overlap
