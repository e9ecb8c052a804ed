#include "core/trace/measured_timeline.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/timeline/find_events.h"
#include "core/timeline/lane_rasterizer.h"
#include "core/timeline/range_statistics.h"
#include "core/timeline/timeline_stack.h"
#include "tests/trace/trace_sketch.h"

namespace overlap {
namespace {

constexpr std::int64_t us = test::TraceSketch::us;

const Lane* lane_called(const Timeline& timeline, const std::string& title, std::uint32_t depth = 0) {
    const auto found = std::find_if(timeline.lanes().begin(), timeline.lanes().end(), [&](const Lane& lane) {
        return lane.description.title == title && lane.depth == depth;
    });
    return found != timeline.lanes().end() ? &*found : nullptr;
}

TEST(MeasuredTimeline, HasALaneForEachStreamAndThread) {
    test::TraceSketch sketch;
    const std::uint32_t gemm = sketch.kernel("gemm", "7", 100, 50);
    const std::uint32_t gather = sketch.collective("allgather", "0", 120, 100);
    sketch.unlaunched("gpu_memcpy", "Memcpy HtoD", "9", 10, 20);
    sketch.unlaunched("cuda_sync", "Stream Wait Event", "1000007", 5, 100);
    TraceEvent annotation = sketch.event("gpu_user_annotation", "backward", 90, 100);
    annotation.process = "0";
    annotation.thread = "7";
    sketch.builder.add(annotation);
    sketch.builder.add(sketch.event("python_function", "train.py: step", 0, 10));
    TraceEvent name = sketch.event("", "thread_name", 0, 0);
    name.phase = 'M';
    name.label = "trainer";
    sketch.builder.add(name);
    TraceHeader header;
    header.groups.push_back({"0", "default_pg", {0, 1}, 2});
    const auto timeline = measured_timeline(*sketch.finish(header));

    std::vector<std::string> titles;
    for (const Lane& lane : timeline->lanes()) titles.push_back(lane.description.title);
    EXPECT_EQ(titles, (std::vector<std::string>{"Compute", "default_pg", "Copies", "Waits", "Annotations", "trainer",
                                                "trainer, Python"}));
    const Lane* compute = lane_called(*timeline, "Compute");
    EXPECT_EQ(compute->description.subtitle, "GPU 0, stream 7");
    EXPECT_EQ(compute->description.kind, LaneKind::compute);
    EXPECT_EQ(compute->reference, std::vector<std::uint32_t>{gemm});
    EXPECT_EQ(timeline->event_name({0, 0}), "gemm");
    const Lane* group = lane_called(*timeline, "default_pg");
    EXPECT_EQ(group->description.kind, LaneKind::process_group);
    EXPECT_EQ(group->description.subtitle, "GPU 0, stream 20, 1 collective");
    EXPECT_EQ(group->role[0], EventRole::unbucketed);
    EXPECT_EQ(group->exposed_ns[0], 70 * us) << "the tail after compute has ended";
    EXPECT_EQ(timeline->find(gather).size(), 1u);
    EXPECT_EQ(lane_called(*timeline, "Waits")->description.subtitle, "GPU 0, stream 7");
    EXPECT_EQ(lane_called(*timeline, "Waits")->role[0], EventRole::idle);
    EXPECT_EQ(lane_called(*timeline, "trainer")->size(), 1u) << "the launch";
}

TEST(MeasuredTimeline, DropsNoEventThatOverlaps) {
    test::TraceSketch sketch;
    sketch.kernel("a", "7", 0, 10);
    sketch.kernel("b", "7", 8, 10);  // launched early, as dependent kernels are
    sketch.kernel("c", "7", 9, 10);
    const auto trace = sketch.finish();
    const auto timeline = measured_timeline(*trace, {false, false, 0});
    EXPECT_EQ(timeline->event_count(), 3u);
    ASSERT_EQ(timeline->lanes().size(), 3u);
    for (std::uint32_t depth = 0; depth < 3; ++depth) EXPECT_EQ(timeline->lanes()[depth].depth, depth);
    EXPECT_EQ(trace->remarks().overlapping_activities, 2u);
}

TEST(MeasuredTimeline, TakesRoundingForNoOverlap) {
    test::TraceSketch sketch;
    const auto kernel = [&](std::int64_t start_ns, std::int64_t duration_ns) {
        TraceEvent made = test::TraceSketch::event("kernel", "gemm", 0, 0);
        made.process = "0";
        made.thread = "7";
        made.has_stream = true;
        made.start_ns = start_ns;
        made.duration_ns = duration_ns;
        sketch.builder.add(made);
    };
    kernel(1000, 501);  // ends a nanosecond after the next one begins
    kernel(1500, 500);
    kernel(1998, 100);  // really begins before that one has ended
    const auto trace = sketch.finish();
    EXPECT_EQ(trace->remarks().overlapping_activities, 1u);
    const auto timeline = measured_timeline(*trace);
    ASSERT_EQ(timeline->lanes().size(), 2u);
    EXPECT_EQ(timeline->lanes()[0].event(0), (TimeRange{1000, 1500}));
    EXPECT_EQ(timeline->event_count(), 3u);
    EXPECT_EQ(trace->events().duration_ns[0], 501) << "what the file says stays";
}

TEST(MeasuredTimeline, TakesRoundingForNoOverlapInAnyOrderOfTheFile) {
    test::TraceSketch sketch;
    const auto kernel = [&](std::int64_t start_ns, std::int64_t duration_ns) {
        TraceEvent made = test::TraceSketch::event("kernel", "gemm", 0, 0);
        made.process = "0";
        made.thread = "7";
        made.start_ns = start_ns;
        made.duration_ns = duration_ns;
        sketch.builder.add(made);
    };
    kernel(1500, 500);
    kernel(1000, 501);
    kernel(3000, 1);  // as long as what is taken for rounding, beside one that begins with it
    kernel(3000, 1);
    const auto timeline = measured_timeline(*sketch.finish());
    ASSERT_EQ(timeline->lanes().size(), 2u);
    EXPECT_EQ(timeline->lanes()[0].event(0), (TimeRange{1000, 1500}));
    EXPECT_EQ(timeline->lanes()[0].event(2), (TimeRange{3000, 3001}));
    EXPECT_EQ(timeline->lanes()[1].event(0), (TimeRange{3000, 3001}));
}

TEST(MeasuredTimeline, ExposesACollectiveWhereverNothingComputes) {
    test::TraceSketch sketch;
    sketch.kernel("gemm", "7", 110, 20);
    sketch.kernel("gemm", "8", 120, 20);
    sketch.collective("allgather", "0", 100, 60);  // 10 before compute, 30 beside it, 20 behind it
    const auto timeline = measured_timeline(*sketch.finish());
    const std::vector<EventLocation> exposed = most_exposed_events(*timeline);
    ASSERT_EQ(exposed.size(), 1u);
    const Lane& lane = timeline->lanes()[exposed[0].lane];
    EXPECT_EQ(lane.exposed_ns[exposed[0].event], 30 * us);
    EXPECT_TRUE(lane_called(*timeline, "Compute, stream 7")) << "the title tells two streams apart";
    EXPECT_TRUE(lane_called(*timeline, "Compute, stream 8"));

    LanePalette palette;
    palette.stripe[static_cast<std::size_t>(EventRole::exposed)] = 0xff'ff'00'00;
    Scanline scanline;
    rasterize_lane(lane, timeline->mip(exposed[0].lane), {{100 * us, 160 * us}, 60}, palette, {}, scanline);
    ASSERT_EQ(scanline.hatches.size(), 2u);
    EXPECT_EQ(scanline.hatches[0].stripe, palette.stripe_of(EventRole::exposed));
    EXPECT_EQ(scanline.hatches[0].begin_px, 0);
    EXPECT_EQ(scanline.hatches[0].end_px, 10);
    EXPECT_EQ(scanline.hatches[1].begin_px, 40);
    EXPECT_GE(scanline.hatches[1].end_px, 58);
    const RangeStatistics sums = RangeSums(timeline).of({100 * us, 160 * us});
    EXPECT_EQ(sums.exposed_ns, 30 * us);
    EXPECT_EQ(sums.compute_ns, 30 * us) << "two streams of one GPU";

    // The same above another timeline, later.
    const std::vector<TimelinePart> parts{{timeline, "a"}, {timeline, "b", 1000 * us, 100}};
    const RangeStatistics moved = RangeSums(stack_timelines(parts)).of({1100 * us, 1160 * us});
    EXPECT_EQ(moved.exposed_ns, 30 * us);
    EXPECT_EQ(moved.devices, 2u);
}

TEST(MeasuredTimeline, MovesToAnotherClock) {
    test::TraceSketch sketch;
    sketch.kernel("a", "7", 100, 10);
    const auto trace = sketch.finish();
    const auto timeline =
        measured_timeline(*trace, {.host_threads = false, .python_functions = false, .clock_offset_ns = -40 * us});
    EXPECT_EQ(timeline->range(), (TimeRange{60 * us, 70 * us}));
}

TEST(MeasuredTimeline, LeavesOutWhatIsNotWanted) {
    test::TraceSketch sketch;
    sketch.kernel("a", "7", 100, 10);
    sketch.builder.add(sketch.event("python_function", "f", 0, 10));
    const auto trace = sketch.finish();
    EXPECT_EQ(measured_timeline(*trace)->event_count(), 3u);
    EXPECT_EQ(measured_timeline(*trace, {true, false, 0})->event_count(), 2u);
    EXPECT_EQ(measured_timeline(*trace, {false, false, 0})->event_count(), 1u);
}

TEST(MeasuredTimeline, PutsTheGpusInOrderAndTheBusiestStreamFirst) {
    test::TraceSketch sketch;
    for (const char* device : {"10", "2"}) {
        sketch.device = device;
        sketch.kernel("short", "7", 0, 1);
        sketch.kernel("long", "8", 0, 10);
    }
    const auto timeline = measured_timeline(*sketch.finish(), {false, false, 0});
    std::vector<std::string> subtitles;
    for (const Lane& lane : timeline->lanes()) subtitles.push_back(lane.description.subtitle);
    EXPECT_EQ(subtitles,
              (std::vector<std::string>{"GPU 2, stream 8", "GPU 2, stream 7", "GPU 10, stream 8", "GPU 10, stream 7"}));
}

TEST(MeasuredTimeline, HasTheMemoryOfTheFirstGpu) {
    test::TraceSketch sketch;
    const auto sample = [&](std::int64_t time_us, std::int64_t device, std::int64_t bytes) {
        TraceEvent event = sketch.event("cpu_instant_event", "[memory]", time_us, 0);
        event.phase = 'i';
        event.memory = MemorySample{0, device, bytes};
        sketch.builder.add(event);
    };
    sample(20, 1, 500);
    sample(10, 0, 100);
    sample(30, 0, 50);
    const auto timeline = measured_timeline(*sketch.finish());
    EXPECT_EQ(timeline->memory().bytes, (std::vector<std::int64_t>{100, 50}));
    EXPECT_EQ(timeline->memory().time_ns, (std::vector<std::int64_t>{10 * us, 30 * us}));
}

TEST(MeasuredTimeline, OfNothingIsEmpty) {
    EXPECT_TRUE(measured_timeline(*test::TraceSketch().finish())->lanes().empty());
}

}  // namespace
}  // namespace overlap
