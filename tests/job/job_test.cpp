// Documents that come back as they were, and what holds of every job.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "core/base/error.h"
#include "core/job/document/job_file.h"
#include "core/job/run_job.h"
#include "core/job/schedule_table.h"
#include "core/job/what_if.h"
#include "tests/job/program_documents.h"

namespace overlap::job {
namespace {

constexpr const char* stages_document = R"({"format": "overlap-job", "version": 1, "name": "x", "later": {"a": [1]},
 "stages": [{"ms": {"F": 2, "I": 3, "W": 1}, "gradient_sync_ms": 2, "colour": "red"},
            {"segments": {"F": [{"compute_ms": 1.5, "note": "q"}, {"collective": "all_reduce", "dim": "dp", "ms": 0.5}],
                          "B": [{"compute_ms": 4}]}}],
 "schedule": {"name": "1F1B", "microbatches": 4, "why": "because"},
 "transfer": {"activations_ms": 0.2, "gradients_ms": 0.1}, "replicas": 3,
 "variation": {"slow": [{"replica": 1, "stage": 0, "factor": 1.5}]}})";

TEST(JobDocument, ComesBackWithUnknownFields) {
    for (const char* document : {stages_document, programs_document}) {
        const std::string text = write_job_text(read_job_text(document, "x"));
        EXPECT_EQ(write_job_text(read_job_text(text, "again")), text);
    }
    const std::string text = write_job_text(read_job_text(stages_document, "x"));
    for (const char* field : {"later", "colour", "note", "why"})
        EXPECT_NE(text.find("\"" + std::string(field) + "\""), std::string::npos) << field;
    EXPECT_NE(write_job_text(read_job_text(programs_document, "x")).find("\"label\""), std::string::npos);
}

TEST(JobDocument, ErrorsNameThePlace) {
    const auto with = [](const std::string& from, const std::string& to) {
        std::string text = stages_document;
        return document_problem(text.replace(text.find(from), from.size(), to));
    };
    EXPECT_EQ(with("\"F\": 2", "\"F\": -2").substr(0, 15), "stages[0].ms.F|");
    EXPECT_EQ(with("\"microbatches\": 4", "\"microbatches\": 0").substr(0, 22), "schedule.microbatches|");
    EXPECT_EQ(with("1F1B", "1F2B").substr(0, 14), "schedule.name|");
    EXPECT_EQ(with("\"replica\": 1", "\"replica\": 9").substr(0, 26), "variation.slow[0].replica|");
    EXPECT_EQ(with("\"W\": 1", "\"V\": 1").substr(0, 13), "stages[0].ms|");
    EXPECT_EQ(with("\"slow\": [", "\"slow\": [{\"factor\": 1e5}, {\"factor\": 1e4}, ").substr(0, 25),
              "variation.slow[1].factor|");
    EXPECT_EQ(with("\"version\": 1", "\"version\": 9").substr(0, 8), "version|");
    EXPECT_EQ(with("\"replicas\": 3", "\"replicas\": 9999999999999").substr(0, 9), "replicas|");
}

bool same(const JobResult& a, const JobResult& b) {
    if (a.step_ms != b.step_ms || a.ranks.size() != b.ranks.size()) return false;
    for (std::size_t i = 0; i < a.ranks.size(); ++i) {
        const RankFigures &left = a.classes[a.ranks[i].figures], &right = b.classes[b.ranks[i].figures];
        if (left.busy_ms != right.busy_ms || left.waiting_for_peers_ms != right.waiting_for_peers_ms ||
            left.transfer_exposed_ms != right.transfer_exposed_ms || a.ranks[i].rank != b.ranks[i].rank)
            return false;
    }
    return true;
}

/// Stages with collectives over a dimension of a mesh, some replicas slow.
JobDocument random_job(std::mt19937& random) {
    const auto pick = [&](int most) { return static_cast<std::int32_t>(random() % static_cast<unsigned>(most)); };
    const auto time = [&] { return static_cast<double>(1 + pick(1000)) / 7.0; };
    JobDocument job;
    const std::int32_t ranks = 1 + pick(4);
    for (std::int32_t i = 0; i < ranks * 2; ++i) {
        StageSpec& stage = job.stages.emplace_back();
        stage.kind = StageKind::segments;
        for (const char* kind : {"F", "I", "W"})
            stage.segments.emplace_back(kind,
                                        std::vector<Segment>{{time(), "", "", false, {}},
                                                             {time(), "all_reduce", pick(2) ? "tp" : "dp", false, {}}});
        stage.gradient_sync_ms = time();
    }
    job.schedule.name = pick(2) ? "InterleavedZeroBubble" : "Interleaved1F1B";
    job.schedule.microbatches = ranks * (1 + pick(3));
    job.transfer = TransferSpec{time(), time(), {}, {}, {}};
    job.mesh = MeshSpec{{{"dp", 1 + pick(4)}, {"pp", ranks}, {"tp", 1 + pick(4)}}, {}, {}};
    if (pick(2)) job.mesh->order = {"tp", "pp", "dp"};
    const std::int32_t replicas = job.mesh->dims[0].second * job.mesh->dims[2].second;
    job.variation = VariationSpec();
    for (std::int32_t i = pick(4); i > 0; --i)
        job.variation->slow.push_back({pick(replicas), pick(ranks * 2), 1 + time() / 100, {}});
    return job;
}

TEST(Job, FoldedEqualsUnfoldedToTheBit) {
    std::mt19937 random(7);
    std::size_t folded_classes = 0, unfolded_classes = 0;
    for (int i = 0; i < 200; ++i) {
        const JobDocument job = random_job(random);
        PipelineOptions unfolded;
        unfolded.fold = false;
        const JobResult folded = run_job(job), whole = run_job(job, unfolded);
        EXPECT_TRUE(folded.step_ms) << i;
        EXPECT_TRUE(same(folded, whole)) << write_job_text(job);
        folded_classes += folded.classes.size();
        unfolded_classes += whole.classes.size();
    }
    EXPECT_LT(folded_classes, unfolded_classes);
}

TEST(Job, LongerActionsNeverShortenTheStepWhichIsNoShorterThanTheBusiestRank) {
    std::mt19937 random(11);
    for (int i = 0; i < 100; ++i) {
        JobDocument job = random_job(random);
        const JobResult before = run_job(job);
        for (const RankFigures& rank : before.classes) EXPECT_LE(rank.busy_ms, *before.step_ms * (1 + 1e-12));
        double path = 0;
        for (const PathStep& step : before.critical_path) {
            EXPECT_EQ(step.start_ms, path);
            path = step.end_ms;
        }
        EXPECT_EQ(path, *before.step_ms);
        StageSpec& stage = job.stages[random() % job.stages.size()];
        stage.segments[random() % 3].second[random() % 2].ms *= 1.7;
        EXPECT_GE(*run_job(job).step_ms, *before.step_ms);
    }
}

TEST(Job, NoVarianceIsTheDeterministicStepAndOneSeedGivesOneResult) {
    JobDocument job = read_job_text(stages_document, "x");
    job.variation->has_samples = true;
    job.variation->samples = 20;
    const JobResult calm = run_job(job);
    ASSERT_TRUE(calm.spread);
    EXPECT_EQ(calm.spread->least_ms, *calm.step_ms);
    EXPECT_EQ(calm.spread->most_ms, *calm.step_ms);
    job.variation->compute.kind = DistributionSpec::Kind::log_normal;
    job.variation->compute.sigma = 0.1;
    job.variation->transfer.kind = DistributionSpec::Kind::log_normal;
    job.variation->transfer.sigma = 0.2;
    PipelineOptions unfolded;
    unfolded.fold = false;
    const JobResult varied = run_job(job), again = run_job(job, unfolded);
    EXPECT_LT(varied.spread->least_ms, varied.spread->most_ms);
    EXPECT_EQ(varied.spread->p90_ms, again.spread->p90_ms);
    EXPECT_EQ(varied.spread->mean_ms, again.spread->mean_ms);
    job.variation->seed = 2;
    EXPECT_NE(run_job(job).spread->mean_ms, varied.spread->mean_ms);
}

TEST(Job, WhatIsStoppedEndsAtTheNextDrawScheduleOrStage) {
    PipelineOptions options;
    std::stop_source source;
    options.stop = source.get_token();
    int stages = 0;
    options.evaluator = [&](const StageSpec&, std::size_t) {
        ++stages;
        source.request_stop();
        return GraphStageTimes{{1, 0, -1, false}, {1, 0, -1, false}};
    };
    const JobDocument graphs = read_job_text(R"({"format": "overlap-job", "version": 1, "stages": [{"graph": "a"},
        {"graph": "b"}], "schedule": {"name": "GPipe", "microbatches": 2}})",
                                             "x");
    EXPECT_THROW(run_job(graphs, options), InputError);
    EXPECT_EQ(stages, 1);
    const JobDocument times = read_job_text(stages_document, "x");
    EXPECT_GE(schedule_table(times, {}, {}).size(), 6u);
    EXPECT_EQ(schedule_table(times, options, {}).size(), 1u);
    const JobDocument draws = read_job_text(R"({"format": "overlap-job", "version": 1,
        "programs": [{"rank": 0, "ops": [{"id": "k", "kind": "compute", "ms": 3}]}],
        "variation": {"samples": 20, "compute": {"sigma": 0.5}}})",
                                            "x");
    EXPECT_EQ(run_job(draws).spread->samples, 20);
    EXPECT_THROW(run_job(draws, options), InputError);
}

TEST(Job, ASlowReplicaDelaysTheOthersAtTheCollectiveThatTheyMeetIn) {
    const JobResult result = run_job(read_job_text(stages_document, "x"));
    ASSERT_TRUE(result.step_ms);
    EXPECT_GT(result.classes[result.ranks[1].figures].waiting_for_peers_ms,
              result.classes[result.ranks[3].figures].waiting_for_peers_ms);
}

TEST(Job, WhatCostsMostIsTheStepWithoutIt) {
    const JobDocument job = read_job_text(stages_document, "x");
    const std::vector<WhatIf> rows = what_ifs(job, {});
    ASSERT_EQ(rows.size(), 5u);
    JobDocument calm = job;
    calm.variation.reset();
    for (const WhatIf& row : rows) {
        EXPECT_LE(row.step_ms, *run_job(job).step_ms);
        if (row.without == "slow replica 1, stage 0") {
            EXPECT_EQ(row.step_ms, *run_job(calm).step_ms);
        }
    }
}

TEST(Job, RanksOfAMeshAreNumberedInItsOrderAndMessagesTakeTheLevelThatTheyCross) {
    // Outermost dp, then pp, then tp: stages are 2 ranks apart, dp replicas 4.
    JobDocument job = read_job_text(R"({"format": "overlap-job", "version": 1,
        "stages": [{"ms": {"F": 1, "B": 2}}, {"ms": {"F": 1, "B": 2}}], "schedule": {"name": "GPipe", "microbatches": 1},
        "mesh": {"dims": [["dp", 2], ["pp", 2], ["tp", 2]]}, "transfer": {"activation_bytes": 1000, "gradient_bytes": 0},
        "topology": {"levels": [{"ranks": 2, "bytes_per_s": 1e9}, {"ranks": 8, "latency_ms": 3, "bytes_per_s": 1e6}]}})",
                                    "x");
    const JobResult result = run_job(job);
    ASSERT_EQ(result.ranks.size(), 8u);
    for (std::int64_t rank = 0; rank < 8; ++rank) {
        EXPECT_EQ(result.ranks[static_cast<std::size_t>(rank)].rank, rank);
        EXPECT_EQ(result.ranks[static_cast<std::size_t>(rank)].stage, rank / 2 % 2);
    }
    EXPECT_EQ(*result.step_ms, 6 + (3 + 1) + 3);  // 3 ms latency, and 1 ms for 1000 bytes
    job.mesh->order = {"dp", "tp", "pp"};         // neighbours now, within the first level
    EXPECT_NEAR(*run_job(job).step_ms, 6 + 1e-3, 1e-12);
}

TEST(Job, TheExpertRankWithMostTokensHoldsUpTheOthers) {
    JobDocument job = read_job_text(R"({"format": "overlap-job", "version": 1,
        "stages": [{"segments": {"F": [{"compute_ms": 1}, {"collective": "all_to_all", "dim": "ep", "ms": 2},
                                       {"compute_ms": 4, "experts": true}],
                                 "B": [{"collective": "all_reduce", "dim": "ep", "ms": 1}]}}],
        "schedule": {"name": "GPipe", "microbatches": 1}, "mesh": {"dims": [["ep", 4]]},
        "routing": {"group": "ep", "share": [0.5, 0.25, 0.25, 0]}})",
                                    "x");
    PipelineOptions unfolded;
    unfolded.fold = false;
    const JobResult result = run_job(job);
    EXPECT_EQ(*result.step_ms, 1 + 2 * 2 + 4 * 2 + 1);
    EXPECT_EQ(result.classes.size(), 3u);
    EXPECT_TRUE(same(result, run_job(job, unfolded)));
    EXPECT_EQ(result.classes[result.ranks[3].figures].busy_ms, 1);
    EXPECT_EQ(result.classes[result.ranks[3].figures].waiting_for_peers_ms, 2 * 2 + 4 * 2);
    EXPECT_EQ(write_job_text(read_job_text(write_job_text(job), "again")), write_job_text(job));
    EXPECT_TRUE(result.notes.empty());
    job.routing->share.pop_back();
    EXPECT_THROW(run_job(job), InputError);
}

TEST(Job, SharesThatDoNotAddUpToOneAreParts) {
    JobDocument job = read_job_text(R"({"format": "overlap-job", "version": 1,
        "stages": [{"segments": {"F": [{"compute_ms": 4, "experts": true}], "B": [{"compute_ms": 1}]}}],
        "schedule": {"name": "GPipe", "microbatches": 1}, "mesh": {"dims": [["ep", 2]]},
        "routing": {"group": "ep", "share": [0.5, 0.3]}})",
                                    "x");
    const JobResult result = run_job(job);
    EXPECT_DOUBLE_EQ(*result.step_ms, 4 * (2 * 0.5 / 0.8) + 1);
    ASSERT_EQ(result.notes.size(), 1u);
    EXPECT_EQ(result.notes[0],
              "routing.share adds up to 0.8 and not to 1: each share is taken as its part of that sum");
    job.routing->share = {0.33333333, 0.66666667};
    EXPECT_TRUE(run_job(job).notes.empty());
}

TEST(Job, WhatUnevenRoutingCostsIsTheStepWithEvenTokens) {
    JobDocument job = read_job_text(R"({"format": "overlap-job", "version": 1,
        "stages": [{"segments": {"F": [{"compute_ms": 4, "experts": true}], "B": [{"compute_ms": 1}]}},
                   {"segments": {"F": [{"compute_ms": 5}], "B": [{"compute_ms": 1}]}}],
        "schedule": {"name": "GPipe", "microbatches": 1}, "mesh": {"dims": [["pp", 2], ["ep", 2]]},
        "routing": {"group": "ep", "share": [0.75, 0.25]}})",
                                    "x");
    EXPECT_EQ(*run_job(job).step_ms, 6 + 5 + 2);
    const auto uneven = [&] {
        const std::vector<WhatIf> rows = what_ifs(job, {});
        const auto row = std::ranges::find(rows, "uneven routing of tokens", &WhatIf::without);
        return row == rows.end() ? std::nullopt : std::optional(*row);
    };
    ASSERT_TRUE(uneven());
    EXPECT_EQ(uneven()->step_ms, 4 + 5 + 2);
    EXPECT_DOUBLE_EQ(uneven()->saved_share, 2.0 / 13);
    job.routing->share = {0.5, 0.5};
    EXPECT_FALSE(uneven());
}

TEST(Job, SchedulesAreComparedOnTheJobsRanksWhereTheyCanBe) {
    JobDocument job = read_job_text(R"({"format": "overlap-job", "version": 1,
        "stages": [{"ms": {"F": 1, "B": 2}}, {"ms": {"F": 1, "B": 2}}, {"ms": {"F": 1, "B": 2}}, {"ms": {"F": 1, "B": 2}},
                   {"ms": {"F": 1, "B": 2}}, {"ms": {"F": 1, "B": 2}}],
        "schedule": {"name": "Interleaved1F1B", "microbatches": 4, "stages_per_rank": 3}})",
                                    "x");
    const std::vector<ScheduleRow> rows = schedule_table(job, {});
    EXPECT_TRUE(rows.front().is_own);
    EXPECT_EQ(rows.front().ranks, 2);
    std::map<std::string, std::int32_t> ranks;
    for (const ScheduleRow& row : rows) {
        EXPECT_EQ(row.step_ms.has_value(), row.refusal.empty()) << row.name;
        ranks[row.name] = row.ranks;
    }
    EXPECT_EQ(rows.size(), 6u);
    EXPECT_EQ(ranks["GPipe"], 6);  // one stage a rank, always
    EXPECT_EQ(*rows.front().step_ms, *run_job(job).step_ms);
}

TEST(Job, PartsOfAnActionAreOneStretchOfTheCriticalPath) {
    const JobResult result =
        run_job(read_job_text(R"({"format": "overlap-job", "version": 1, "mesh": {"dims": [["pp", 2], ["dp", 2]]},
        "stages": [{"segments": {"F": [{"compute_ms": 1}, {"collective": "all_reduce", "dim": "dp", "ms": 2}, {"compute_ms": 3}],
                                 "B": [{"compute_ms": 1}]}},
                   {"segments": {"F": [{"compute_ms": 1}], "B": [{"compute_ms": 1}]}}],
        "schedule": {"name": "GPipe", "microbatches": 1}})",
                              "x"));
    ASSERT_FALSE(result.critical_path.empty());
    const PathStep& forward = result.critical_path.front();
    EXPECT_EQ(forward.start_ms, 0);
    EXPECT_EQ(forward.end_ms, 6);
    for (std::size_t i = 1; i < result.critical_path.size(); ++i) {
        EXPECT_NE(result.critical_path[i].why, "first") << result.critical_path[i].op;
        EXPECT_EQ(result.critical_path[i].start_ms, result.critical_path[i - 1].end_ms);
    }
}

}  // namespace
}  // namespace overlap::job
