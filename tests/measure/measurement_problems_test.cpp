#include "core/measure/measurement_problems.h"

#include <gtest/gtest.h>

#include "core/io/trace_file.h"
#include "tests/trace/trace_sketch.h"

namespace overlap {
namespace {

using Kinds = std::vector<std::string>;

Kinds kinds_of(const std::vector<Problem>& problems) {
    Kinds kinds;
    for (const Problem& problem : problems) kinds.emplace_back(problem_kind_name(problem.kind));
    return kinds;
}

TEST(MeasurementProblems, NoneWhereATraceIsSound) {
    test::TraceSketch sketch;
    sketch.kernel("gemm", "7", 100, 10);
    sketch.kernel("ncclDevKernel_AllGather_RING_LL", "20", 105, 10);
    EXPECT_EQ(kinds_of(trace_problems(*sketch.finish())), (Kinds{}));
}

TEST(MeasurementProblems, TellWhatIsMissing) {
    test::TraceSketch empty;
    empty.step(1, 0, 10);
    EXPECT_EQ(kinds_of(trace_problems(*empty.finish())), (Kinds{"no_gpu_events"}));

    test::TraceSketch alone, distributed;
    alone.kernel("gemm", "7", 100, 10);
    distributed.kernel("gemm", "7", 100, 10);
    const auto of_one = trace_problems(*alone.finish());
    ASSERT_EQ(kinds_of(of_one), (Kinds{"no_communication"}));
    EXPECT_EQ(of_one[0].severity, Severity::note);
    TraceHeader header;
    header.world_size = 8;
    const auto of_eight = trace_problems(*distributed.finish(header));
    ASSERT_EQ(kinds_of(of_eight), (Kinds{"no_communication"}));
    EXPECT_EQ(of_eight[0].severity, Severity::caution);
    test::TraceSketch single;
    single.kernel("gemm", "7", 100, 10);
    header.world_size = 1;
    EXPECT_EQ(trace_problems(*single.finish(header)).at(0).severity, Severity::note);
}

TEST(MeasurementProblems, BeginWithTimesThatWereNotMeasured) {
    test::TraceSketch sketch;
    sketch.kernel("gemm", "7", 100, 10);
    TraceHeader header;
    header.is_simulated = true;
    EXPECT_EQ(kinds_of(trace_problems(*sketch.finish(header))),
              (Kinds{"simulated_times_as_measured", "no_communication"}));

    // No profiler has recorded it.
    const auto messages_of = [](const TraceHeader& of) {
        std::string messages;
        test::TraceSketch empty;
        for (const Problem& problem : trace_problems(*empty.finish(of))) messages += problem.message + "\n";
        return messages;
    };
    EXPECT_NE(messages_of({}).find("no event of a GPU, so there is nothing to measure; was the profiler told"),
              std::string::npos);
    EXPECT_NE(messages_of(header).find("no event of a GPU, so there is nothing to measure\n"), std::string::npos);
}

TEST(MeasurementProblems, HaveATitleAndASentence) {
    test::TraceSketch sketch;
    sketch.kernel("ncclDevKernel_AllGather_RING_LL", "20", 100, 10, 105);
    sketch.kernel("gemm", "7", 200, 10, 190);
    const auto problems = trace_problems(*sketch.finish());
    ASSERT_EQ(kinds_of(problems), (Kinds{"starts_before_launch"}));
    EXPECT_EQ(problems[0].title, "Clocks of host and GPU");
    EXPECT_EQ(problems[0].message, "1 GPU event before the call that launched it: host and GPU do not agree on time");
}

TEST(MeasurementProblems, OfARealTraceStandWithTheirNumbers) {
    const auto problems = trace_problems(*read_trace_file(OVERLAP_TEST_DATA "/traces/hta_nccl_data.json.gz"));
    const TraceRemarks remarks = read_trace_file(OVERLAP_TEST_DATA "/traces/hta_nccl_data.json.gz")->remarks();
    ASSERT_FALSE(problems.empty());
    for (const Problem& problem : problems) {
        EXPECT_FALSE(problem.title.empty());
        if (problem.kind == ProblemKind::launches_without_gpu_event) {
            EXPECT_NE(problem.message.find(std::to_string(remarks.launches_without_activity)), std::string::npos)
                << problem.message;
        }
    }
    for (std::size_t index = 1; index < problems.size(); ++index)
        EXPECT_GE(problems[index - 1].severity, problems[index].severity) << "the worst first";
}

TEST(MeasurementProblems, TellClocksThatDoNotFit) {
    AlignedRanks aligned;
    aligned.ranks = {{.is_aligned = true}, {.is_aligned = false}, {.is_aligned = true, .spread_ns = 250'000}};
    const std::vector<std::string> names{"Rank 0", "Rank 1", "Rank 2"};
    const auto problems = alignment_problems(aligned, names);
    ASSERT_EQ(kinds_of(problems), (Kinds{"clock_unknown", "clock_rough"}));
    EXPECT_NE(problems[0].message.find("Rank 1 shares no collective with Rank 0"), std::string::npos)
        << problems[0].message;
    EXPECT_NE(problems[1].message.find("250 µs"), std::string::npos) << problems[1].message;
}

}  // namespace
}  // namespace overlap
