// A job that cannot run, as views show it: up to where its ranks stand still, and whom they wait for.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/job/document/job_file.h"
#include "core/job/run_job.h"
#include "core/job/step/reached.h"
#include "core/job/view/job_timeline.h"

namespace overlap::job {
namespace {

using Kind = StandstillSpan::Kind;

std::shared_ptr<const JobPicture> stuck_picture(const std::string& text) {
    return job_picture(evaluate_job(std::make_shared<const JobDocument>(read_job_text(text, "x"))));
}

TEST(StuckPicture, StagesAreShownUpToTheStandstillWithWhoWaitsForWhom) {
    const auto picture = stuck_picture(R"({"format": "overlap-job", "version": 1,
        "stages": [{"ms": {"F": 1, "B": 1}}, {"ms": {"F": 1, "B": 1}}],
        "schedule": {"actions": [["0F0", "0B0", "0F1", "0B1"], ["1F1", "1B1", "1F0", "1B0"]], "microbatches": 2}})");
    const JobEvaluation& evaluation = *picture->evaluation;
    ASSERT_FALSE(evaluation.result.step_ms);
    ASSERT_EQ(picture->rows.size(), 2u);
    EXPECT_EQ(picture->rows[1].title, "Stage 1");
    EXPECT_EQ(picture->timeline->event_count(), 3u);  // 0F0, and both that stand still
    ASSERT_EQ(picture->standstills[0].size(), 1u);
    ASSERT_EQ(picture->standstills[1].size(), 1u);
    const StandstillSpan &first = picture->standstills[0][0], &second = picture->standstills[1][0];
    EXPECT_EQ(first.kind, Kind::stuck);
    EXPECT_EQ(first.begin_ms, 1);
    EXPECT_EQ(second.begin_ms, 0);
    EXPECT_GT(first.end_ms, 1);
    EXPECT_EQ(first.end_ms, second.end_ms);
    EXPECT_EQ(evaluation.names.op(first.node), "0B0");
    EXPECT_EQ(standstill_text(evaluation, first), "waits for ever for 1B0 of rank 1");
    EXPECT_EQ(standstill_text(evaluation, second), "waits for ever for 0F1 of rank 0");
    // What never starts is seen where its rank stands.
    EXPECT_EQ(picture->seen_at(*first.on), picture->reference_of(second));
    EXPECT_EQ(picture->seen_at(*second.on), picture->reference_of(first));
    const NodeIndex ended = 0;
    ASSERT_TRUE(evaluation.has_ended(ended));
    EXPECT_EQ(picture->seen_at(ended), ended);
}

TEST(StuckPicture, RanksThatDidAllHaveNothingLeftToDo) {
    const auto picture = stuck_picture(R"({"format": "overlap-job", "version": 1, "programs": [
        {"rank": 0, "ops": [{"id": "k", "kind": "compute", "ms": 3}, {"id": "r", "kind": "recv", "peer": 1}]},
        {"rank": 1, "ops": [{"id": "l", "kind": "compute", "ms": 5}]}]})");
    const JobEvaluation& evaluation = *picture->evaluation;
    ASSERT_FALSE(evaluation.result.step_ms);
    ASSERT_EQ(picture->rows.size(), 2u);
    EXPECT_EQ(picture->rows[1].title, "Rank 1");
    ASSERT_EQ(picture->standstills[0].size(), 1u);
    EXPECT_TRUE(picture->standstills[1].empty());
    const StandstillSpan& stuck = picture->standstills[0][0];
    EXPECT_EQ(stuck.kind, Kind::stuck);
    EXPECT_EQ(stuck.begin_ms, 3);
    EXPECT_EQ(stuck.end_ms, 6);  // a fifth of what ran is shown after it
    EXPECT_EQ(standstill_text(evaluation, stuck), "waits for ever before r, where rank 1 never comes");
    EXPECT_EQ(reached_text(evaluation.result),
              "rank 0 ended k and stands before r, where rank 1 never comes; rank 1 has ended");
    EXPECT_EQ(picture->timeline->event_count(), 3u);
}

TEST(StuckPicture, WhoDisagreesIsNoOneThatNeverComes) {
    const auto picture =
        stuck_picture(R"({"format": "overlap-job", "version": 1, "groups": {"g": [0, 1], "h": [2, 3, 4]},
        "programs": [
        {"rank": 0, "ops": [{"id": "a", "kind": "collective", "group": "g", "bytes": 4}]},
        {"rank": 1, "ops": [{"id": "b", "kind": "collective", "group": "g", "bytes": 8}]},
        {"rank": 2, "ops": [{"id": "c", "kind": "collective", "group": "h", "bytes": 4}]},
        {"rank": 3, "ops": []}, {"rank": 4, "ops": []}]})");
    const JobEvaluation& evaluation = *picture->evaluation;
    const auto text = [&](std::size_t row) { return standstill_text(evaluation, picture->standstills[row].at(0)); };
    EXPECT_EQ(text(0), "waits for ever before a, where the members disagree on bytes, 4 and 8");
    EXPECT_EQ(text(1), "waits for ever before b, where the members disagree on bytes, 4 and 8");
    EXPECT_EQ(text(2), "waits for ever before c, where ranks 3, 4 never come");
    EXPECT_EQ(reached_text(evaluation.result),
              "rank 0 has begun nothing and stands before a, where the members disagree on bytes, 4 and 8; "
              "rank 1 has begun nothing and stands before b, where the members disagree on bytes, 4 and 8; "
              "rank 2 has begun nothing and stands before c, where ranks 3, 4 never come");
    // Both are problems, each of its kind.
    ASSERT_EQ(evaluation.result.problems.size(), 2u);
    EXPECT_EQ(evaluation.result.problems[0].kind, JobProblem::Kind::mismatch);
    EXPECT_EQ(evaluation.result.problems[1].kind, JobProblem::Kind::deadlock);
    EXPECT_EQ(evaluation.result.problems[1].missing.size(), 2u);
}

TEST(StuckPicture, WhatWaitsBehindADisagreementIsNoDeadlock) {
    const auto picture = stuck_picture(R"({"format": "overlap-job", "version": 1, "groups": {"g": [0, 1]}, "programs": [
        {"rank": 0, "ops": [{"id": "a", "kind": "collective", "group": "g", "bytes": 4},
                            {"id": "s", "kind": "send", "peer": 2}]},
        {"rank": 1, "ops": [{"id": "b", "kind": "collective", "group": "g", "bytes": 8}]},
        {"rank": 2, "ops": [{"id": "r", "kind": "recv", "peer": 0}]}]})");
    const JobEvaluation& evaluation = *picture->evaluation;
    ASSERT_EQ(evaluation.result.problems.size(), 1u);
    EXPECT_EQ(evaluation.result.problems[0].kind, JobProblem::Kind::mismatch);
    EXPECT_EQ(standstill_text(evaluation, picture->standstills[2].at(0)), "waits for ever for s of rank 0");
}

TEST(StuckPicture, WhatWaitsForEverHasNoEnd) {
    const auto picture = stuck_picture(R"({"format": "overlap-job", "version": 1, "programs": [
        {"rank": 0, "ops": [{"id": "k", "kind": "compute", "ms": 3}, {"id": "r", "kind": "recv", "peer": 1}]},
        {"rank": 1, "ops": [{"id": "l", "kind": "compute", "ms": 5}]}]})");
    const Timeline& timeline = *picture->timeline;
    const auto at = timeline.find(picture->reference_of(picture->standstills[0][0]));
    ASSERT_EQ(at.size(), 1u);
    EXPECT_TRUE(timeline.is_open_ended(at.front().location));
    EXPECT_EQ(timeline.event(at.front().location).end_ns, timeline.range().end_ns);
    for (const NodeIndex computed : {0u, 2u}) {
        ASSERT_EQ(timeline.find(computed).size(), 1u);
        EXPECT_FALSE(timeline.is_open_ended(timeline.find(computed).front().location));
    }
}

TEST(StuckPicture, AMeetingIsWaitedForFromWhenItsOwnRankCame) {
    const auto picture = stuck_picture(R"({"format": "overlap-job", "version": 1, "groups": {"g": [0, 1], "h": [0, 1]},
        "programs": [
        {"rank": 0, "ops": [{"id": "k", "kind": "compute", "ms": 2}, {"id": "a", "kind": "collective", "group": "g"},
                            {"id": "b", "kind": "collective", "group": "h"}]},
        {"rank": 1, "ops": [{"id": "b", "kind": "collective", "group": "h"},
                            {"id": "a", "kind": "collective", "group": "g"}]}]})");
    ASSERT_FALSE(picture->evaluation->result.step_ms);
    ASSERT_EQ(picture->standstills[0].size(), 1u);  // what is behind it on its rank is not issued
    EXPECT_EQ(picture->standstills[0][0].begin_ms, 2);
    EXPECT_EQ(standstill_text(*picture->evaluation, picture->standstills[0][0]), "waits for ever for a of rank 1");
    EXPECT_EQ(picture->seen_at(*picture->standstills[0][0].on), picture->reference_of(picture->standstills[1][0]));
}

}  // namespace
}  // namespace overlap::job
