// Building and rasterising a timeline of a million events in 64 lanes. Zoom is the visible share in per mille.
#include <benchmark/benchmark.h>

#include "core/timeline/lane_rasterizer.h"
#include "core/timeline/range_statistics.h"
#include "tests/timeline/synthetic_timeline.h"

namespace overlap {
namespace {

constexpr std::uint32_t event_count = 1'000'000;
constexpr std::uint32_t lane_count = 64;
constexpr int width_px = 1920;
constexpr int height_px = 1080;

const std::shared_ptr<const Timeline>& shared_timeline() {
    static const std::shared_ptr<const Timeline> made = test::synthetic_trace(event_count, lane_count);
    return made;
}

const Timeline& timeline() {
    return *shared_timeline();
}

LanePalette palette() {
    LanePalette result;
    for (std::size_t role = 0; role < event_role_count; ++role) {
        result.fill[role] = 0xff203040u * static_cast<Pixel>(role + 1) | 0xff000000u;
        result.stripe[role] = 0xffffffffu;
    }
    return result;
}

/// A view of `per_mille` of the timeline that moves on with each frame.
TimeRange panning(const Timeline& whole, std::int64_t per_mille, std::int64_t frame) {
    const std::int64_t length = whole.range().length_ns() * per_mille / 1000;
    const std::int64_t room = std::max<std::int64_t>(1, whole.range().length_ns() - length);
    const std::int64_t begin = whole.range().begin_ns + (frame * length / 37) % room;
    return {begin, begin + length};
}

void rasterize_million_events(benchmark::State& state) {
    const Timeline& whole = timeline();
    std::vector<Pixel> screen(static_cast<std::size_t>(width_px) * height_px);
    const LanePalette colours = palette();
    Scanline scanline;
    std::int64_t frame = 0;
    constexpr int lane_px = height_px / static_cast<int>(lane_count);
    for (auto _ : state) {
        const TimeAxis axis{panning(whole, state.range(0), ++frame), width_px};
        for (std::uint32_t lane = 0; lane < lane_count; ++lane) {
            rasterize_lane(whole.lanes()[lane], whole.mip(lane), axis, colours, {}, scanline);
            paint_scanline(scanline, &screen[static_cast<std::size_t>(lane) * lane_px * width_px], width_px, lane_px,
                           {});
        }
        benchmark::DoNotOptimize(screen.data());
        benchmark::ClobberMemory();
    }
}
BENCHMARK(rasterize_million_events)->Arg(1000)->Arg(100)->Arg(10)->Unit(benchmark::kMillisecond);

/// A ruler is drawn over half of the timeline: sums at each move of the mouse, once what they need is there.
void measure_range_of_million_events(benchmark::State& state) {
    const RangeSums sums(shared_timeline());
    std::int64_t frame = 0;
    for (auto _ : state) benchmark::DoNotOptimize(sums.of(panning(timeline(), 500, ++frame)));
}
BENCHMARK(measure_range_of_million_events)->Unit(benchmark::kMicrosecond);

void join_million_events_for_ranges(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(RangeSums(shared_timeline()));
}
BENCHMARK(join_million_events_for_ranges)->Unit(benchmark::kMillisecond);

void build_pyramids_of_million_events(benchmark::State& state) {
    const Timeline& whole = timeline();
    for (auto _ : state) {
        for (const Lane& lane : whole.lanes()) benchmark::DoNotOptimize(LaneMip(lane));
    }
}
BENCHMARK(build_pyramids_of_million_events)->Unit(benchmark::kMillisecond);

void hit_test(benchmark::State& state) {
    const Timeline& whole = timeline();
    const TimeAxis axis{whole.range(), width_px};
    double x_px = 0;
    for (auto _ : state) {
        x_px = x_px > width_px ? 0 : x_px + 0.7;
        benchmark::DoNotOptimize(event_at(whole.lanes()[7], whole.mip(7), axis, x_px));
    }
}
BENCHMARK(hit_test);

}  // namespace
}  // namespace overlap
