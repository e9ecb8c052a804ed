// What traces hold at the edges: lists of ranks, times, and names of kernels.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/process_group_ranks.h"
#include "core/trace/trace_statistics.h"
#include "tests/support/problem_of.h"
#include "tests/trace/trace_sketch.h"

namespace overlap {
namespace {

TEST(RanksInText, AreAListOrNone) {
    using Ranks = std::vector<std::int64_t>;
    for (const auto& [text, ranks] : std::vector<std::pair<std::string, Ranks>>{
             {"[]", {}}, {"[ ]", {}}, {"[7]", {7}}, {" [0, 1,2\t, -3 ] ", {0, 1, 2, -3}}}) {
        EXPECT_EQ(ranks_in(text), ranks) << text;
    }
    for (const char* text : {"", " ", "0, 1", "[0, 1", "[0, ...]", "[0 1]", "[,]", "[0,]", "[0] and more", "[x]",
                             "[99999999999999999999]", "]"})
        EXPECT_EQ(ranks_in(text), std::nullopt) << text;
}

std::string problem_with(const std::function<void(TraceEvent&)>& change) {
    test::TraceSketch sketch;
    TraceEvent event = test::TraceSketch::event("cpu_op", "aten::mm", 0, 1);
    change(event);
    return test::problem_of([&] { sketch.builder.add(event); });
}

TEST(TracesAtEdges, TimesThatCannotBeAreRefused) {
    static constexpr std::int64_t greatest_ns = MeasuredTraceBuilder::greatest_time_ns;
    const std::string far = "its time is more than 95 years from zero";
    EXPECT_EQ(problem_with([](TraceEvent& event) { event.start_ns = greatest_ns + 1; }), far);
    EXPECT_EQ(problem_with([](TraceEvent& event) { event.start_ns = -greatest_ns - 1; }), far);
    EXPECT_EQ(problem_with([](TraceEvent& event) { event.start_ns = -greatest_ns; }), "accepted");
    EXPECT_EQ(problem_with([](TraceEvent& event) { event.start_ns = greatest_ns; }), "accepted");
    EXPECT_EQ(
        problem_with([](TraceEvent& event) { event.duration_ns = MeasuredTraceBuilder::greatest_duration_ns + 1; }),
        "it lasts for more than three years");
    EXPECT_EQ(problem_with([](TraceEvent& event) { event.start_ns.reset(); }), "\"ts\" is missing");
    EXPECT_EQ(problem_with([](TraceEvent& event) {
                  event.start_ns.reset();
                  event.phase = 'M';
              }),
              "accepted");
}

TEST(TracesAtEdges, FlowsAreNoWork) {
    test::TraceSketch sketch;
    for (const char phase : {'s', 't', 'f'}) {
        TraceEvent flow = test::TraceSketch::event("kernel", "ac2g", 1, 1);
        flow.phase = phase;
        sketch.builder.add(flow);
    }
    const auto trace = sketch.finish();
    EXPECT_TRUE(trace->activities().empty());
    EXPECT_EQ(trace->remarks().not_understood, 0u);
}

TEST(TracesAtEdges, ARowWithoutAPlaceKeepsItsOwn) {
    test::TraceSketch sketch;
    TraceEvent place = test::TraceSketch::event("", "thread_sort_index", 0, 0);
    place.phase = 'M';
    place.sort_index = 9;
    sketch.builder.add(place);
    place.sort_index.reset();
    sketch.builder.add(place);
    sketch.builder.add(test::TraceSketch::event("cpu_op", "aten::mm", 0, 1));
    EXPECT_EQ(sketch.finish()->tracks().back().sort_index, 9);
}

/// Microseconds of compute of a kernel of this name beside one of communication, as the other tool counts them.
std::int64_t holistic_compute_us(const std::string& name) {
    test::TraceSketch sketch;
    sketch.kernel("ncclDevKernel_AllGather", "20", 0, 10);
    sketch.kernel(name, "7", 20, 10);
    return holistic_times(*sketch.finish())->compute_us;
}

TEST(HolisticTimesOfNames, FollowItsLists) {
    for (const char* name : {"gemm", "void cutlass::Kernel", "cudaGraphNode", "my dm a", "runs"})
        EXPECT_EQ(holistic_compute_us(name), 10) << name;
    for (const char* name :
         {"void ncclKernel_AllReduce", "hipMemcpyKernel", "hcclAllReduce", "Memcpy DtoD", "Memset", "dma copy",
          "a dma copy", "a Memset", "a Memcpy", "Device Sync", "Stream Wait Event", "runFunction", "job_exe 1",
          "packet", "pe_exe", "cpum_exe_subgraph", "collective_subgraph_execution", "cudaLaunchKernel"})
        EXPECT_EQ(holistic_compute_us(name), 0) << name;
}

TEST(HolisticTimesOfNames, OfSeveralStepsLeaveOutTheLastAndWhatHasNoLaunch) {
    test::TraceSketch sketch;
    sketch.step(1, 0, 100);
    sketch.step(2, 100, 100);
    sketch.kernel("gemm", "7", 10, 10, 5);
    sketch.unlaunched("kernel", "gemm", "7", 30, 10);
    sketch.kernel("gemm", "7", 110, 10, 105);
    EXPECT_EQ(holistic_times(*sketch.finish())->compute_us, 10);
}

}  // namespace
}  // namespace overlap
