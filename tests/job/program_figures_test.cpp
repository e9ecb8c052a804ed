// Figures of the ranks of programs: computing, waiting for others, and what is on its way.

#include <gtest/gtest.h>

#include "core/job/document/job_file.h"
#include "core/job/run_job.h"

namespace overlap::job {
namespace {

JobResult programs_result(const std::string& rest) {
    return run_job(read_job_text(R"({"format": "overlap-job", "version": 1, )" + rest, "x"));
}

TEST(ProgramFigures, WhatIsExposedIsWaitedForOrOnItsWay) {
    // Rank 0 sends when 3 ms are over; rank 1 computes for 1, waits for 2, receives for 2, and computes for 1.
    const JobResult result = programs_result(R"("programs": [
        {"rank": 0, "ops": [{"id": "k", "kind": "compute", "ms": 3}, {"id": "s", "kind": "send", "peer": 1, "ms": 2}]},
        {"rank": 1, "ops": [{"id": "k", "kind": "compute", "ms": 1}, {"id": "r", "kind": "recv", "peer": 0, "ms": 2},
                            {"id": "l", "kind": "compute", "ms": 1}]}]})");
    EXPECT_EQ(result.step_ms, 6);
    ASSERT_EQ(result.classes.size(), 2u);
    EXPECT_EQ(result.classes[0].busy_ms, 3);
    EXPECT_EQ(result.classes[0].waiting_for_peers_ms, 0);
    EXPECT_EQ(result.classes[0].transfer_exposed_ms, 2);
    EXPECT_EQ(result.classes[1].busy_ms, 2);
    EXPECT_EQ(result.classes[1].waiting_for_peers_ms, 2);
    EXPECT_EQ(result.classes[1].transfer_exposed_ms, 2);
}

TEST(ProgramFigures, ComputeOfAnotherStreamHidesBoth) {
    // Beside the wait until 3 and the message until 5 another stream computes until 4.
    const JobResult result = programs_result(R"("programs": [
        {"rank": 0, "ops": [{"id": "k", "kind": "compute", "ms": 3}, {"id": "s", "kind": "send", "peer": 1, "ms": 2}]},
        {"rank": 1, "ops": [{"id": "k", "kind": "compute", "ms": 4, "stream": "side"},
                            {"id": "r", "kind": "recv", "peer": 0, "ms": 2}]}]})");
    EXPECT_EQ(result.classes[1].busy_ms, 4);
    EXPECT_EQ(result.classes[1].waiting_for_peers_ms, 0);
    EXPECT_EQ(result.classes[1].transfer_exposed_ms, 1);
}

TEST(ProgramFigures, WhatFollowsABatchWaitsForItsLongestOperation) {
    const auto batch = [](const std::string& rank, const std::string& peer, const std::string& first,
                          const std::string& second) {
        return R"({"rank": )" + rank + R"(, "ops": [{"id": "b", "kind": "batch", "ops": [{"id": "r", "kind": ")" +
               first + R"(", "peer": )" + peer + R"(, "ms": 5}, {"id": "s", "kind": ")" + second + R"(", "peer": )" +
               peer + R"(, "ms": 2}]}, {"id": "k", "kind": "compute", "ms": 1}]})";
    };
    const JobResult result = programs_result(R"("programs": [)" + batch("0", "1", "recv", "send") + ", " +
                                             batch("1", "0", "send", "recv") + "]}");
    EXPECT_EQ(result.step_ms, 6);
    for (const RankFigures& rank : result.classes) EXPECT_EQ(rank.transfer_exposed_ms, 5);
}

TEST(ProgramFigures, EachPartOfStagesIsSaidToChangeNothing) {
    const std::string programs = R"("programs": [{"rank": 0, "ops": []}], )",
                      end = ": of stages, so it changes nothing of programs";
    for (const auto& [part, name] : std::vector<std::pair<std::string, std::string>>{
             {R"("transfer": {"activations_ms": 1})", "transfer"},
             {R"("replicas": 2)", "replicas"},
             {R"("mesh": {"dims": [["dp", 2]]})", "mesh"},
             {R"("routing": {"group": "ep", "share": [1]})", "routing"},
             {R"("topology": {"levels": [{"ranks": 2, "bytes_per_s": 1}]})", "topology"},
             {R"("variation": {"slow": [{"factor": 2}]})", "variation.slow"},
             {R"("transfer": {"activations_ms": 1}, "replicas": 2)", "transfer, replicas"}})
        EXPECT_EQ(programs_result(programs + part + "}").notes, std::vector<std::string>{name + end}) << part;
    EXPECT_EQ(programs_result(programs + R"("variation": {"samples": 2}})").notes, std::vector<std::string>());
}

}  // namespace
}  // namespace overlap::job
