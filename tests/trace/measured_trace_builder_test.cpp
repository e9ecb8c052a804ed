// What becomes of events that a trace has: begun ones, those without a duration, other clocks, rows.

#include "core/trace/measured_trace_builder.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/problem_of.h"
#include "tests/trace/trace_sketch.h"

namespace overlap {
namespace {

constexpr std::int64_t us = test::TraceSketch::us;

/// An event without a duration of its own.
TraceEvent mark(char phase, std::int64_t start_us, std::string_view thread = "101") {
    TraceEvent made = test::TraceSketch::event("cpu_op", "span", start_us, 0);
    made.phase = phase;
    made.thread = thread;
    made.duration_ns.reset();
    return made;
}

TEST(BegunEvents, LastUntilTheirEndsOfWhichTheInnerComeFirst) {
    test::TraceSketch sketch;
    for (const TraceEvent& event :
         {mark('B', 0), mark('B', 10), mark('E', 30), mark('B', 5, "102"), mark('E', 100), mark('E', 45, "102")})
        sketch.builder.add(event);
    const auto trace = sketch.finish();
    EXPECT_EQ(trace->events().duration_ns, (std::vector<std::int64_t>{100 * us, 20 * us, 0, 40 * us, 0, 0}));
    EXPECT_EQ(trace->remarks().unclosed_begins, 0u);
    EXPECT_EQ(trace->remarks().unopened_ends, 0u);
}

TEST(BegunEvents, MayStandInAnyOrderOfTheFile) {
    test::TraceSketch sketch;
    for (const TraceEvent& event : {mark('E', 30), mark('B', 10)}) sketch.builder.add(event);
    const auto trace = sketch.finish();
    EXPECT_EQ(trace->events().duration_ns, (std::vector<std::int64_t>{0, 20 * us}));
    EXPECT_EQ(trace->remarks().unopened_ends, 0u);
}

TEST(BegunEvents, WithoutEndLastUntilTheTraceEnds) {
    test::TraceSketch sketch;
    for (const TraceEvent& event : {mark('E', 2), mark('B', 10), mark('B', 20)}) sketch.builder.add(event);
    sketch.builder.add(test::TraceSketch::event("cpu_op", "aten::mm", 50, 40));
    const auto trace = sketch.finish();
    EXPECT_EQ(trace->events().duration_ns, (std::vector<std::int64_t>{0, 80 * us, 70 * us, 40 * us}));
    EXPECT_EQ(trace->remarks().unclosed_begins, 2u);
    EXPECT_EQ(trace->remarks().unopened_ends, 1u);
}

TEST(RemarksOfATrace, CountWhatIsTakenOtherwiseThanItIsWritten) {
    test::TraceSketch sketch;
    TraceEvent backwards = test::TraceSketch::event("cpu_op", "backwards", 10, -5);
    TraceEvent without_duration = mark('X', 20);
    TraceEvent counter = mark('C', 30);
    TraceEvent nothing;  // `{}`
    for (const TraceEvent& event : {backwards, without_duration, counter, counter, nothing, mark('i', 40)})
        sketch.builder.add(event);
    const auto trace = sketch.finish();
    EXPECT_EQ(trace->events().duration_ns, std::vector<std::int64_t>(6, 0));
    EXPECT_EQ(trace->remarks().negative_durations, 1u);
    EXPECT_EQ(trace->remarks().missing_durations, 1u);
    EXPECT_EQ(trace->remarks().not_understood, 2u) << "the counters";
}

TEST(TracesWithABase, HaveItInAllTimes) {
    test::TraceSketch sketch;
    sketch.kernel("gemm", "7", 10, 5);
    TraceEvent sample = mark('i', 20);
    sample.memory = MemorySample{0, 0, 100};
    sketch.builder.add(sample);
    sketch.step(1, 0, 100);
    TraceHeader header;
    header.base_ns = 5'000'000 * us;
    const auto trace = sketch.finish(header);
    EXPECT_EQ(trace->events().start_ns,
              (std::vector<std::int64_t>{5'000'000 * us, 5'000'010 * us, 5'000'020 * us, 5'000'000 * us}));
    EXPECT_EQ(trace->memory()[0].time_ns, 5'000'020 * us);
    EXPECT_EQ(trace->steps()[0].host.begin_ns, 5'000'000 * us);
    EXPECT_EQ(trace->header().base_ns, header.base_ns);
}

TEST(TracesWithABase, AreRefusedWhereTimesCannotBe) {
    constexpr std::int64_t greatest_ns = MeasuredTraceBuilder::greatest_time_ns;
    constexpr std::int64_t longest_ns = MeasuredTraceBuilder::greatest_duration_ns;
    const auto with_base = [](std::int64_t base_ns, std::int64_t start_ns) {
        test::TraceSketch sketch;
        sketch.builder.add(mark('i', 0));
        TraceEvent event = mark('i', 0);
        event.start_ns = start_ns;
        sketch.builder.add(event);
        TraceHeader header;
        header.base_ns = base_ns;
        return test::problem_of([&] { sketch.finish(header); });
    };
    const std::string base = "baseTimeNanoseconds: it is more than 95 years from zero";
    EXPECT_EQ(with_base(greatest_ns + 1, 0), base);
    EXPECT_EQ(with_base(-greatest_ns - 1, 0), base);
    const std::string second = "traceEvents[1]: with baseTimeNanoseconds its time lies before 1967 or after 2061";
    EXPECT_EQ(with_base(1, greatest_ns - longest_ns), second);
    EXPECT_EQ(with_base(0, greatest_ns - longest_ns), "accepted");
    EXPECT_EQ(with_base(-1, -longest_ns), second);
    EXPECT_EQ(with_base(0, -longest_ns), "accepted");
}

TEST(RowsOfATrace, AreAsManyAsThreadsAndStreams) {
    test::TraceSketch sketch;
    for (const auto& [process, thread] : {std::pair("1", "1"), {"1", "2"}, {"1", "1"}, {"2", "1"}, {"1", "2"}}) {
        TraceEvent event = mark('X', 0, thread);
        event.process = process;
        sketch.builder.add(event);
    }
    TraceEvent kernel = test::TraceSketch::event("kernel", "gemm", 0, 1);
    kernel.process = kernel.thread = "1";
    sketch.builder.add(kernel);
    const auto trace = sketch.finish();
    EXPECT_EQ(trace->events().track, (std::vector<std::uint32_t>{0, 1, 0, 2, 1, 3}));
    ASSERT_EQ(trace->tracks().size(), 4u);
    EXPECT_FALSE(trace->tracks()[0].is_gpu);
    EXPECT_TRUE(trace->tracks()[3].is_gpu) << "a GPU may have the number of a process";
}

TEST(StepsOfATrace, AreOneForAllThreadsThatNoteThem) {
    test::TraceSketch sketch;
    sketch.step(2, 200, 50);
    TraceEvent again = test::TraceSketch::event("user_annotation", "ProfilerStep#2", 190, 30);
    again.thread = "102";
    sketch.builder.add(again);
    sketch.step(1, 100, 50);
    sketch.builder.add(test::TraceSketch::event("user_annotation", "Optimizer.step", 0, 10));
    sketch.builder.add(test::TraceSketch::event("cpu_op", "ProfilerStep#3", 0, 10));
    const auto trace = sketch.finish();
    ASSERT_EQ(trace->steps().size(), 2u);
    EXPECT_EQ(trace->steps()[0].name, "ProfilerStep#1");
    EXPECT_EQ(trace->steps()[1].name, "ProfilerStep#2");
    EXPECT_EQ(trace->steps()[1].host, (TimeRange{190 * us, 250 * us}));
}

TEST(BytesOfATrace, GrowWithItsTextsAndItsEvents) {
    const auto bytes_with = [](const std::vector<std::string>& names) {
        test::TraceSketch sketch;
        for (const std::string& name : names) sketch.builder.add(test::TraceSketch::event("cpu_op", name, 0, 1));
        return sketch.finish()->bytes_kept();
    };
    const std::size_t of_one_name = bytes_with({"a", "a"});
    EXPECT_EQ(bytes_with({"a" + std::string(100, 'x'), "a" + std::string(100, 'x')}), of_one_name + 100);
    EXPECT_GE(bytes_with({"a", "b"}), of_one_name + 1 + sizeof(std::string_view)) << "its place in a list as well";
    EXPECT_GE(bytes_with({"a", "a", "a"}), of_one_name + 2 * sizeof(std::int64_t)) << "start and duration";
}

TEST(FinishingATrace, EndsWhereverItIsAsked) {
    const auto finish = [](const auto& look) {
        test::TraceSketch sketch;
        sketch.kernel("gemm", "7", 0, 1);
        sketch.builder.finish({}, look);
    };
    int looks = 0;
    finish([&] { ++looks; });
    ASSERT_GT(looks, 1);
    for (int end = 0; end < looks; ++end) {
        int left = end;
        const auto look = [&] {
            if (left-- == 0) throw std::runtime_error("ended");
        };
        EXPECT_THROW(finish(look), std::runtime_error) << end;
    }
}

}  // namespace
}  // namespace overlap
