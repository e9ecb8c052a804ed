// Documents that can be read and jobs that cannot be run: what is said, and where.

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/job/document/job_file.h"
#include "core/job/job_changes.h"
#include "core/job/run_job.h"
#include "core/job/schedules/checked_schedule.h"
#include "core/job/schedules/schedule_csv.h"
#include "core/job/variation.h"

namespace overlap::job {
namespace {

JobDocument job_of(const std::string& stages, const std::string& schedule, const std::string& further = "") {
    return read_job_text(R"({"format": "overlap-job", "version": 1, "stages": [)" + stages + R"(], "schedule": )" +
                             schedule + (further.empty() ? "" : ", " + further) + "}",
                         "x.job.json");
}

template <typename Call>
std::string refused_by(const Call& call) {
    try {
        call();
    } catch (const InputError& error) {
        return error.place() + ": " + error.problem();
    }
    return "";
}

std::string refused(const std::string& stages, const std::string& schedule, const std::string& further = "") {
    return refused_by([&] { run_job(job_of(stages, schedule, further)); });
}

const std::string one = R"({"ms": {"F": 1, "B": 2}})", two = one + ", " + one,
                  gpipe = R"({"name": "GPipe", "microbatches": 2})";

TEST(JobRefusals, SchedulesThatDoNotFitTheStages) {
    EXPECT_EQ(refused(one, R"({"name": "ZBVZeroBubble", "microbatches": 2, "stages_per_rank": 2})"),
              "schedule: found 1 stage, expected a multiple of 2: 2 on each rank");
    EXPECT_EQ(refused(two, R"({"name": "GPipe", "microbatches": 2, "ranks": 3})"),
              "schedule: found 2 stages, expected 3 for 3 ranks: 1 on each rank");
    EXPECT_EQ(refused(two, R"({"name": "GPipe", "microbatches": 2, "ranks": 1})"),
              "schedule: GPipe with 1 rank, 2 stages a rank and 2 microbatches: expected 1 stage a rank");
    EXPECT_EQ(refused(two, R"({"name": "Interleaved1F1B", "microbatches": 2, "ranks": 2})"),
              "schedule: Interleaved1F1B with 2 ranks, 1 stage a rank and 2 microbatches: expected at least 2 stages a "
              "rank");
    EXPECT_EQ(refused(one, R"({"actions": [["0F0", "0B0"]], "microbatches": 1, "ranks": 2})"),
              "schedule.actions: has the lists of 1 ranks, and schedule.ranks is 2");
    EXPECT_EQ(refused(one, R"({"actions": [["0F0", "0Z0"]], "microbatches": 1})").substr(0, 26),
              "schedule.actions[0][1]: fo");
    EXPECT_EQ(refused(one, R"({"actions": [], "microbatches": 1})"), "schedule.actions: no rank has a list");
}

TEST(JobRefusals, NamesOfGivenListsAreLabels) {
    const JobDocument job =
        job_of(one, R"({"name": "mine", "actions": [["0F0", "0B0"]], "microbatches": 1, "ranks": 1})");
    const std::vector<std::string> notes = run_job(job).notes;
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_EQ(notes[0], "the schedule is the list that is given; its name \"mine\" is a label");
}

TEST(JobRefusals, ListsInWhichAnActionIsOutOfPlace) {
    const auto list = [](const std::string& rows, std::int32_t stages = 1, std::int32_t microbatches = 1) {
        return refused_by([&] { check_schedule(read_schedule_csv(rows), stages, microbatches); });
    };
    EXPECT_EQ(list("0F0,0B0\n"), "");
    EXPECT_EQ(list("0F0,0I0,0W0\n"), "");
    EXPECT_EQ(list(""), ": no rank has a list");
    EXPECT_EQ(list("0F0,1B0\n"), "rank 0, cell 2: 1B0 is of a stage that the job does not have; it has 1");
    EXPECT_EQ(list("0F0\n0B0\n"), "rank 1, cell 1: 0B0 is of a stage that rank 0 has already");
    EXPECT_EQ(list("0F0,0B1\n"),
              "rank 0, cell 2: 0B1 is of a microbatch that the job does not have; it has 1, numbered from 0");
    EXPECT_EQ(list("0F0,0F0\n"), "rank 0, cell 2: 0F0 is there twice");
    EXPECT_EQ(list("0B0,0F0\n"), "rank 0, cell 1: 0B0 stands before the forward of its stage and microbatch");
    EXPECT_EQ(list("0F0,0I0,0B0\n"), "rank 0, cell 3: 0B0 follows a backward of the same in parts");
    EXPECT_EQ(list("0F0,0B0,0W0\n"), "rank 0, cell 3: 0W0 follows a full backward of the same");
    EXPECT_EQ(list("0F0,0B0,0I0\n"), "rank 0, cell 3: 0I0 follows a full backward of the same");
    EXPECT_EQ(list("0F0,0W0\n"), "rank 0, cell 2: 0W0 stands before the I of its stage and microbatch");
    EXPECT_EQ(list("0F0\n"), "rank 0: 0B0 is missing: each stage runs on each microbatch once");
    EXPECT_EQ(list("0F0,0I0\n"), "rank 0: 0W0 is missing: each stage runs on each microbatch once");
    EXPECT_EQ(list("0F0,0B0\n", 2), ": 1F0 is missing: each stage runs on each microbatch once");
    // Numbered from one, but not all of them, or in parts: nothing is repaired.
    EXPECT_EQ(list("0F1,0B0\n", 1, 2), "rank 0, cell 2: 0B0 stands before the forward of its stage and microbatch");
    EXPECT_EQ(list("0F1,0I0\n"),
              "rank 0, cell 1: 0F1 is of a microbatch that the job does not have; it has 1, numbered from 0");
}

TEST(JobRefusals, ListsComeFromSpreadsheetsToo) {
    EXPECT_EQ(schedule_csv(read_schedule_csv("\"0F0\",\"0B0\"\r\n\"1F0\",1B0\r\n\r\n")), "0F0,0B0\n1F0,1B0\n");
    EXPECT_EQ(schedule_csv(read_schedule_csv(" \n")), "");
    EXPECT_EQ(refused_by([] { read_schedule_csv("\"\n"); }).substr(0, 15), "row 1, cell 1: ");
    EXPECT_EQ(refused_by([] { read_schedule_csv("(0F0;(0B0)OVERLAP_F_B\n"); }).substr(0, 15), "row 1, cell 1: ");
    // One cell has so many actions at most.
    std::string parts = "0F0";
    for (int part = 1; part < 64; ++part) parts += ";" + std::to_string(part) + "F0";
    EXPECT_EQ(refused_by([&] { read_schedule_csv("(" + parts + ")OVERLAP_F_B\n"); }), "");
    EXPECT_EQ(refused_by([&] { read_schedule_csv("(" + parts + ";64F0)OVERLAP_F_B\n"); }).substr(0, 15),
              "row 1, cell 1: ");
}

TEST(JobRefusals, WhatSurroundsTheStagesMustFit) {
    EXPECT_EQ(refused(one, gpipe, R"("replicas": 10000000, "mesh": {"dims": []})").substr(0, 9), "replicas:");
    EXPECT_EQ(refused(two, gpipe, R"("replicas": 10000000)"),
              "replicas: 10,000,000 replicas of 2 ranks are more than 10,000,000");
    std::string thousand = one;
    for (int stage = 1; stage < 1000; ++stage) thousand += ", " + one;
    EXPECT_EQ(refused(thousand, gpipe, R"("replicas": 10000000)"),
              "replicas: 10,000,000 replicas of 1,000 ranks are more than 10,000,000");
    EXPECT_EQ(refused(two, gpipe, R"("mesh": {"dims": [["dp", 2]]})"), "mesh.dims: pp has 1 ranks, and the schedule 2");
    EXPECT_EQ(refused(one, gpipe, R"("mesh": {"dims": [["pp", 2]]})"), "mesh.dims: pp has 2 ranks, and the schedule 1");
    const std::string mesh = R"("mesh": {"dims": [["ep", 2], ["pp", 1]]})";
    for (const std::string group : {"pp", "tp"}) {
        EXPECT_EQ(refused(one, gpipe, mesh + R"(, "routing": {"group": ")" + group + R"(", "share": [1, 1]})"),
                  "routing.group: found \"" + group + "\", expected a mesh dimension beside pp");
    }
    EXPECT_EQ(refused(one, gpipe, mesh + R"(, "routing": {"group": "ep", "share": [1, 1, 1]})"),
              "routing.share: has 3 shares, and the dimension 2 ranks");
    EXPECT_EQ(refused(one, gpipe, R"("variation": {"slow": [{"stage": 1, "factor": 2}]})"),
              "variation.slow[0].stage: found 1, and the job has 1 stages, numbered from 0");
    const auto over = [](const std::string& dim) {
        return R"({"segments": {"F": [{"collective": "all_reduce", "dim": ")" + dim +
               R"(", "ms": 1}], "B": [{"compute_ms": 1}]}})";
    };
    EXPECT_NE(refused(over("pp"), gpipe, mesh).find("cannot go over pp, whose ranks run other stages"),
              std::string::npos);
    EXPECT_NE(refused(over("dp"), gpipe, mesh).find("the mesh has no dimension \"dp\""), std::string::npos);
    for (const std::string dim : {"dp", "dp_shard", "fsdp", "replica", "replicas", "tp"})
        EXPECT_EQ(refused(over(dim), gpipe, R"("replicas": 2)"), "") << dim;
}

TEST(JobRefusals, BytesNeedATopology) {
    EXPECT_EQ(refused(two, gpipe, R"("transfer": {"gradient_bytes": 5})"),
              "transfer: activation_bytes and gradient_bytes need a topology that says how fast they move");
    EXPECT_EQ(refused(R"({"ms": {"F": 1, "B": 1}, "gradient_sync_bytes": 5})", gpipe, R"("replicas": 2)"),
              "stages: bytes of collectives need a topology that says how fast they move");
    const std::string shared = R"("topology": {"levels": [{"ranks": 2, "bytes_per_s": 1e9, "contention": "shared"}]})";
    const std::vector<std::string> notes = run_job(job_of(two, gpipe, shared)).notes;
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_EQ(notes[0], "topology: neither messages nor collectives have bytes, so nothing shares its links");
}

TEST(JobRefusals, ActionsThatRunTogether) {
    const std::string schedule =
        R"({"microbatches": 2, "overlap": "max", "actions": [["0F0", "(0F1;0B0)OVERLAP_F_B", "0B1"]]})";
    EXPECT_EQ(refused(one, schedule), "");
    EXPECT_EQ(
        refused(R"({"segments": {"F": [{"compute_ms": 1}, {"collective": "all_reduce", "dim": "dp", "ms": 1}],
                                       "B": [{"compute_ms": 1}]}})",
                schedule, R"("replicas": 2)"),
        "schedule.overlap: (0F1;0B0)OVERLAP_F_B has segments with collectives or experts, which run one after the "
        "other; expected \"sum\"");
    EXPECT_EQ(refused(R"({"ms": {"F": 1, "B": 2}, "gradient_sync_ms": 1})",
                      R"({"microbatches": 1, "actions": [["0F0", "0B0", "0REDUCE_GRAD", "0REDUCE_GRAD"]]})",
                      R"("replicas": 2)"),
              "schedule: 0REDUCE_GRAD is there twice, and the stage's gradients are reduced once");
}

TEST(JobRefusals, OperationsOutsideTheirGroup) {
    const auto with = [](const std::string& op) {
        return refused_by([&] {
            run_job(read_job_text(R"({"format": "overlap-job", "version": 1, "groups": {"g": [0], "others": [1]},
                "programs": [{"rank": 0, "ops": [{"id": "a", "kind": "collective", "ms": 1, )" +
                                      op + R"(}]}, {"rank": 1, "ops": []}]})",
                                  "x"));
        });
    };
    EXPECT_EQ(with(R"("group": "g")"), "");
    const std::string unknown = with(R"("group": "h")"), outside = with(R"("group": "others")"),
                      split = with(R"("group": "g", "split": [1, 2])"),
                      receive = with(R"("group": "g", "receive": [1, 2])");
    EXPECT_TRUE(unknown.ends_with("its group \"h\" is not among groups")) << unknown;
    EXPECT_TRUE(outside.ends_with("rank 0 is no member of its group \"others\"")) << outside;
    for (const std::string& refusal : {split, receive}) {
        EXPECT_TRUE(refusal.ends_with("split and receive need a number for each of the group's 1 members")) << refusal;
    }
}

TEST(JobRefusals, ChangesThatAJobCannotHave) {
    JobChanges changes;
    changes.schedule = "1F2B";
    const JobDocument job = job_of(two, gpipe);
    EXPECT_EQ(refused_by([&] { changed_job(job, changes, ""); }), "schedule.name: there is no schedule \"1F2B\"");
    EXPECT_EQ(refused_by([&] {
                  changed_job(read_job_text(R"({"format": "overlap-job", "version": 1, "programs": []})", "x"), changes,
                              "");
              }),
              "programs: a job of programs has no schedule, expected stages");
    changes = {};
    changes.slow.emplace();
    for (const std::int64_t rank : {-1, 2}) {
        changes.slow->first = rank;
        EXPECT_EQ(refused_by([&] { changed_job(job, changes, ""); }),
                  "variation.slow: there is no rank " + std::to_string(rank) + ", the job has 2, numbered from 0");
    }
    changes = {};
    changes.routing = TriedRouting::one_doubled;
    EXPECT_EQ(refused_by([&] { changed_job(job, changes, ""); }),
              "routing: the job has none, so that there are no experts to route tokens to");
}

TEST(Variation, DrawsAreAskedForByWhatVaries) {
    const auto asks = [](const std::string& variation) {
        return asks_for_draws(job_of(one, gpipe, R"("variation": )" + variation));
    };
    EXPECT_FALSE(asks_for_draws(job_of(one, gpipe)));
    EXPECT_FALSE(asks("{}"));
    EXPECT_FALSE(asks(R"({"compute": {"sigma": 0}})"));
    EXPECT_TRUE(asks(R"({"samples": 2})"));
    EXPECT_TRUE(asks(R"({"compute": {"sigma": 0.1}})"));
    EXPECT_TRUE(asks(R"({"transfer": {"uniform": [1, 1]}})"));
    EXPECT_TRUE(asks(R"({"pauses": [{"probability": 0.5, "ms": 1}]})"));
    EXPECT_EQ(spread_of({}).samples, 0);
    EXPECT_EQ(drawn_factor({}, 1, 2, 3), 1);
    DistributionSpec none;
    none.kind = DistributionSpec::Kind::log_normal;
    EXPECT_EQ(drawn_factor(none, 1, 2, 3), 1);
}

}  // namespace
}  // namespace overlap::job
