// A job as views show it: what ranks stand still for, the timeline's events, and what is tried with a document.

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/job/document/job_file.h"
#include "core/job/job_changes.h"
#include "core/job/run_job.h"
#include "core/job/schedule_table.h"
#include "core/job/view/job_timeline.h"
#include "core/job/view/stage_figures.h"

namespace overlap::job {
namespace {

constexpr const char* four_stages = R"({"format": "overlap-job", "version": 1, "name": "x",
 "stages": [{"ms": {"F": 2, "I": 3, "W": 1}}, {"ms": {"F": 2, "I": 3, "W": 1}},
            {"segments": {"F": [{"compute_ms": 1.5}, {"collective": "all_reduce", "dim": "dp", "ms": 0.5}],
                          "I": [{"compute_ms": 4}], "W": [{"compute_ms": 1}]}},
            {"ms": {"F": 2, "I": 3, "W": 1}, "gradient_sync_ms": 2}],
 "schedule": {"name": "1F1B", "microbatches": 4},
 "transfer": {"activations_ms": 0.25, "gradients_ms": 0.125}, "replicas": 4,
 "variation": {"slow": [{"replica": 1, "stage": 2, "factor": 1.5}]}})";

constexpr const char* programs = R"({"format": "overlap-job", "version": 1, "groups": {"g": [0, 1]},
 "programs": [{"rank": 0, "ops": [{"id": "k", "kind": "compute", "ms": 3},
     {"id": "x", "kind": "collective", "group": "g", "ms": 1}]},
   {"rank": 1, "ops": [{"id": "l", "kind": "compute", "ms": 1}, {"id": "x", "kind": "collective", "group": "g", "ms": 1}]}]})";

std::shared_ptr<const JobPicture> picture_of(const std::string& text) {
    return job_picture(evaluate_job(std::make_shared<const JobDocument>(read_job_text(text, "x"))));
}

TEST(JobPicture, StandstillsAddUpToTheFiguresOfEachRank) {
    const auto picture = picture_of(four_stages);
    const JobResult& result = picture->evaluation->result;
    ASSERT_EQ(picture->rows.size(), result.classes.size());
    ASSERT_EQ(picture->rows.size(), 8u);  // four stages of slow and of other replicas
    for (std::size_t row = 0; row < picture->rows.size(); ++row) {
        double waiting = 0, transfer = 0, whole = result.classes[row].busy_ms;
        for (const StandstillSpan& span : picture->standstills[row]) {
            whole += span.length_ms();
            if (span.kind == StandstillSpan::Kind::waiting) waiting += span.length_ms();
            if (span.kind == StandstillSpan::Kind::transfer || span.kind == StandstillSpan::Kind::within)
                transfer += span.length_ms();
        }
        EXPECT_NEAR(waiting, result.classes[row].waiting_for_peers_ms, 1e-9) << row;
        EXPECT_NEAR(transfer, result.classes[row].transfer_exposed_ms, 1e-9) << row;
        EXPECT_NEAR(whole, *result.step_ms, 1e-9) << row;
    }
}

TEST(JobPicture, ABubbleSaysWhoIsWaitedFor) {
    const auto picture = picture_of(four_stages);
    const StandstillSpan& first = picture->standstills[3].front();
    EXPECT_EQ(standstill_text(*picture->evaluation, first), "waits for 2F0 of rank 2");
    EXPECT_EQ(picture->evaluation->names.op(first.node), "3F0");
    const StandstillSpan& second = picture->standstills[3][1];
    EXPECT_EQ(second.kind, StandstillSpan::Kind::transfer);
    EXPECT_EQ(second.length_ms(), 0.25);
    EXPECT_EQ(standstill_text(*picture->evaluation, second), "what 2F0 of rank 2 sends is on its way");
    // The other replicas' collective starts when the slow one has come.
    bool waits_for_slow = false;
    for (const StandstillSpan& span : picture->standstills[2])
        if (span.on && picture->evaluation->pipeline->piece(span.node).role == PieceRole::collective &&
            span.kind == StandstillSpan::Kind::waiting)
            waits_for_slow |= standstill_text(*picture->evaluation, span).ends_with("of rank 6");
    EXPECT_TRUE(waits_for_slow);
}

TEST(JobPicture, WhatComesAfterTheLastActionIsNotWhatComesBeforeIt) {
    const auto picture = picture_of(R"({"format": "overlap-job", "version": 1,
        "stages": [{"ms": {"F": 1, "B": 2}}, {"ms": {"F": 1, "B": 2}}, {"ms": {"F": 1, "B": 2}}],
        "schedule": {"name": "GPipe", "microbatches": 1}})");
    const JobEvaluation& evaluation = *picture->evaluation;
    const std::vector<StandstillSpan>& spans = picture->standstills[1];
    ASSERT_EQ(spans.size(), 3u);  // before 1F0, before 1B0, after it
    ASSERT_EQ(spans[1].node, spans[2].node);
    const auto before = picture->spans_at(picture->reference_of(spans[1]));
    ASSERT_EQ(before.size(), 1u);
    EXPECT_EQ(standstill_text(evaluation, before[0]), "waits for 2B0 of rank 2");
    const auto after = picture->spans_at(picture->reference_of(spans[2]));
    ASSERT_EQ(after.size(), 1u);
    EXPECT_EQ(standstill_text(evaluation, after[0]), "nothing left to do");
    for (const StandstillSpan& span : {spans[1], spans[2]}) {
        EXPECT_TRUE(picture->is_standstill(picture->reference_of(span)));
        EXPECT_EQ(picture->node_of(picture->reference_of(span)), span.node);
    }
}

TEST(JobPicture, WaitsForGradientsComeAfterTheLastAction) {
    const auto picture = picture_of(R"({"format": "overlap-job", "version": 1,
        "stages": [{"ms": {"F": 1, "B": 2}, "gradient_sync_ms": 8}, {"ms": {"F": 1, "B": 2}, "gradient_sync_ms": 4}],
        "schedule": {"actions": [["0F0", "1F0", "1B0", "0B0", "1WAIT_REDUCE_GRAD", "0WAIT_REDUCE_GRAD"]],
                     "microbatches": 1}, "replicas": 2})");
    ASSERT_TRUE(picture->evaluation->result.step_ms);
    const std::vector<StandstillSpan>& spans = picture->standstills[0];
    ASSERT_EQ(spans.size(), 2u);
    for (const StandstillSpan& span : spans) {
        EXPECT_EQ(span.kind, StandstillSpan::Kind::after);
        EXPECT_EQ(picture->evaluation->names.op(span.node), "0B0");
        EXPECT_EQ(picture->spans_at(picture->reference_of(span)).size(), 2u);
        EXPECT_TRUE(span.on);
    }
    EXPECT_TRUE(picture->spans_at(picture->standstill_reference(spans[0].node)).empty());
}

TEST(JobPicture, ComputeLanesHaveNoTwoEventsAtOnce) {
    for (const char* text : {four_stages, programs}) {
        const auto picture = picture_of(text);
        EXPECT_EQ(picture->timeline->range().end_ns, nanoseconds(*picture->evaluation->result.step_ms));
        for (const Lane& lane : picture->timeline->lanes()) EXPECT_EQ(lane.depth, 0u) << lane.description.title;
    }
    EXPECT_EQ(picture_of(programs)->timeline->lanes().size(), 2u);
}

TEST(JobPicture, OperationsOfProgramsAreInTheRowOfTheirRank) {
    const auto picture = picture_of(programs);
    std::vector<std::string> operations;
    const std::span<const Lane> lanes = picture->timeline->lanes();
    for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
        for (std::uint32_t event = 0; event < lanes[lane].size(); ++event) {
            if (picture->is_standstill(lanes[lane].reference[event])) continue;
            const TimeRange time = picture->timeline->event({lane, event});
            operations.push_back(
                std::to_string(lane) + " " + std::string(picture->timeline->event_name({lane, event})) + " " +
                std::to_string(time.begin_ns / 1'000'000) + " to " + std::to_string(time.end_ns / 1'000'000));
        }
    }
    EXPECT_EQ(operations, (std::vector<std::string>{"0 k 0 to 3", "0 x 3 to 4", "1 l 0 to 1", "1 x 3 to 4"}));
}

TEST(JobPicture, MicrobatchesHaveHuesAndBackwardsAreDeep) {
    const auto picture = picture_of(four_stages);
    const PipelineStep& step = *picture->evaluation->pipeline;
    const Lane& lane = picture->timeline->lanes()[0];
    int forwards = 0, backwards = 0;
    for (std::uint32_t event = 0; event < lane.size(); ++event) {
        if (picture->is_standstill(lane.reference[event])) {
            EXPECT_TRUE(lane.role[event] == EventRole::idle || lane.role[event] == EventRole::exposed);
            continue;
        }
        const NodeAction action = action_of(step, lane.reference[event]);
        const auto hue = static_cast<std::uint32_t>(action.microbatch);
        EXPECT_EQ(lane.role[event], action.forward ? bucket_role(hue) : deep_bucket_role(hue));
        ++(action.forward ? forwards : backwards);
    }
    EXPECT_EQ(forwards, 4);
    EXPECT_EQ(backwards, 4);
}

TEST(JobPicture, RowsTellStagesAndRanks) {
    const auto picture = picture_of(four_stages);
    // Beside the replica with a slow rank, whose other ranks are told apart by their numbers: all are named alike.
    EXPECT_EQ(picture->rows[2].title, "Ranks 2, 10 and 1 more · stage 2");
    EXPECT_EQ(picture->rows[2].subtitle, "ranks 2, 10 and 1 more");
    EXPECT_EQ(picture->rows[5].title, "Rank 5 · stage 1");
    EXPECT_EQ(picture->rows[6].title, "Rank 6 · stage 2 ×1.5");
    EXPECT_EQ(picture->rows[6].subtitle, "rank 6");
    EXPECT_EQ(picture->rows[2].ranks, (std::vector<std::int64_t>{2, 10, 14}));
    EXPECT_EQ(picture->rows[6].ranks, std::vector<std::int64_t>{6});
    EXPECT_EQ(picture_of(programs)->rows[1].ranks, std::vector<std::int64_t>{1});
    // Of several classes without slow ones, as of experts, the ranks come first.
    const auto experts = picture_of(R"({"format": "overlap-job", "version": 1,
        "stages": [{"segments": {"F": [{"compute_ms": 4, "experts": true}], "B": [{"compute_ms": 1}]}}],
        "schedule": {"name": "GPipe", "microbatches": 1}, "mesh": {"dims": [["ep", 3]]},
        "routing": {"group": "ep", "share": [0.5, 0.25, 0.25]}})");
    ASSERT_EQ(experts->rows.size(), 2u);
    EXPECT_EQ(experts->rows[0].title, "Rank 0 · stage 0");
    EXPECT_EQ(experts->rows[1].title, "Ranks 1, 2 · stage 0");
    const std::vector<StageFigures> stages = stage_figures(*picture->evaluation);
    EXPECT_EQ(stages[0].forward_ms, 2);
    EXPECT_EQ(stages[0].backward_ms, 4);
    EXPECT_EQ(stages[2].forward_ms, 2);
    EXPECT_EQ(stages[2].exposed_ms, 0.5);
}

/// What a stage takes is what its action takes in the step, where nothing is slow: of the rank that all others wait
/// for.
TEST(JobPicture, AStageTakesWhatItsRankWithMostTokensTakes) {
    const auto picture = picture_of(R"({"format": "overlap-job", "version": 1,
        "stages": [{"segments": {
            "F": [{"compute_ms": 3}, {"collective": "all_to_all", "dim": "ep", "bytes": 4000},
                  {"compute_ms": 4, "experts": true}, {"collective": "all_to_all", "dim": "ep", "bytes": 4000}],
            "B": [{"compute_ms": 5}, {"collective": "all_to_all", "dim": "ep", "ms": 1}]}}],
        "schedule": {"name": "GPipe", "microbatches": 1}, "mesh": {"dims": [["ep", 2]]},
        "routing": {"group": "ep", "share": [0.75, 0.25]},
        "topology": {"levels": [{"ranks": 2, "bytes_per_s": 1e6}]}})");
    const JobEvaluation& evaluation = *picture->evaluation;
    // All of rank 0's forward, without a stop.
    double forward_ms = 0;
    for (NodeIndex node = 0; node < evaluation.pipeline->pieces.size(); ++node)
        if (evaluation.names.op(node).starts_with("0F0")) forward_ms = std::max(forward_ms, evaluation.times.end[node]);
    const std::vector<StageFigures> stages = stage_figures(evaluation);
    ASSERT_GT(forward_ms, 3 + 4 * 1.5);
    EXPECT_DOUBLE_EQ(stages[0].forward_ms, forward_ms);
    EXPECT_DOUBLE_EQ(stages[0].backward_ms, 5 + 1.5);
    EXPECT_DOUBLE_EQ(stages[0].exposed_ms, forward_ms - (3 + 4 * 1.5) + 1.5);
}

TEST(JobPicture, AJobThatCannotRunHasItsEventsUpToTheStandstill) {
    std::string text = programs;
    text.replace(text.find(R"({"id": "l")"), std::string(R"({"id": "l", "kind": "compute", "ms": 1}, )").size(),
                 R"({"id": "r", "kind": "recv", "peer": 0}, )");
    const auto picture = picture_of(text);
    EXPECT_FALSE(picture->evaluation->result.step_ms);
    EXPECT_EQ(picture->timeline->event_count(), 3u);  // what rank 0 computed, and both that wait for ever
    EXPECT_FALSE(picture->evaluation->result.problems.empty());
}

TEST(JobChanges, EachScheduleIsWhatTheTableSays) {
    const JobDocument job = read_job_text(four_stages, "x");
    JobChanges changes;
    changes.microbatches = 8;
    changes.slow = SlowRanks{4, 4, 1.05};
    int made = 0;
    for (const ScheduleRow& row : schedule_table(job, {}, changes)) {
        JobChanges tried = changes;
        if (!row.is_own) tried.schedule = row.name;
        if (!row.step_ms) {
            EXPECT_THROW(run_job(changed_job(job, tried, "")), InputError) << row.name;
            continue;
        }
        ++made;
        EXPECT_EQ(run_job(changed_job(job, tried, "")).step_ms, row.step_ms) << row.name;
    }
    EXPECT_GE(made, 5);
}

TEST(JobChanges, SlowRanksAreWrittenAsRanks) {
    const JobDocument job = read_job_text(four_stages, "x");
    JobChanges changes;
    changes.slow = SlowRanks{3, 2, 1.5};
    const JobDocument changed = changed_job(job, changes, "");
    ASSERT_EQ(changed.variation->slow.size(), 2u);
    EXPECT_EQ(changed.variation->slow[0].rank, 3);
    EXPECT_EQ(changed.variation->slow[1].rank, 4);
    // The last stage of replica 0, the first of replica 1.
    JobDocument by_stage = changed;
    by_stage.variation->slow = {{0, 3, 1.5}, {1, 0, 1.5}};
    EXPECT_EQ(run_job(changed).step_ms, run_job(by_stage).step_ms);
    JobChanges nobody;
    nobody.nobody_slow = true;
    EXPECT_GT(*run_job(changed).step_ms, *run_job(changed_job(job, nobody, "")).step_ms);
    changes.slow->first = 16;
    try {
        changed_job(job, changes, "");
        ADD_FAILURE();
    } catch (const InputError& error) {
        EXPECT_EQ(error.problem(), "there is no rank 16, the job has 16, numbered from 0");
    }
}

/// What is saved is read as it was shown, also with schedules of fewer ranks.
TEST(ScheduleTable, OfASavedJobIsThatWhichWasShown) {
    const JobDocument job = read_job_text(four_stages, "x");
    JobChanges changes;
    changes.slow = SlowRanks{6, 1, 1.5};
    const JobDocument saved = read_job_text(write_job_text(changed_job(job, changes, "")), "saved");
    const std::vector<ScheduleRow> shown = schedule_table(job, {}, changes), again = schedule_table(saved, {}, {});
    ASSERT_EQ(shown.size(), again.size());
    for (std::size_t row = 0; row < shown.size(); ++row) EXPECT_EQ(shown[row].step_ms, again[row].step_ms);
    EXPECT_TRUE(std::ranges::any_of(shown, [](const ScheduleRow& row) { return row.step_ms && row.ranks == 2; }));
}

TEST(JobChanges, SlowRanksTakeThePlaceOfThoseThatTheDocumentHas) {
    const JobDocument job = read_job_text(four_stages, "x");
    JobChanges changes;
    changes.slow = SlowRanks{0, 4, 1.05};
    const JobDocument saved = changed_job(job, changes, "");
    EXPECT_EQ(run_job(changed_job(saved, {}, "")).step_ms, run_job(saved).step_ms);
    EXPECT_EQ(run_job(changed_job(saved, changes, "")).step_ms, run_job(saved).step_ms);
    changes.slow = SlowRanks{3, 2, 1.5};
    EXPECT_EQ(run_job(changed_job(saved, changes, "")).step_ms, run_job(changed_job(job, changes, "")).step_ms);
    changes = {};
    changes.nobody_slow = true;
    EXPECT_TRUE(changed_job(saved, changes, "").variation->slow.empty());
}

TEST(JobChanges, SlowRanksLeaveTheRestOfTheVariationAsItIs) {
    JobDocument job = read_job_text(four_stages, "x");
    job.variation->seed = 7;
    job.variation->compute.sigma = 0.5;
    JobChanges changes;
    changes.slow = SlowRanks{2, 1, 1.5};
    JobDocument changed = changed_job(job, changes, "");
    EXPECT_EQ(changed.variation->seed, 7u);
    EXPECT_EQ(changed.variation->compute.sigma, 0.5);
    ASSERT_EQ(changed.variation->slow.size(), 1u);
    EXPECT_EQ(changed.variation->slow[0].rank, 2);
    job.variation.reset();
    changed = changed_job(job, changes, "");
    ASSERT_TRUE(changed.variation);
    ASSERT_EQ(changed.variation->slow.size(), 1u);
    EXPECT_EQ(changed.variation->slow[0].factor, 1.5);
}

TEST(JobChanges, TokensOfExpertsAreSpreadAnew) {
    const JobDocument job = read_job_text(R"({"format": "overlap-job", "version": 1,
        "stages": [{"segments": {"F": [{"compute_ms": 4, "experts": true}], "B": [{"compute_ms": 1}]}}],
        "schedule": {"name": "GPipe", "microbatches": 1}, "mesh": {"dims": [["ep", 4]]},
        "routing": {"group": "ep", "share": [0.5, 0.25, 0.25, 0]}})",
                                          "x");
    JobChanges changes;
    const auto step_ms = [&](TriedRouting routing) {
        changes.routing = routing;
        return *run_job(changed_job(job, changes, "")).step_ms;
    };
    EXPECT_EQ(step_ms(TriedRouting::own), 4 * 2 + 1);
    EXPECT_EQ(step_ms(TriedRouting::even), 4 + 1);
    EXPECT_NEAR(step_ms(TriedRouting::one_doubled), 4 * (4 * 0.4) + 1, 1e-12);
    JobDocument without = job;
    without.routing.reset();
    EXPECT_THROW(changed_job(without, changes, ""), InputError);
}

}  // namespace
}  // namespace overlap::job
