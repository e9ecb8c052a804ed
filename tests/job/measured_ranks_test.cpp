// Which traces are compared with a job's step: clocks that are brought together, and what is refused or left out.

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/job/measured/measured_over_job.h"
#include "tests/job/measured_job.h"

namespace overlap::job {
namespace {

using test::evaluated;
using test::job_text;
using test::slow_host;
using test::trace;
using test::traces;

std::string refusal(const JobEvaluation& job, std::span<const NamedTrace> traces) {
    try {
        measured_job(job, traces);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

TEST(MeasuredRanks, ClocksThatMessagesContradictAreSetByThem) {
    const auto job = evaluated(job_text(slow_host));
    std::vector<NamedTrace> all = traces(*job, {0, 1});
    all.push_back(trace(*job, 2, {.clock_ms = 70}));
    all.push_back(trace(*job, 3, {.clock_ms = -3}));
    const MeasuredJob measured = measured_job(*job, all);
    ASSERT_EQ(measured.notes.size(), 1u);
    EXPECT_EQ(measured.notes[0], "the clocks of 2 ranks were set by the messages of actions");
    const MeasuredOverJob over = measured_over_job(*job, std::make_shared<const MeasuredJob>(measured));
    for (const MeasuredSpan& span : over.spans) {
        if (span.kind != MeasuredSpan::Kind::action) continue;
        // Off by what both ways of a message leave open: less than the shortest pair of transfers.
        EXPECT_NEAR(static_cast<double>(span.time.begin_ns) / 1e6, job->times.start[*span.predicted], 0.4) << span.name;
    }
    EXPECT_NEAR(over.step_ms, over.predicted_ms, 0.4);
}

TEST(MeasuredRanks, ThoseOfASimulatedStepAreNoMeasurement) {
    const auto job = evaluated(job_text(""));
    std::vector<std::string> expected = measured_job(*job, traces(*job, {0, 1, 2, 3})).notes;
    std::vector<NamedTrace> all = traces(*job, {0, 1, 2});
    all.push_back(trace(*job, 3, {.simulated = true}));
    expected.push_back(all.back().file + ": nothing was measured: the trace is a simulated step");
    EXPECT_EQ(measured_job(*job, all).notes, expected);
}

TEST(MeasuredRanks, PipelinesAreBroughtTogetherByTheCollectivesOfTheirStages) {
    const auto job = evaluated(job_text(""));
    std::vector<NamedTrace> all;
    for (const std::int64_t rank : {0, 1, 2, 3, 4, 5, 6, 7})
        all.push_back(trace(*job, rank, {.clock_ms = rank < 4 ? 0.0 : 5000.0, .names_groups = true}));
    const MeasuredJob measured = measured_job(*job, all);
    ASSERT_EQ(measured.notes.size(), 2u);
    EXPECT_EQ(measured.notes[1], "the clocks of 2 pipelines were brought together by collectives");
    const MeasuredOverJob over = measured_over_job(*job, std::make_shared<const MeasuredJob>(measured));
    EXPECT_EQ(over.not_compared, "");
    EXPECT_NEAR(over.step_ms, over.predicted_ms, 1e-4);
    for (const MeasuredSpan& span : over.spans) {
        if (span.kind != MeasuredSpan::Kind::action) continue;
        EXPECT_NEAR(static_cast<double>(span.time.begin_ns) / 1e6, job->times.start[*span.predicted], 1e-4);
    }
}

TEST(MeasuredRanks, PipelinesWithClocksOfTheirOwnAreNotCompared) {
    const auto job = evaluated(job_text(""));
    std::vector<NamedTrace> all = traces(*job, {0, 1});
    for (const std::int64_t rank : {4, 5}) all.push_back(trace(*job, rank, {.clock_ms = 5000}));
    const MeasuredOverJob over = test::over(*job, all);
    EXPECT_EQ(over.not_compared, "the clocks of its pipelines could not be brought together");
    ASSERT_EQ(over.measured->notes.size(), 2u);
    EXPECT_EQ(over.measured->notes[1], "pipelines share no collectives, so that each has a clock of its own");
}

TEST(MeasuredRanks, WhatIsOfAnotherJobIsRefused) {
    const auto job = evaluated(job_text(""));
    const std::vector<NamedTrace> far{trace(*job, 1, {.rank = 9})};
    EXPECT_EQ(refusal(*job, far), "rank1.json: is of rank 9, and the job has 8 ranks");
    const std::vector<NamedTrace> large{trace(*job, 1, {.world_size = 16})};
    EXPECT_EQ(refusal(*job, large), "rank1.json: was measured on 16 ranks, and the job has 8");
    const std::vector<NamedTrace> twice{trace(*job, 1), {"again.json", trace(*job, 1).trace}};
    EXPECT_EQ(refusal(*job, twice), "again.json: is of rank 1, as is rank1.json");
    // Eight stages on one pipeline: rank 1 of it runs stage 1, and rank 5 another one than here.
    const auto other = evaluated(job_text("", 8, 8));
    const std::vector<NamedTrace> stages{trace(*other, 5, {.world_size = 8})};
    EXPECT_EQ(refusal(*job, stages), "rank5.json: has 5F0 on rank 5, which runs stage 1 in this job");
    const auto longer = evaluated(job_text("", 4, 8));
    const std::vector<NamedTrace> microbatches{trace(*longer, 0)};
    EXPECT_EQ(refusal(*job, microbatches), "rank0.json: has 0F6, and the job has 6 microbatches");
    const std::vector<NamedTrace> nothing{
        {"none.json", read_trace_bytes(R"({"distributedInfo": {"rank": 1}, "traceEvents": []})", "none.json")}};
    EXPECT_EQ(refusal(*job, nothing), "none.json: has no compute and no communication of a whole step");
    const std::vector<NamedTrace> nobody{{"none.json", read_trace_bytes(R"({"traceEvents": []})", "none.json")}};
    EXPECT_EQ(refusal(*job, nobody),
              "none.json: does not say which rank it is of: a job takes a file of PyTorch's profiler for each rank, "
              "which says "
              "so under \"distributedInfo\"");
}

TEST(MeasuredRanks, RanksThatTheJobNoLongerHasAreLeftOutWithTheReason) {
    const auto job = evaluated(job_text(""));
    const auto all = traces(*job, {0, 3});
    const auto measured = std::make_shared<const MeasuredJob>(measured_job(*job, all));
    const auto fewer = evaluated(job_text("", 4, 4));
    const MeasuredOverJob over = measured_over_job(*fewer, measured);
    EXPECT_EQ(over.ranks[0].left_out, "has 0F4, and the job has 4 microbatches");
    EXPECT_TRUE(over.spans.empty());
    EXPECT_EQ(over.not_compared, "rank 0 is left out");
    EXPECT_EQ(over.predicted_ms, *fewer->result.step_ms) << "no rank has a part of the step";
}

TEST(MeasuredRanks, StepsOfOtherMicrobatchesAreNotCompared) {
    const auto job = evaluated(job_text(""));
    const auto measured = std::make_shared<const MeasuredJob>(measured_job(*job, traces(*job, {0, 3})));
    EXPECT_EQ(measured_over_job(*job, measured).not_compared, "");
    const auto more = evaluated(job_text("", 4, 8));
    const MeasuredOverJob over = measured_over_job(*more, measured);
    EXPECT_EQ(over.ranks[0].left_out, "");
    EXPECT_EQ(over.not_compared, "6 microbatches were measured, and the job has 8");
    // What an action takes is the same in both.
    EXPECT_NEAR(*over.difference_ms(*more, over.spans.front()), 0, 1e-5);
    // Nothing says how many microbatches there were.
    const std::vector<NamedTrace> nameless{trace(*job, 0, {.names_actions = false})};
    EXPECT_EQ(test::over(*more, nameless).not_compared, "");
}

TEST(MeasuredRanks, RanksThatDoNotFitAreKeptWhereThatIsAsked) {
    const auto job = evaluated(job_text(""));
    std::vector<NamedTrace> all = traces(*job, {0, 3});
    all.push_back(trace(*job, 1, {.rank = 8}));
    const auto fewer = evaluated(job_text("", 4, 4));
    const auto measured = std::make_shared<const MeasuredJob>(measured_job(*fewer, all, UnfitRanks::kept));
    const MeasuredOverJob now = measured_over_job(*fewer, measured);
    ASSERT_EQ(now.ranks.size(), 3u);
    EXPECT_EQ(now.ranks[0].left_out, "has 0F4, and the job has 4 microbatches");
    EXPECT_EQ(now.ranks[2].left_out, "is of rank 8, and the job has 8 ranks");
    const MeasuredOverJob again = measured_over_job(*job, measured);
    EXPECT_EQ(again.ranks[0].left_out, "");
    EXPECT_EQ(again.ranks[1].left_out, "");
}

}  // namespace
}  // namespace overlap::job
