#include "core/timeline/lane_rasterizer.h"

#include <algorithm>
#include <cmath>

#include "core/timeline/interval_union.h"

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
            // What began in a pixel that is drawn may reach into the next one.
            if (lane_.end_ns[index] <= time_at(next_px)) {
                index = lane_.first_ending_after(time_at(next_px), index + 1);
                continue;
            }
            const std::int32_t column = std::max(next_px, static_cast<std::int32_t>(std::max(0.0, begin)));
            if (column >= width_px_) break;
            const TimeRange pixel{time_at(column), time_at(column + 1)};
            draw_pixel(column, pixel, index);
            next_px = column + 1;
            index = lane_.first_ending_after(pixel.end_ns, index);
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
        const std::size_t hatches_before = scanline_.hatches.size();
        if (role == EventRole::exposed) {
            scanline_.hatches.push_back({first, filled, palette_.stripe_of(role)});
        } else if (lane_.exposed_ns[index] > 0 && lane_.description.computing) {
            hatch_where_uncovered(index, first, filled);
        } else if (lane_.exposed_ns[index] > 0) {
            const double tail = x_of(lane_.end_ns[index] - lane_.exposed_ns[index]);
            const std::int32_t tail_px = std::clamp(rounded(tail), first, filled);
            if (tail_px < filled) scanline_.hatches.push_back({tail_px, filled, palette_.stripe_of(role)});
        }
        if (last - first >= options_.min_label_px) {
            const bool is_hatched = scanline_.hatches.size() > hatches_before;
            const std::int32_t plain_end = is_hatched ? scanline_.hatches[hatches_before].begin_px : last;
            scanline_.labels.push_back({index, first, last, plain_end});
        }
        if (role != EventRole::exposed && mip_.has_stalls()) {
            below_ = role;
            // Short stalls beside it may have no pixel of their own.
            if (begin > first) draw_stalls_before(first, index);
            if (end < last) draw_stalls(last - 1, sample_of(last - 1, index));
        }
        return last;
    }

    /// Hatches an event where no compute ran beside it. Looks at no more spans than there are pixels.
    void hatch_where_uncovered(std::uint32_t index, std::int32_t first, std::int32_t filled) {
        const std::span<const TimeRange> spans = lane_.description.computing->spans();
        const Pixel colour = exposed_stripe(lane_.role[index]);
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

    /// A measured lane has no stalls beside it, so its collectives have their colour; a simulated collective's stripes
    /// are gaps, since the stall in the lane of compute is drawn as one.
    Pixel exposed_stripe(EventRole role) const {
        return palette_.stripe_of(lane_.description.computing ? EventRole::exposed : role);
    }

    void draw_pixel(std::int32_t column, TimeRange pixel, std::uint32_t first_event) {
        const LaneMip::Sample sample = mip_.sample(lane_, pixel, first_event);
        if (sample.dominant == no_event) return;
        const EventRole role = lane_.role[sample.dominant];
        if (mip_.has_stalls()) {
            if (role != EventRole::exposed) below_ = role;
            // What is no stall spreads over what the band leaves.
            const std::uint32_t busy = sample.busy - std::min(sample.busy, sample.exposed);
            if (busy > 0) draw_share(column, below_, busy * 255 / (255 - std::min<std::uint32_t>(sample.exposed, 254)));
            draw_stalls(column, sample);
            return;
        }
        draw_share(column, role, sample.busy);
        if (sample.exposed == 0) return;
        const auto place = static_cast<std::size_t>(column);
        const std::uint32_t share = 255u * std::min(sample.exposed, sample.busy) / sample.busy;
        scanline_.set_band(place, static_cast<std::uint8_t>(share), scanline_.fill[place], exposed_stripe(role));
    }

    void draw_share(std::int32_t column, EventRole role, std::uint32_t busy) {
        const std::uint32_t share = std::clamp<std::uint32_t>(busy, faintest_share, 255);
        scanline_.fill[static_cast<std::size_t>(column)] = mixed(palette_.background, palette_.fill_of(role), share);
    }

    LaneMip::Sample sample_of(std::int32_t column, std::uint32_t first_event) const {
        return mip_.sample(lane_, {time_at(column), time_at(column + 1)}, first_event);
    }

    /// The stalls in the pixel in which an event begins.
    void draw_stalls_before(std::int32_t column, std::uint32_t event) {
        const std::int64_t begin_ns = time_at(column);
        while (event > 0 && lane_.end_ns[event - 1] > begin_ns) --event;
        draw_stalls(column, sample_of(column, event));
    }

    void draw_stalls(std::int32_t column, const LaneMip::Sample& sample) {
        if (sample.exposed == 0) return;
        // One pixel is too narrow for stripes: their mean colour stands for them, and stripes where pixels are many.
        const Pixel stripe = palette_.stripe_of(EventRole::exposed);
        scanline_.set_band(static_cast<std::size_t>(column), sample.exposed,
                           mixed(palette_.fill_of(EventRole::exposed), stripe, 128), stripe);
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
    EventRole below_ = EventRole::compute;  ///< what ran last: what is behind a stall that fills most of a pixel
};

}  // namespace

void rasterize_lane(const Lane& lane, const LaneMip& mip, const TimeAxis& axis, const LanePalette& palette,
                    const RasterOptions& options, Scanline& scanline) {
    scanline.clear(static_cast<std::size_t>(std::max(0.0, axis.width_px)), palette.background);
    Walk(lane, mip, axis, palette, options, scanline).run();
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
