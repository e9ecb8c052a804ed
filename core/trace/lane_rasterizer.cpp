#include "core/trace/lane_rasterizer.h"

#include <algorithm>
#include <cmath>

#include "core/trace/interval_union.h"

namespace overlap {
namespace {

/// Even a pixel that is hardly busy shows that there is something.
constexpr std::uint32_t faintest_share = 56;

class Walk {
  public:
    Walk(const Lane& lane, const LaneMip& mip, const TimeAxis& axis, const LanePalette& palette,
         const RasterOptions& options, Scanline& scanline)
        : lane_(lane),
          mip_(mip),
          range_(axis.range),
          px_per_ns_(axis.width_px / static_cast<double>(axis.range.length_ns())),
          ns_per_px_(axis.ns_per_px()),
          palette_(palette),
          options_(options),
          scanline_(scanline),
          width_px_(static_cast<std::int32_t>(scanline.fill.size())) {}

    void run() {
        if (mip_.empty()) return;
        const auto pixel_ns = static_cast<std::int64_t>(ns_per_px_);
        if (pixel_ns >= mip_.bucket_ns(0)) {
            run_over_long_events(pixel_ns);
        } else {
            run_over_all_events();
        }
    }

  private:
    /// Zoomed out: only events that can be a pixel wide are looked at; pixels between them come from the pyramid.
    void run_over_long_events(std::int64_t pixel_ns) {
        const std::vector<std::uint32_t>& candidates = mip_.long_events(mip_.level_within(pixel_ns));
        const std::uint32_t first = lane_.first_ending_after(range_.begin_ns);
        std::int32_t next_px = column_of(std::max(lane_.start_ns.front(), range_.begin_ns));
        for (auto candidate = std::lower_bound(candidates.begin(), candidates.end(), first);
             candidate != candidates.end() && lane_.start_ns[*candidate] < range_.end_ns; ++candidate) {
            fetch_ahead(candidate, candidates);
            const std::int64_t begin_ns = lane_.start_ns[*candidate], end_ns = lane_.end_ns[*candidate];
            if (static_cast<double>(end_ns - begin_ns) < ns_per_px_) continue;
            const double begin = x_of(begin_ns);
            draw_pixels(next_px, std::min(width_px_, rounded(begin)));
            next_px = std::max(next_px, draw_event(*candidate, begin, x_of(end_ns), next_px));
        }
        draw_pixels(next_px, column_of(std::min(lane_.end_ns.back(), range_.end_ns)) + 1);
    }

    /// Long events lie far apart in the columns: waiting for each would be most of the time of a lane of many events.
    void fetch_ahead(std::vector<std::uint32_t>::const_iterator candidate,
                     const std::vector<std::uint32_t>& candidates) const {
        constexpr std::ptrdiff_t ahead = 8;
        if (candidates.end() - candidate <= ahead) return;
        const std::uint32_t later = candidate[ahead];
        __builtin_prefetch(&lane_.start_ns[later]);
        __builtin_prefetch(&lane_.end_ns[later]);
        __builtin_prefetch(&lane_.exposed_ns[later]);
        __builtin_prefetch(&lane_.role[later]);
    }

    void draw_pixels(std::int32_t begin_px, std::int32_t end_px) {
        std::int64_t begin_ns = time_at(begin_px);
        for (std::int32_t column = begin_px; column < std::min(end_px, width_px_); ++column) {
            const std::int64_t end_ns = time_at(column + 1);
            draw_pixel(column, {begin_ns, end_ns}, 0);
            begin_ns = end_ns;
        }
    }

    /// Zoomed in: from one visible event to the next.
    void run_over_all_events() {
        std::uint32_t index = lane_.first_ending_after(range_.begin_ns);
        std::int32_t next_px = 0;  // first pixel that is not drawn yet
        while (index < lane_.size() && lane_.start_ns[index] < range_.end_ns && next_px < width_px_) {
            const double begin = x_of(lane_.start_ns[index]);
            if (static_cast<double>(lane_.end_ns[index] - lane_.start_ns[index]) >= ns_per_px_) {
                next_px = draw_event(index, begin, x_of(lane_.end_ns[index]), next_px);
                ++index;
                continue;
            }
            const auto column = static_cast<std::int32_t>(std::max(0.0, begin));
            if (column < next_px) {  // its pixel was taken by an event of a pixel or more
                index = lane_.first_ending_after(time_at(next_px), index + 1);
                continue;
            }
            if (column >= width_px_) break;
            const TimeRange pixel{time_at(column), time_at(column + 1)};
            draw_pixel(column, pixel, index);
            next_px = column + 1;
            // At least one step forward: where a pixel is shorter than a nanosecond its range may be empty.
            index = lane_.first_ending_after(pixel.end_ns, index + 1);
        }
    }

    std::int32_t draw_event(std::uint32_t index, double begin, double end, std::int32_t next_px) {
        const std::int32_t first = std::max(next_px, rounded(begin));
        const std::int32_t last = std::min(width_px_, std::max(first + 1, rounded(end)));
        if (first >= last) return next_px;
        const EventRole role = lane_.role[index];
        const bool apart = last - first >= 6 * options_.gap_px && last < width_px_;
        const std::int32_t filled = apart ? last - options_.gap_px : last;
        std::fill(scanline_.fill.begin() + first, scanline_.fill.begin() + filled, palette_.fill_of(role));
        std::int32_t text_end = last;
        if (role == EventRole::exposed) {
            scanline_.hatches.push_back({first, filled, palette_.stripe_of(role)});
        } else if (lane_.exposed_ns[index] > 0 && lane_.description.computing) {
            hatch_where_uncovered(index, first, filled);
        } else if (lane_.exposed_ns[index] > 0) {
            const double tail = x_of(lane_.end_ns[index] - lane_.exposed_ns[index]);
            const std::int32_t tail_px = std::clamp(rounded(tail), first, filled);
            if (tail_px < filled) scanline_.hatches.push_back({tail_px, filled, palette_.stripe_of(role)});
            if (tail_px - first >= options_.min_label_px) text_end = tail_px;
        }
        if (last - first >= options_.min_label_px) scanline_.labels.push_back({index, first, text_end});
        return last;
    }

    /// Hatches an event where no compute ran beside it. Looks at no more spans than there are pixels.
    void hatch_where_uncovered(std::uint32_t index, std::int32_t first, std::int32_t filled) {
        const std::span<const TimeRange> spans = lane_.description.computing->spans();
        const Pixel colour = palette_.stripe_of(lane_.role[index]);
        std::int32_t column = first;
        while (column < filled) {
            const std::int64_t from_ns = std::max(lane_.start_ns[index], time_at(column));
            const auto next = std::partition_point(spans.begin(), spans.end(),
                                                   [&](TimeRange span) { return span.end_ns <= from_ns; });
            const bool is_last = next == spans.end();
            const std::int32_t end = is_last ? filled : std::clamp(rounded(x_of(next->begin_ns)), column, filled);
            if (end > column) scanline_.hatches.push_back({column, end, colour});
            if (is_last) return;
            column = std::max(end + 1, rounded(x_of(next->end_ns)));
        }
    }

    void draw_pixel(std::int32_t column, TimeRange pixel, std::uint32_t first_event) {
        const LaneMip::Sample sample = mip_.sample(lane_, pixel, first_event);
        if (sample.dominant == no_event) return;
        const std::uint32_t share = std::max<std::uint32_t>(sample.busy, faintest_share);
        const EventRole role = lane_.role[sample.dominant];
        Pixel colour = palette_.fill_of(role);
        // One pixel is too narrow for stripes: their mean colour stands for them.
        if (role == EventRole::exposed) colour = mixed(colour, palette_.stripe_of(role), 128);
        scanline_.fill[static_cast<std::size_t>(column)] = mixed(palette_.background, colour, share);
    }

    std::int32_t column_of(std::int64_t time_ns) const {
        return static_cast<std::int32_t>(std::clamp(x_of(time_ns), 0.0, static_cast<double>(width_px_)));
    }
    double x_of(std::int64_t time_ns) const { return static_cast<double>(time_ns - range_.begin_ns) * px_per_ns_; }
    /// Left edge of a pixel.
    std::int64_t time_at(std::int32_t column) const {
        return range_.begin_ns + static_cast<std::int64_t>(column * ns_per_px_);
    }
    /// Nearest pixel; far outside of the scanline it saturates.
    std::int32_t rounded(double x_px) const {
        return static_cast<std::int32_t>(std::clamp(x_px, -1.0, width_px_ + 1.0) + 1.5) - 1;
    }

    const Lane& lane_;
    const LaneMip& mip_;
    TimeRange range_;
    // The axis' factors, divided once: a scanline asks for thousands of positions.
    double px_per_ns_;
    double ns_per_px_;
    const LanePalette& palette_;
    const RasterOptions& options_;
    Scanline& scanline_;
    std::int32_t width_px_;
};

void stripe(const HatchRun& run, Pixel* line, std::int32_t row, const HatchStyle& hatch) {
    const std::int32_t stripe_px = std::max(1, hatch.period_px / 4);
    std::int32_t place = (run.begin_px + row + hatch.phase_px) % hatch.period_px;
    if (place < 0) place += hatch.period_px;
    for (std::int32_t x = run.begin_px; x < run.end_px; ++x) {
        if (place < stripe_px) line[x] = run.stripe;
        if (++place == hatch.period_px) place = 0;
    }
}

}  // namespace

Pixel mixed(Pixel background, Pixel colour, std::uint32_t share) {
    const std::uint32_t rest = 255 - share;
    const auto channel = [&](unsigned shift) {
        const std::uint32_t sum = ((background >> shift) & 255u) * rest + ((colour >> shift) & 255u) * share;
        return ((sum + 127) / 255) << shift;
    };
    return 0xff000000u | channel(16) | channel(8) | channel(0);
}

void rasterize_lane(const Lane& lane, const LaneMip& mip, const TimeAxis& axis, const LanePalette& palette,
                    const RasterOptions& options, Scanline& scanline) {
    scanline.fill.assign(static_cast<std::size_t>(std::max(0.0, axis.width_px)), palette.background);
    scanline.hatches.clear();
    scanline.labels.clear();
    Walk(lane, mip, axis, palette, options, scanline).run();
}

void paint_scanline(const Scanline& scanline, Pixel* pixels, std::ptrdiff_t stride_px, std::int32_t height_px,
                    const HatchStyle& hatch) {
    for (std::int32_t row = 0; row < height_px; ++row) {
        Pixel* const line = pixels + row * stride_px;
        std::copy(scanline.fill.begin(), scanline.fill.end(), line);
        for (const HatchRun& run : scanline.hatches) stripe(run, line, row, hatch);
    }
}

void paint_scanline_over(const Scanline& scanline, Pixel background, Pixel* pixels, std::ptrdiff_t stride_px,
                         std::int32_t height_px, const HatchStyle& hatch) {
    for (std::int32_t row = 0; row < height_px; ++row) {
        Pixel* const line = pixels + row * stride_px;
        for (std::size_t x = 0; x < scanline.fill.size(); ++x) {
            if (scanline.fill[x] != background) line[x] = scanline.fill[x];
        }
        for (const HatchRun& run : scanline.hatches) stripe(run, line, row, hatch);
    }
}

std::uint32_t event_at(const Lane& lane, const LaneMip& mip, const TimeAxis& axis, double x_px, double tolerance_px) {
    const std::int64_t time_ns = axis.time_at(x_px);
    const std::uint32_t next = lane.first_ending_after(time_ns);
    const auto width_px = [&](std::uint32_t index) {
        return axis.x_of(lane.end_ns[index]) - axis.x_of(lane.start_ns[index]);
    };
    if (next < lane.size() && lane.start_ns[next] <= time_ns && width_px(next) >= 1) return next;

    const double column = std::floor(x_px);
    const TimeRange pixel{axis.time_at(column), axis.time_at(column + 1)};
    const LaneMip::Sample sample = mip.sample(lane, pixel, lane.first_ending_after(pixel.begin_ns));
    if (sample.dominant != no_event) return sample.dominant;

    std::uint32_t nearest = no_event;
    double nearest_px = tolerance_px;
    if (next < lane.size()) {
        const double distance = axis.x_of(lane.start_ns[next]) - x_px;
        if (distance <= nearest_px) {
            nearest = next;
            nearest_px = distance;
        }
    }
    if (next > 0) {
        const double distance = x_px - axis.x_of(lane.end_ns[next - 1]);
        if (distance < nearest_px || (distance == nearest_px && nearest == no_event)) nearest = next - 1;
    }
    return nearest;
}

}  // namespace overlap
