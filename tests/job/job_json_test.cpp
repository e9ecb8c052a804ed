// What jobs print as JSON: results, problems and tables of schedules.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/job/document/job_file.h"
#include "core/job/run_job.h"
#include "core/job/schedule_table.h"
#include "tests/support/problem_of.h"

namespace overlap::job {
namespace {

using Json = nlohmann::json;

Json printed_result(const std::string& rest) {
    return Json::parse(result_json(run_job(read_job_text(R"({"format": "overlap-job", "version": 1, )" + rest, "x"))));
}

TEST(JobJson, OfStagesHasRanksWithTheirStagesAndThePath) {
    EXPECT_EQ(
        printed_result(R"("stages": [{"ms": {"F": 1, "B": 2}}, {"ms": {"F": 1, "B": 2}}], "schedule": {"name": "GPipe",
        "microbatches": 1}, "transfer": {"activations_ms": 0.5, "gradients_ms": 0}})"),
        Json::parse(R"({"step_ms": 6.5, "notes": [], "ranks": [
        {"rank": 0, "stage": 0, "replica": 0, "stages": [0], "busy_ms": 3, "idle_ms": 3.5, "waiting_for_peers_ms": 3.5,
         "transfer_exposed_ms": 0},
        {"rank": 1, "stage": 1, "replica": 0, "stages": [1], "busy_ms": 3, "idle_ms": 3.5, "waiting_for_peers_ms": 1,
         "transfer_exposed_ms": 0.5}], "critical_path": [
        {"rank": 0, "op": "0F0", "start_ms": 0, "end_ms": 1, "why": "first"},
        {"rank": 0, "op": "0SEND_F0", "start_ms": 1, "end_ms": 1.5, "why": "message of 0F0 of rank 0"},
        {"rank": 1, "op": "1F0", "start_ms": 1.5, "end_ms": 2.5, "why": "after 0F0 of rank 0"},
        {"rank": 1, "op": "1B0", "start_ms": 2.5, "end_ms": 4.5, "why": "after 1F0 of rank 1"},
        {"rank": 0, "op": "0B0", "start_ms": 4.5, "end_ms": 6.5, "why": "after 1B0 of rank 1"}], "problems": []})"));
}

TEST(JobJson, OfProgramsHasNoStages) {
    EXPECT_EQ(
        printed_result(R"("programs": [{"rank": 4, "ops": [{"id": "k", "kind": "compute", "ms": 3}]}],
        "variation": {"samples": 2}, "replicas": 2})"),
        Json::parse(R"({"step_ms": 3, "notes": ["replicas: of stages, so it changes nothing of programs"], "ranks": [
        {"rank": 4, "busy_ms": 3, "idle_ms": 0, "waiting_for_peers_ms": 0, "transfer_exposed_ms": 0}], "critical_path": [
        {"rank": 4, "op": "k", "start_ms": 0, "end_ms": 3, "why": "first"}], "problems": [], "variation": {"samples": 2,
        "mean_ms": 3, "p50_ms": 3, "p90_ms": 3, "p99_ms": 3, "least_ms": 3, "most_ms": 3}})"));
}

/// The problems of a job that cannot run.
Json printed_problems(const std::string& rest) {
    const Json result = printed_result(rest);
    EXPECT_EQ(result["step_ms"], Json());
    EXPECT_EQ(result["ranks"], Json::array());
    EXPECT_EQ(result["critical_path"], Json::array());
    return result["problems"];
}

TEST(JobJson, ProblemsHaveWhatTheirKindHas) {
    EXPECT_EQ(
        printed_problems(R"("programs": [{"rank": 0, "ops": [{"id": "r", "kind": "recv", "peer": 1}]},
        {"rank": 1, "ops": [{"id": "q", "kind": "recv", "peer": 0}]}]})"),
        Json::parse(
            R"([{"kind": "deadlock", "message": "nothing can go on: rank 0 in r waits for rank 1, which has no such )"
            R"(operation left; rank 1 in q waits for rank 0, which has no such operation left", "cycle": [],
                          "missing": [{"rank": 0, "op": "r", "peer": 1}, {"rank": 1, "op": "q", "peer": 0}]}])"));
    EXPECT_EQ(
        printed_problems(R"("groups": {"g": [0, 1]}, "programs": [
        {"rank": 0, "ops": [{"id": "x", "kind": "collective", "group": "g", "bytes": 4, "dtype": "float16"}]},
        {"rank": 1, "ops": [{"id": "x", "kind": "collective", "group": "g", "bytes": 8, "dtype": "float16"}]}]})"),
        Json::parse(
            R"([{"kind": "mismatch", "message": "collective number 0 of group \"g\": the members disagree on bytes, 4 and 8",
                          "group": "g", "index": 0, "field": "bytes", "values": [4, 8]}])"));
    EXPECT_EQ(
        printed_problems(R"("programs": [
        {"rank": 0, "ops": [{"id": "s", "kind": "send", "peer": 1, "dtype": "float16"}]},
        {"rank": 1, "ops": [{"id": "r", "kind": "recv", "peer": 0, "dtype": "float32"}]}]})"),
        Json::parse(
            R"([{"kind": "mismatch", "message": "message number 0 from rank 0 to rank 1: the members disagree on )"
            R"(dtype, \"float16\" and \"float32\"", "pair": [0, 1], "index": 0, "field": "dtype",
                          "values": ["float16", "float32"]}])"));
}

TEST(JobJson, WhatMembersReceiveIsComparedWithWhatIsSentToThem) {
    const auto job = [](const std::string& receive) {
        return R"("groups": {"g": [0, 1]}, "programs": [{"rank": 0, "ops": [{"id": "x", "kind": "collective", "group": "g",
            "split": [1, 2], "receive": )" +
               receive + R"(}]}, {"rank": 1, "ops": [{"id": "x", "kind": "collective", "group": "g", "split": [3, 4],
            "receive": [2, 4], "ms": 1}]}]})";
    };
    EXPECT_EQ(printed_result(job("[1, 3]"))["problems"], Json::array());
    const Json problems = printed_problems(job("[1, 9]"));
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0]["field"], "split");
    EXPECT_EQ(problems[0]["values"], Json({3, 9}));
}

TEST(JobJson, ProgramsHaveNoTableOfSchedules) {
    const JobDocument job = read_job_text(R"({"format": "overlap-job", "version": 1, "programs": []})", "x");
    EXPECT_EQ(test::problem_of([&] { schedule_table(job, {}); }),
              "programs: a job of programs has no schedule, expected stages");
}

TEST(JobJson, ATableHasAStepOrARefusalForEachSchedule) {
    const JobDocument job =
        read_job_text(R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 2}}],
        "schedule": {"name": "GPipe", "microbatches": 2}})",
                      "x");
    const Json table = Json::parse(schedule_table_json(schedule_table(job, {})))["schedules"];
    ASSERT_EQ(table.size(), 6u);
    EXPECT_EQ(table[0], Json::parse(R"({"name": "GPipe", "own": true, "step_ms": 6, "ranks": 1, "stages_per_rank": 1,
        "idle_share": 0, "waiting_share": 0, "transfer_share": 0, "held_forwards": 2, "held_bytes": null})"));
    EXPECT_EQ(table[2], Json::parse(R"({"name": "Interleaved1F1B", "own": false, "step_ms": null,
        "refusal": "schedule: found 1 stage, expected a multiple of 2: 2 on each rank"})"));
}

}  // namespace
}  // namespace overlap::job
