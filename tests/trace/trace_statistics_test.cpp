#include "core/trace/trace_statistics.h"

#include <gtest/gtest.h>

#include "tests/trace/trace_sketch.h"

namespace overlap {
namespace {

constexpr std::int64_t us = test::TraceSketch::us;

TEST(DeviceTimes, AreUnionsOfWhatRuns) {
    test::TraceSketch sketch;
    sketch.kernel("gemm", "7", 100, 50);
    sketch.kernel("gemm", "8", 120, 50);  // beside the first: compute lasts from 100 to 170
    sketch.kernel("ncclDevKernel_AllGather_RING_LL", "20", 160, 40);
    sketch.unlaunched("gpu_memcpy", "Memcpy DtoD", "9", 190, 20);
    sketch.kernel("gemm", "7", 250, 10);
    const auto trace = sketch.finish();
    const std::vector<DeviceTimes> devices = device_times(*trace);
    ASSERT_EQ(devices.size(), 1u);
    const GpuTimes& total = devices[0].total;
    EXPECT_EQ(devices[0].device, "0");
    EXPECT_EQ(total.activities, 5u);
    EXPECT_EQ(total.begin_ns, 100 * us);
    EXPECT_EQ(total.span_ns, 160 * us);
    EXPECT_EQ(total.compute_ns, 80 * us);
    EXPECT_EQ(total.communication_ns, 40 * us);
    EXPECT_EQ(total.exposed_ns, 30 * us);
    EXPECT_EQ(total.memory_ns, 20 * us);
    EXPECT_EQ(total.idle_ns, 40 * us);
    EXPECT_DOUBLE_EQ(total.overlap_percent().value(), 25.0);
    EXPECT_EQ(total.unmatched, 1u);
    EXPECT_TRUE(devices[0].steps.empty());
}

TEST(DeviceTimes, WithoutCommunicationHaveNoOverlap) {
    test::TraceSketch sketch;
    sketch.kernel("gemm", "7", 0, 1);
    EXPECT_FALSE(device_times(*sketch.finish())[0].total.overlap_percent().has_value());
}

TEST(DeviceTimes, BelongToTheStepThatLaunchedThem) {
    test::TraceSketch sketch;
    sketch.step(4, 100, 100);
    sketch.step(5, 205, 100);
    sketch.step(6, 310, 100);
    sketch.kernel("warm-up", "7", 90, 5, 50);
    sketch.kernel("first", "7", 150, 80, 120);   // ends within the second step
    sketch.kernel("between", "7", 230, 5, 202);  // launched between two steps: of the earlier
    sketch.kernel("second", "7", 240, 10, 210);
    sketch.kernel("last", "7", 320, 7, 315);
    const auto trace = sketch.finish();
    const std::vector<DeviceTimes> devices = device_times(*trace);
    ASSERT_EQ(devices.size(), 1u);
    ASSERT_EQ(devices[0].steps.size(), 3u);
    EXPECT_EQ(devices[0].steps[0].name, "ProfilerStep#4");
    EXPECT_EQ(devices[0].steps[0].host_ns, 100 * us);
    EXPECT_EQ(devices[0].steps[0].times.compute_ns, 85 * us);
    EXPECT_EQ(devices[0].steps[1].times.compute_ns, 10 * us);
    EXPECT_EQ(devices[0].steps[2].times.compute_ns, 7 * us);
    EXPECT_TRUE(devices[0].steps[1].is_counted);
    EXPECT_FALSE(devices[0].steps[2].is_counted);
    EXPECT_EQ(devices[0].total.compute_ns, 100 * us) << "all but the last step, with what came before the first";
}

TEST(DeviceTimes, OfOneStepAreWhole) {
    test::TraceSketch sketch;
    sketch.step(4, 100, 100);
    sketch.kernel("gemm", "7", 150, 80, 120);
    const std::vector<DeviceTimes> devices = device_times(*sketch.finish());
    EXPECT_EQ(devices[0].total.compute_ns, 80 * us);
    EXPECT_TRUE(devices[0].steps[0].is_counted);
}

TEST(DeviceTimes, AnActivityWithoutLaunchFollowsItsStream) {
    test::TraceSketch sketch;
    sketch.step(4, 100, 100);
    sketch.step(5, 200, 100);
    sketch.unlaunched("kernel", "lost at the beginning", "7", 110, 1);
    sketch.kernel("first", "7", 150, 10, 120);
    sketch.kernel("second", "7", 240, 10, 210);
    sketch.unlaunched("kernel", "lost", "7", 260, 3);
    sketch.unlaunched("kernel", "on a stream of its own", "8", 150, 1000);
    const auto trace = sketch.finish();
    const DeviceTimes device = device_times(*trace).at(0);
    EXPECT_EQ(device.steps[0].times.compute_ns, 11 * us);
    EXPECT_EQ(device.steps[0].times.unmatched, 1u);
    EXPECT_EQ(device.steps[1].times.compute_ns, 13 * us);
    EXPECT_EQ(device.total.activities, 3u);
}

TEST(DeviceTimes, ActivitiesThatStartTogetherStandAsInTheFile) {
    test::TraceSketch sketch;
    sketch.step(4, 100, 100);
    sketch.step(5, 200, 100);
    sketch.kernel("first", "7", 150, 10, 120);
    sketch.kernel("second", "7", 240, 10, 210);
    sketch.unlaunched("kernel", "lost", "7", 240, 30);
    const DeviceTimes device = device_times(*sketch.finish()).at(0);
    EXPECT_EQ(device.steps[0].times.compute_ns, 10 * us);
    EXPECT_EQ(device.steps[1].times.compute_ns, 30 * us);
}

TEST(DeviceTimes, OfAGpuThatOnlyWaitsAreZero) {
    test::TraceSketch sketch;
    sketch.unlaunched("cuda_sync", "Stream Wait Event", "1000007", 5, 100);
    const GpuTimes total = device_times(*sketch.finish()).at(0).total;
    EXPECT_EQ(total.begin_ns, 0);
    EXPECT_EQ(total.span_ns, 0);
    EXPECT_EQ(total.idle_ns, 0);
}

TEST(DeviceTimes, KeepGpusApartInTheOrderOfTheirNumbers) {
    test::TraceSketch sketch;
    for (const char* device : {"10", "9"}) {
        sketch.device = device;
        sketch.kernel("gemm", "7", 0, 10);
    }
    const std::vector<DeviceTimes> devices = device_times(*sketch.finish());
    ASSERT_EQ(devices.size(), 2u);
    EXPECT_EQ(devices[0].device, "9");
    EXPECT_EQ(devices[1].device, "10");
}

TEST(DeviceTimes, WaitsKeepNothingBusy) {
    test::TraceSketch sketch;
    sketch.kernel("gemm", "7", 0, 10);
    sketch.unlaunched("cuda_sync", "Stream Wait Event", "1000007", 5, 100);
    const GpuTimes total = device_times(*sketch.finish()).at(0).total;
    EXPECT_EQ(total.span_ns, 10 * us);
    EXPECT_EQ(total.activities, 1u);
}

TEST(DeviceTimes, CountWhatHasNoLaunchAsTheRemarksOfTheTraceDo) {
    test::TraceSketch sketch;
    sketch.kernel("gemm", "7", 0, 10);
    sketch.unlaunched("kernel", "relu", "7", 10, 10);
    sketch.unlaunched("cuda_sync", "Stream Wait Event", "1000007", 5, 100);
    const auto trace = sketch.finish();
    EXPECT_EQ(device_times(*trace).at(0).total.unmatched, 1u);
    EXPECT_EQ(trace->remarks().activities_without_launch, 1u);
}

TEST(HolisticTimes, NamesTheCommunicationThatTheFilterMisses) {
    test::TraceSketch sketch;
    sketch.kernel("gemm", "7", 0, 10);
    sketch.kernel("ncclSymkDevKernel_AllGather_LL", "20", 10, 10);
    sketch.kernel("two_shot_all_reduce_kernel", "20", 20, 10);
    sketch.kernel("two_shot_all_reduce_kernel", "20", 30, 10);
    const auto trace = sketch.finish();
    const auto times = holistic_times(*trace);
    ASSERT_TRUE(times);
    ASSERT_EQ(times->missed_collectives.size(), 1u);
    EXPECT_EQ(times->missed_collectives[0].name, "two_shot_all_reduce_kernel");
    EXPECT_EQ(times->missed_collectives[0].events, 2u);
    EXPECT_EQ(times->compute_us, 30) << "it takes them for compute";
    EXPECT_EQ(device_times(*trace)[0].total.communication_ns, 30 * us);
    EXPECT_EQ(device_times(*trace)[0].total.compute_ns, 10 * us);
}

TEST(HolisticTimes, SplitTheTimeOfTheKernels) {
    test::TraceSketch sketch;
    sketch.step(1, 5, 1);  // alone it leaves nothing out
    sketch.kernel("gemm", "7", 100, 50, 6);
    sketch.kernel("ncclDevKernel_AllGather_RING_LL", "20", 130, 40, 6);
    sketch.kernel("gemm", "7", 200, 30, 6);
    const auto times = holistic_times(*sketch.finish());
    ASSERT_TRUE(times);
    EXPECT_EQ(times->kernel_us, 130);
    EXPECT_EQ(times->compute_us, 80);
    EXPECT_EQ(times->idle_us, 30);
    EXPECT_EQ(times->non_compute_us, 20);
    EXPECT_DOUBLE_EQ(times->overlap_percent.value(), 50.0);
}

TEST(HolisticTimes, WithoutCommunicationHaveNoOverlap) {
    test::TraceSketch sketch;
    sketch.kernel("gemm", "7", 0, 10);
    EXPECT_FALSE(holistic_times(*sketch.finish())->overlap_percent);
}

TEST(HolisticTimes, RoundInwardsWhereAnyTimeHasAFraction) {
    const auto compute_us = [](std::int64_t fraction_ns) {
        test::TraceSketch sketch;
        TraceEvent kernel = sketch.event("kernel", "gemm", 10, 5);
        kernel.has_stream = true;
        kernel.start_ns = 10 * us + fraction_ns;
        sketch.builder.add(kernel);
        return holistic_times(*sketch.finish())->compute_us;
    };
    EXPECT_EQ(compute_us(0), 5);
    EXPECT_EQ(compute_us(500), 4) << "from 11 to 15";
}

TEST(HolisticTimes, OfNoGpuEventsAreNone) {
    EXPECT_FALSE(holistic_times(*test::TraceSketch().finish()));
}

}  // namespace
}  // namespace overlap
