// Measured traces of several ranks beside a job's step: what lies over what, and by how much they differ.

#include "core/job/measured/measured_over_job.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/io/trace_file.h"
#include "core/job/view/job_timeline.h"
#include "tests/job/measured_job.h"

namespace overlap::job {
namespace {

using test::evaluated;
using test::job_text;
using test::over;
using test::slow_host;
using test::trace;
using test::traces;

double sum_of(const MeasuredOverJob& over, MeasuredSpan::Kind kind) {
    double sum = 0;
    for (const MeasuredSpan& span : over.spans)
        if (span.kind == kind) sum += static_cast<double>(span.time.length_ns()) / 1e6;
    return sum;
}

TEST(MeasuredOverJob, TracesOfTheJobItselfDifferInNothing) {
    const auto job = evaluated(job_text(slow_host));
    const auto all = traces(*job, {0, 1, 2, 3, 4, 5, 6, 7});
    const MeasuredOverJob over = test::over(*job, all);
    EXPECT_EQ(over.measured->step, "ProfilerStep#3");
    EXPECT_NEAR(over.step_ms, over.predicted_ms, 1e-5);
    ASSERT_EQ(over.ranks.size(), 8u);
    for (const MeasuredFigures& rank : over.ranks) {
        EXPECT_EQ(rank.left_out, "");
        EXPECT_EQ(rank.figures, job->result.ranks[&rank - over.ranks.data()].figures);
        EXPECT_NEAR(rank.compute_ms, rank.predicted_compute_ms, 1e-4);
        EXPECT_NEAR(rank.standing_ms, rank.predicted_standing_ms, 1e-4);
        ASSERT_TRUE(rank.waiting_ms);
        EXPECT_NEAR(*rank.waiting_ms, rank.predicted_waiting_ms, 1e-4);
    }
    std::size_t actions = 0;
    for (const MeasuredSpan& span : over.spans) {
        if (span.kind != MeasuredSpan::Kind::action) continue;
        ++actions;
        ASSERT_TRUE(span.predicted) << span.name;
        EXPECT_EQ(job->names.op(*span.predicted), span.name);
        EXPECT_NEAR(static_cast<double>(span.time.begin_ns) / 1e6, job->times.start[*span.predicted], 1e-5);
        EXPECT_NEAR(*over.difference_ms(*job, span), 0, 1e-5);
    }
    EXPECT_EQ(actions, 8u * 12);
}

TEST(MeasuredOverJob, ASlowHostShowsWhereItIsAndWhoWaitsForIt) {
    const auto job = evaluated(job_text(""));
    const auto ran = evaluated(job_text(slow_host));
    const MeasuredOverJob over = test::over(*job, traces(*ran, {0, 1, 2, 3}));
    EXPECT_NEAR(over.step_ms - over.predicted_ms, *ran->result.step_ms - *job->result.step_ms, 1e-5);
    EXPECT_GT(over.step_ms, over.predicted_ms);
    EXPECT_NEAR(over.ranks[2].compute_ms, 1.5 * over.ranks[2].predicted_compute_ms, 1e-4);
    EXPECT_NEAR(over.ranks[1].compute_ms, over.ranks[1].predicted_compute_ms, 1e-4);
    for (const std::size_t rank : {0, 1, 3}) {
        const RankFigures& figures = ran->result.classes[ran->result.ranks[rank].figures];
        EXPECT_NEAR(*over.ranks[rank].waiting_ms, figures.waiting_for_peers_ms, 1e-4) << rank;
        EXPECT_GT(*over.ranks[rank].waiting_ms, over.ranks[rank].predicted_waiting_ms) << rank;
    }
    const auto of_rank_3 = std::ranges::find_if(over.spans, [](const MeasuredSpan& span) {
        return span.rank == 3 && span.kind == MeasuredSpan::Kind::waiting;
    });
    ASSERT_NE(of_rank_3, over.spans.end());
    EXPECT_EQ(of_rank_3->name, "2F0 of rank 2");
    ASSERT_TRUE(of_rank_3->on);
    EXPECT_EQ(over.spans[*of_rank_3->on].name, "2F0");
    EXPECT_EQ(over.spans[*of_rank_3->on].rank, 2u);
    EXPECT_EQ(over.spans[*of_rank_3->on].time.end_ns, of_rank_3->time.end_ns);
    for (const MeasuredSpan& span : over.spans) {
        if (span.kind != MeasuredSpan::Kind::action || span.name != "2B3") continue;
        EXPECT_NEAR(*over.difference_ms(*job, span), 2, 1e-5);
    }
}

TEST(MeasuredOverJob, SomeRanksAreComparedWithTheirPartOfTheStep) {
    const auto job = evaluated(job_text(slow_host));
    for (const std::vector<std::int64_t>& ranks :
         std::vector<std::vector<std::int64_t>>{{3}, {0}, {2, 3}, {7}, {5, 7}}) {
        const MeasuredOverJob over = test::over(*job, traces(*job, ranks));
        EXPECT_EQ(over.not_compared, "");
        EXPECT_NEAR(over.step_ms, over.predicted_ms, 1e-4) << ranks.front();
        for (const MeasuredFigures& of : over.ranks) {
            EXPECT_NEAR(of.standing_ms, of.predicted_standing_ms, 1e-4) << ranks.front();
            if (of.waiting_ms) {
                EXPECT_NEAR(*of.waiting_ms, of.predicted_waiting_ms, 1e-4) << ranks.front();
            }
        }
        for (const MeasuredSpan& span : over.spans) {
            if (span.kind != MeasuredSpan::Kind::action) continue;
            ASSERT_TRUE(span.predicted);
            EXPECT_NEAR(static_cast<double>(span.time.begin_ns) / 1e6, job->times.start[*span.predicted], 1e-4);
        }
    }
    // The last stage begins when the first message has come: that is no shorter step.
    EXPECT_LT(test::over(*job, traces(*job, {3})).predicted_ms, *job->result.step_ms - 6);
}

TEST(MeasuredOverJob, AnActionEndsWithItsExposedCommunication) {
    const auto job = evaluated(job_text(""));
    const auto measured_with = [&](const std::string& kind) {
        auto measured = measured_job(*job, traces(*job, {0, 1, 2, 3}));
        for (MeasuredRank& rank : measured.ranks) {
            std::vector<TimeRange> computing;
            for (RecordedAction& action : rank.recorded.actions) {
                if (action.cell.front().kind == ActionKind::full_backward) {
                    const std::int64_t end_ns = action.time.end_ns;
                    action.time.end_ns -= 1'000'000;
                    // What the next action hides is not exposed.
                    rank.recorded.communication.push_back({kind, action.name, {action.time.begin_ns, end_ns + 100}});
                }
                computing.push_back(action.time);
            }
            rank.recorded.computing = IntervalUnion(std::move(computing));
        }
        return measured_over_job(*job, std::make_shared<const MeasuredJob>(std::move(measured)));
    };
    const auto of_2b3 = [](const MeasuredOverJob& over) {
        return *std::ranges::find_if(over.spans, [](const MeasuredSpan& span) { return span.name == "2B3"; });
    };
    const MeasuredOverJob over = measured_with("all_gather");
    for (const MeasuredSpan& span : over.spans) {
        if (span.kind != MeasuredSpan::Kind::action) continue;
        EXPECT_NEAR(*over.difference_ms(*job, span), 0, 2e-4) << span.name;
    }
    EXPECT_NEAR(static_cast<double>(of_2b3(over).exposed_ns), 1e6, 200);
    for (const MeasuredFigures& rank : over.ranks) EXPECT_NEAR(*rank.waiting_ms, rank.predicted_waiting_ms, 1e-2);
    // Messages are not of the action, and gradients are reduced beside it in this job.
    for (const char* kind : {"point_to_point", "reduce_scatter"}) {
        const MeasuredOverJob beside = measured_with(kind);
        EXPECT_NEAR(*beside.difference_ms(*job, of_2b3(beside)), -1, 1e-5) << kind;
    }
}

TEST(MeasuredOverJob, WhoNeedsNobodyWaitsForNobody) {
    const auto job = evaluated(job_text("", 1));
    const MeasuredOverJob over = test::over(*job, traces(*job, {0}));
    ASSERT_TRUE(over.ranks[0].waiting_ms);
    EXPECT_EQ(*over.ranks[0].waiting_ms, 0);
    const std::vector<NamedTrace> nameless{trace(*job, 0, {.names_actions = false})};
    EXPECT_FALSE(test::over(*job, nameless).ranks[0].waiting_ms);
}

TEST(MeasuredOverJob, WaitingIsNotToldWherePeersWereNotMeasured) {
    const auto job = evaluated(job_text(""));
    const MeasuredOverJob alone = over(*job, traces(*job, {2}));
    EXPECT_FALSE(alone.ranks[0].waiting_ms);
    EXPECT_EQ(sum_of(alone, MeasuredSpan::Kind::waiting), 0);
    EXPECT_GT(sum_of(alone, MeasuredSpan::Kind::idle), 0);
    // A part of its peers is not enough: what it waited for the others would be missing.
    const MeasuredOverJob some = over(*job, traces(*job, {0, 1, 2}));
    EXPECT_NEAR(*some.ranks[1].waiting_ms, some.ranks[1].predicted_waiting_ms, 1e-4);
    EXPECT_FALSE(some.ranks[2].waiting_ms);
}

TEST(MeasuredOverJob, TheOptimizerIsNoComputeOfTheStepThoughOthersAreStillAtIt) {
    const auto job = evaluated(job_text(""));
    std::vector<NamedTrace> all = traces(*job, {0, 1, 2});
    // The last stage has sent its last gradient, and reduced its own, while the first one computes.
    const double optimizer_ms = *job->result.step_ms - 5;
    all.push_back(trace(*job, 3, {.optimizer_ms = optimizer_ms}));
    const MeasuredOverJob over = test::over(*job, all);
    ASSERT_TRUE(std::ranges::any_of(over.spans, [&](const MeasuredSpan& span) {
        return span.rank == 3 && span.kind == MeasuredSpan::Kind::compute &&
               span.time.end_ns < over.measured->length_ns;
    }));
    EXPECT_NEAR(over.ranks[3].compute_ms, 36, 1e-4);
    EXPECT_NEAR(over.ranks[3].compute_ms, over.ranks[3].predicted_compute_ms, 1e-4);
    EXPECT_NEAR(over.ranks[3].standing_ms, over.ranks[3].predicted_standing_ms, 1e-4);
}

TEST(MeasuredOverJob, WhatWasSentLongBeforeIsNotOnItsWay) {
    const auto job = evaluated(job_text(""));
    auto measured = measured_job(*job, traces(*job, {0, 1}));
    // 1F1 is launched late: what it needs came while 1F0 ran.
    std::vector<RecordedAction>& actions = measured.ranks[1].recorded.actions;
    const std::int64_t begin_ns = actions[0].time.end_ns;
    ASSERT_EQ(actions[1].name, "1F1");
    for (std::size_t i = 1; i < actions.size(); ++i) actions[i].time = shifted(actions[i].time, 2'500'000);
    const MeasuredOverJob over = measured_over_job(*job, std::make_shared<const MeasuredJob>(measured));
    const auto gap = std::ranges::find_if(over.spans, [&](const MeasuredSpan& span) {
        return span.rank == 1 && span.time.begin_ns == begin_ns && span.kind != MeasuredSpan::Kind::action;
    });
    ASSERT_NE(gap, over.spans.end());
    EXPECT_EQ(gap->kind, MeasuredSpan::Kind::idle);
    EXPECT_FALSE(gap->on);
}

TEST(MeasuredOverJob, WaitingIsNotToldWhereOneOfSeveralSendersWasNotMeasured) {
    std::string text = job_text("");
    text.replace(text.find("1F1B"), 4, "DualPipeV");
    for (std::size_t at = 0; (at = text.find(R"("B": 4)", at)) != std::string::npos; at += 6)
        text.replace(at, 6, R"("B": 4, "I": 2, "W": 2)");
    const auto job = evaluated(text);
    auto measured = measured_job(*job, traces(*job, {0, 1}));
    // A forward of stage 1 at once with a backward of stage 2: both need the first rank.
    const std::vector<RecordedAction>& actions = measured.ranks[1].recorded.actions;
    const auto both = std::ranges::find_if(actions, [](const RecordedAction& of) {
        return of.cell.size() == 2 && of.cell[0].stage == 1 && of.cell[0].kind == ActionKind::forward;
    });
    ASSERT_NE(both, actions.end());
    const Action sent{0, both->cell[0].microbatch, ActionKind::forward};
    const MeasuredOverJob all = measured_over_job(*job, std::make_shared<const MeasuredJob>(measured));
    ASSERT_TRUE(all.ranks[1].waiting_ms);
    // One of the two that it needs was not recorded.
    for (RecordedAction& action : measured.ranks[0].recorded.actions) std::erase(action.cell, sent);
    std::erase_if(measured.ranks[0].recorded.actions, [](const RecordedAction& of) { return of.cell.empty(); });
    const MeasuredOverJob some = measured_over_job(*job, std::make_shared<const MeasuredJob>(measured));
    EXPECT_FALSE(some.ranks[1].waiting_ms);
}

TEST(MeasuredOverJob, WithoutNamesThereAreComputeAndCommunication) {
    const auto job = evaluated(job_text(""));
    const std::vector<NamedTrace> one{trace(*job, 1, {.names_actions = false})};
    const MeasuredOverJob over = test::over(*job, one);
    EXPECT_EQ(sum_of(over, MeasuredSpan::Kind::action), 0);
    EXPECT_NEAR(sum_of(over, MeasuredSpan::Kind::compute), 36 + 2, 1e-4);  // the optimizer's as well
    EXPECT_NEAR(sum_of(over, MeasuredSpan::Kind::communication), 3, 1e-4);
}

/// As torch.distributed.pipelining 2.15 and gloo write it without a GPU.
TEST(MeasuredOverJob, WithoutAGpuOperatorsOfTheHostAreTheCompute) {
    const auto job = evaluated(job_text(""));
    const auto event = [](const std::string& category, const std::string& name, int begin_us, int length_us) {
        return R"({"ph": "X", "pid": 1, "tid": 1, "cat": ")" + category + R"(", "name": ")" + name + R"(", "ts": )" +
               std::to_string(begin_us) + R"(, "dur": )" + std::to_string(length_us) + "}";
    };
    const std::string text = R"({"distributedInfo": {"rank": 0, "world_size": 8}, "traceEvents": [)" +
                             event("user_annotation", "PP:0F0", 0, 1000) + "," + event("cpu_op", "aten::mm", 100, 300) +
                             "," + event("cpu_op", "aten::relu", 500, 300) + "," +
                             event("user_annotation", "PP:0SEND_F0", 1000, 500) + "," +
                             event("cpu_op", "aten::empty", 1100, 10) + "," + event("cpu_op", "c10d::send", 1110, 300) +
                             "," + event("user_annotation", "gloo:send", 1120, 250) + "]}";
    const std::vector<NamedTrace> one{{"cpu.json", read_trace_bytes(text, "cpu.json")}};
    const auto picture = job_picture(job, std::make_shared<const MeasuredJob>(measured_job(*job, one)));
    const std::vector<MeasuredSpan>& spans = picture->measured->spans;
    ASSERT_GE(spans.size(), 3u);
    EXPECT_EQ(spans[0].name, "0F0");
    EXPECT_EQ(spans[0].time.length_ns(), 700'000);
    EXPECT_EQ(spans[0].exposed_ns, 100'000);
    EXPECT_EQ(spans[1].name, "0SEND_F0");
    EXPECT_EQ(spans[1].time.length_ns(), 10'000);
    EXPECT_EQ(spans[2].kind, MeasuredSpan::Kind::communication);
    EXPECT_EQ(spans[2].name, "send");
    for (const Lane& lane : picture->timeline->lanes()) {
        if (!lane.description.title.starts_with("measured")) continue;
        for (std::uint32_t i = 0; i < lane.size(); ++i) {
            const std::uint32_t span = lane.reference[i] - picture->first_measured();
            if (span < 2) {
                EXPECT_EQ(lane.role[i], span == 0 ? bucket_role(0) : EventRole::compute);
            }
        }
    }
}

TEST(MeasuredOverJob, ActionsThatMeetStayInOneRowThoughTimesAreRounded) {
    std::string text = job_text("");
    for (std::size_t at = 0; (at = text.find(R"("F": 2,)", at)) != std::string::npos; ++at)
        text.replace(at, 7, R"("F": 2.0000005,)");
    const auto job = evaluated(text);
    const auto all = traces(*job, {0, 1, 2, 3});
    const auto picture = job_picture(job, std::make_shared<const MeasuredJob>(measured_job(*job, all)));
    for (const Lane& lane : picture->timeline->lanes()) EXPECT_EQ(lane.depth, 0u) << lane.description.title;
}

TEST(MeasuredOverJob, LanesLieBelowThoseOfTheirStageInTheSameColours) {
    const auto job = evaluated(job_text(""));
    const auto ran = evaluated(job_text(slow_host));
    const auto all = traces(*ran, {1, 2, 6});
    const auto picture = job_picture(job, std::make_shared<const MeasuredJob>(measured_job(*job, all)));
    std::vector<std::string> titles;
    for (const Lane& lane : picture->timeline->lanes())
        titles.push_back(lane.description.title + "/" + lane.description.subtitle);
    const auto at = [&](const std::string& title) { return std::ranges::find(titles, title) - titles.begin(); };
    EXPECT_EQ(at("measured rank 1/"), at("Stage 1/ranks 1, 5") + 1);
    EXPECT_EQ(at("measured rank 2/"), at("Stage 2/ranks 2, 6") + 1);
    EXPECT_EQ(at("measured rank 6/"), at("Stage 2/ranks 2, 6") + 2);
    EXPECT_EQ(at("reduce_scatter/measured rank 6"), at("Gradients/Stage 2") + 2);
    EXPECT_GE(picture->timeline->range().end_ns, nanoseconds(*ran->result.step_ms));
    const Lane& predicted = picture->timeline->lanes()[at("Stage 1/ranks 1, 5")];
    const Lane& measured = picture->timeline->lanes()[at("measured rank 1/")];
    std::map<std::string, EventRole> roles;
    for (std::uint32_t i = 0; i < predicted.size(); ++i)
        roles[std::string(picture->timeline->name(predicted.name[i]))] = predicted.role[i];
    std::size_t same = 0;
    for (std::uint32_t i = 0; i < measured.size(); ++i) {
        const MeasuredSpan* span = picture->measured_at(measured.reference[i]);
        ASSERT_TRUE(span);
        if (span->kind != MeasuredSpan::Kind::action) continue;
        EXPECT_EQ(measured.role[i], roles.at(span->name)) << span->name;
        ++same;
    }
    EXPECT_EQ(same, 12u);
    EXPECT_FALSE(picture->measured_at(predicted.reference[0]));
    EXPECT_FALSE(picture->measured_at(no_reference));
}

}  // namespace
}  // namespace overlap::job
