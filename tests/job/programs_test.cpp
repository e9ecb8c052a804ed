// What holds of jobs that are given as programs.

#include <gtest/gtest.h>

#include <string>

#include "core/job/document/job_file.h"
#include "core/job/run_job.h"
#include "tests/job/program_documents.h"

namespace overlap::job {
namespace {

TEST(Programs, ABatchIssuesTogetherAndEndsWithItsLast) {
    const JobResult result = run_job(read_job_text(programs_document, "x"));
    ASSERT_TRUE(result.step_ms);
    EXPECT_EQ(*result.step_ms, 6);  // the send waits for the compute, the receive takes 2, the collective 1
}

/// The operations of the circle, as `rank op`.
std::string circle_of(const char* text) {
    const JobResult result = run_job(read_job_text(text, "x"));
    std::string told;
    for (const JobProblem& problem : result.problems)
        for (const OpOnRank& op : problem.cycle) told.append(std::to_string(op.rank)).append(op.op).append(" ");
    return told;
}

TEST(Programs, ABatchIsInACircleOnce) {
    EXPECT_EQ(circle_of(R"({"format": "overlap-job", "version": 1, "programs": [
        {"rank": 0, "ops": [{"id": "b", "kind": "batch", "ops": [{"id": "s", "kind": "send", "peer": 1}], "after": ["k"]},
                            {"id": "k", "kind": "compute"}]},
        {"rank": 1, "ops": [{"id": "r", "kind": "recv", "peer": 0}]}]})"),
              "0b 0k ");
}

TEST(Programs, WhatIsNotIssuedIsInNoCircle) {
    // Rank 2 never comes; what rank 0 would wait for behind that is no reason.
    constexpr const char* document = R"({"format": "overlap-job", "version": 1, "p2p": "buffered",
        "groups": {"g0": [0, 2, 3]}, "programs": [
        {"rank": 2, "ops": []},
        {"rank": 0, "ops": [{"id": "c6", "kind": "collective", "group": "g0"}, {"id": "r8", "kind": "recv", "peer": 3},
                            {"id": "c10", "kind": "collective", "group": "g0"}]},
        {"rank": 3, "ops": [{"id": "b1", "kind": "batch", "ops": [{"id": "c6", "kind": "collective", "group": "g0"},
                                                                {"id": "c10", "kind": "collective", "group": "g0"}]},
                            {"id": "s8", "kind": "send", "peer": 0}]}]})";
    EXPECT_EQ(circle_of(document), "");
    const JobResult result = run_job(read_job_text(document, "x"));
    ASSERT_EQ(result.problems.size(), 1u);
    EXPECT_EQ(result.problems.front().missing.size(), 3u);
}

TEST(Programs, ASendOfABatchIsIssuedWhenWhatItComesAfterHasEnded) {
    const JobResult result = run_job(read_job_text(R"({"format": "overlap-job", "version": 1, "p2p": "buffered",
        "programs": [{"rank": 0, "ops": [{"id": "k", "kind": "compute", "ms": 10, "stream": "other"},
                         {"id": "b", "kind": "batch", "ops": [{"id": "s", "kind": "send", "peer": 1, "after": ["k"]}]}]},
                     {"rank": 1, "ops": [{"id": "r", "kind": "recv", "peer": 0, "ms": 1}]}]})",
                                                   "x"));
    ASSERT_TRUE(result.step_ms);
    EXPECT_EQ(*result.step_ms, 11);
    EXPECT_EQ(result.classes[1].waiting_for_peers_ms, 10);  // of the receive, for the send
    EXPECT_EQ(result.classes[1].transfer_exposed_ms, 1);
}

TEST(Programs, WhatIsOfStagesIsSaidToChangeNothing) {
    std::string text = programs_document;
    const std::string begin = "\"version\": 1,";
    text.replace(text.find(begin), begin.size(), begin + " \"replicas\": 2,");
    const JobResult result = run_job(read_job_text(text, "x"));
    ASSERT_EQ(result.notes.size(), 1u);
    EXPECT_EQ(result.notes.front().substr(0, 9), "replicas:");
}

TEST(Programs, ASendIsExplainedByWhatIsBeforeIt) {
    const JobResult result = run_job(read_job_text(R"({"format": "overlap-job", "version": 1, "p2p": "buffered",
        "programs": [{"rank": 0, "ops": [{"id": "k", "kind": "compute", "ms": 1},
                                         {"id": "s", "kind": "send", "peer": 1, "ms": 2}]},
                     {"rank": 1, "ops": [{"id": "r", "kind": "recv", "peer": 0}]}]})",
                                                   "x"));
    ASSERT_EQ(result.critical_path.size(), 2u);
    EXPECT_EQ(result.critical_path[1].why, "after k of rank 0");
}

TEST(Programs, WhatIsWrongIsRefusedWithItsPlace) {
    const auto with = [](const std::string& from, const std::string& to) {
        std::string text = programs_document;
        return document_problem(text.replace(text.find(from), from.size(), to));
    };
    EXPECT_NE(with("\"after\": [\"k\"]", "\"after\": [\"z\"]"), "");
    EXPECT_NE(with("\"g\": [0, 1]", "\"g\": [0, 2]"), "");
    EXPECT_NE(with("\"g\": [0, 1]", "\"g\": [0, 0]"), "");
    EXPECT_NE(with("\"rank\": 1", "\"rank\": 0"), "");
    EXPECT_NE(with("\"id\": \"b\"", "\"id\": \"k\""), "");
    EXPECT_NE(with("\"kind\": \"recv\"", "\"kind\": \"receive\""), "");
}

}  // namespace
}  // namespace overlap::job
