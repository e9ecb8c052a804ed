#include "core/measure/measured_step.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/error.h"
#include "core/io/trace_file.h"
#include "core/trace/trace_statistics.h"
#include "tests/trace/trace_sketch.h"

namespace overlap {
namespace {

constexpr std::int64_t us = test::TraceSketch::us;

TEST(MeasuredStep, TellsWhatRanBesideACollectiveAndWhatDidNot) {
    test::TraceSketch sketch;
    sketch.kernel("gemm", "7", 100, 50);
    sketch.kernel("gemm", "7", 200, 40);
    sketch.kernel("ncclDevKernel_AllGather_RING", "21", 220, 60, 215);
    sketch.collective("allgather", "0", 210, 100, 1024);
    const MeasuredStepData step = measured_step(sketch.finish());
    EXPECT_EQ(step.name, "");
    EXPECT_EQ(step.device, "0");
    EXPECT_EQ(step.span, (TimeRange{100 * us, 310 * us}));
    EXPECT_EQ(step.compute_ns, 90 * us);
    EXPECT_EQ(step.communication_ns, 100 * us);
    EXPECT_EQ(step.exposed_ns, 70 * us);
    ASSERT_EQ(step.collectives.size(), 2u);
    const StepCollective& first = step.collectives[0];
    EXPECT_EQ(first.range, (TimeRange{210 * us, 310 * us}));
    EXPECT_EQ(first.bytes, 4096);
    EXPECT_EQ(first.beside_compute_ns, 30 * us);
    EXPECT_EQ(first.beside_others_ns, 60 * us);
    EXPECT_EQ(first.exposed_ns, 70 * us);
    EXPECT_EQ(first.launch_ns, std::nullopt);
    EXPECT_EQ(first.idle_before_ns, 0);
    EXPECT_EQ(step.collectives[1].launch_ns, 215 * us);
    EXPECT_EQ(step.collectives[1].group, no_index);
}

TEST(MeasuredStep, KnowsHowLongTheGpuStoodStillBefore) {
    test::TraceSketch sketch;
    sketch.kernel("gemm", "7", 100, 50);
    sketch.kernel("ncclDevKernel_AllReduce", "20", 130, 70);
    sketch.kernel("ncclDevKernel_AllReduce", "20", 260, 10);
    const MeasuredStepData step = measured_step(sketch.finish());
    ASSERT_EQ(step.collectives.size(), 2u);
    EXPECT_EQ(step.collectives[0].idle_before_ns, 0);
    EXPECT_EQ(step.collectives[1].idle_before_ns, 60 * us);
}

TEST(MeasuredStep, IsOfOneGpuAndLeavesOutWhatOnlyWaits) {
    test::TraceSketch sketch;
    sketch.kernel("gemm", "7", 100, 50);
    sketch.unlaunched("cuda_sync", "Event Wait", "7", 0, 90);
    sketch.device = "1";
    sketch.kernel("gemm", "7", 400, 500);
    sketch.kernel("ncclDevKernel_AllReduce", "20", 900, 100);
    const auto trace = sketch.finish();
    const MeasuredStepData step = measured_step(trace, {"0", ""});
    EXPECT_EQ(step.span, (TimeRange{100 * us, 150 * us}));
    EXPECT_EQ(step.compute_ns, 50 * us);
    EXPECT_TRUE(step.collectives.empty());
    EXPECT_EQ(measured_step(trace, {"1", ""}).collectives.size(), 1u);
}

TEST(MeasuredStep, IsTheLastThatCountsUnlessAskedFor) {
    test::TraceSketch sketch;
    for (std::int64_t step = 0; step < 3; ++step) {
        sketch.step(step, 1000 * step, 900);
        sketch.kernel("ncclDevKernel_AllReduce", "20", 1000 * step + 100, 10 + step, 1000 * step + 50);
    }
    const auto trace = sketch.finish();
    EXPECT_EQ(measured_step(trace).name, "ProfilerStep#1");
    EXPECT_EQ(measured_step(trace, {"", "ProfilerStep#0"}).collectives[0].length_ns(), 10 * us);
    EXPECT_EQ(measured_step(trace, {"0", "2"}).collectives[0].length_ns(), 12 * us);
}

TEST(MeasuredDevices, AreListedByNumberWithTheirSteps) {
    test::TraceSketch sketch;
    for (std::int64_t step = 0; step < 3; ++step) {
        sketch.step(step, 1000 * step, 900);
        sketch.kernel("gemm", "7", 1000 * step + 100, 10, 1000 * step + 50);
    }
    for (const std::string device : {"10", "2"}) {
        sketch.device = device;
        sketch.kernel("gemm", "7", 1200, 10, 1060);
    }
    const std::vector<MeasuredDevice> devices = measured_devices(*sketch.finish());
    ASSERT_EQ(devices.size(), 3u);
    EXPECT_EQ(devices[0].device, "0");
    EXPECT_EQ(devices[0].steps, (std::vector<std::string>{"ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2"}));
    EXPECT_EQ(devices[0].last_counted, 1u);  // the last step of several is not counted
    EXPECT_EQ(devices[1].device, "2");
    EXPECT_EQ(devices[2].device, "10");
    EXPECT_EQ(devices[2].steps, (std::vector<std::string>{"ProfilerStep#1"}));
}

TEST(MeasuredDevices, AreNoneWithoutGpuEvents) {
    test::TraceSketch sketch;
    sketch.step(0, 0, 900);
    EXPECT_TRUE(measured_devices(*sketch.finish()).empty());
}

std::string refusal(const std::shared_ptr<const MeasuredTrace>& trace, const StepSelection& selection) {
    try {
        measured_step(trace, selection);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(MeasuredStep, SaysWhatThereIsWhereAskedForSomethingElse) {
    test::TraceSketch sketch;
    sketch.step(4, 0, 900);
    sketch.kernel("gemm", "7", 100, 50, 10);
    const auto trace = sketch.finish();
    EXPECT_EQ(refusal(trace, {"3", ""}), "the trace has no GPU \"3\"; it has 0");
    EXPECT_EQ(refusal(trace, {"", "9"}), "GPU 0 has no step \"9\"; it has ProfilerStep#4");
    EXPECT_EQ(refusal(test::TraceSketch().finish(), {}),
              "the trace has no GPU events, so there is no step to compare with");
}

TEST(MeasuredStep, AgreesWithTheStatisticsOfRealTraces) {
    // The repository has some of the shared traces itself.
    const bool shared = std::filesystem::exists(OVERLAP_SHARED_DATA "/traces");
    const std::string folder = shared ? OVERLAP_SHARED_DATA "/traces/" : OVERLAP_TEST_DATA "/traces/";
    for (const char* name : {"hta_nccl_data", "hta_sampled_rank0", "tracelens_h100_timesformer"}) {
        if (!shared && !std::filesystem::exists(folder + name + ".json.gz")) continue;
        const auto trace = read_trace_file(folder + name + ".json.gz");
        const DeviceTimes device = device_times(*trace).front();
        if (device.steps.empty()) {
            const MeasuredStepData step = measured_step(trace);
            EXPECT_EQ(step.compute_ns, device.total.compute_ns) << name;
            EXPECT_EQ(step.exposed_ns, device.total.exposed_ns) << name;
        }
        for (const StepTimes& times : device.steps) {
            const MeasuredStepData step = measured_step(trace, {device.device, times.name});
            EXPECT_EQ(step.compute_ns, times.times.compute_ns) << name;
            EXPECT_EQ(step.communication_ns, times.times.communication_ns) << name;
            EXPECT_EQ(step.exposed_ns, times.times.exposed_ns) << name;
            EXPECT_EQ(step.span.length_ns(), times.times.span_ns) << name;
        }
    }
}

}  // namespace
}  // namespace overlap
