// Why a job cannot run: circles of waiting, told without the waits within a rank, and who never comes.

#include "core/job/step/deadlock.h"

#include <gtest/gtest.h>

#include "core/job/document/job_file.h"
#include "core/job/run_job.h"

namespace overlap::job {
namespace {

TEST(Deadlock, ACircleIsToldByTheOperationsThatWaitForOtherRanks) {
    // Both compute first, and meet in two groups in another order.
    const JobResult result = run_job(read_job_text(R"({"format": "overlap-job", "version": 1,
        "groups": {"g": [0, 1], "h": [0, 1]}, "programs": [
        {"rank": 0, "ops": [{"id": "a", "kind": "collective", "group": "g"}, {"id": "k", "kind": "compute"},
                            {"id": "b", "kind": "collective", "group": "h"}]},
        {"rank": 1, "ops": [{"id": "c", "kind": "collective", "group": "h"}, {"id": "l", "kind": "compute"},
                            {"id": "d", "kind": "collective", "group": "g"}]}]})",
                                                   "x"));
    ASSERT_EQ(result.problems.size(), 1u);
    const JobProblem& problem = result.problems[0];
    EXPECT_EQ(problem.kind, JobProblem::Kind::deadlock);
    EXPECT_EQ(problem.message,
              "nothing can go on: rank 0 in a, which waits for rank 1 in c, which waits for rank 0 in a");
    ASSERT_EQ(problem.cycle.size(), 2u);
    for (const OpOnRank& op : problem.cycle) EXPECT_EQ(op.peer, -1);
    EXPECT_TRUE(problem.missing.empty());
}

TEST(Deadlock, OfThoseWhoWaitForSomebodyThatNeverComesSoManyAreListed) {
    JobDocument job =
        read_job_text(R"({"format": "overlap-job", "version": 1, "programs": [{"rank": 0, "ops": []}]})", "x");
    const ProgramSpec waiting =
        read_job_text(R"({"format": "overlap-job", "version": 1, "programs": [{"rank": 0, "ops": [
            {"id": "r", "kind": "recv", "peer": 0}]}]})",
                      "x")
            .programs[0];
    for (std::size_t rank = 1; rank <= most_missing + 1; ++rank) {
        job.programs.push_back(waiting);
        job.programs.back().rank = static_cast<std::int32_t>(rank);
    }
    const JobResult result = run_job(job);
    ASSERT_EQ(result.problems.size(), 1u);
    EXPECT_EQ(result.problems[0].missing.size(), most_missing);
    EXPECT_TRUE(result.problems[0].message.ends_with(" and 9,993 more")) << result.problems[0].message;
}

}  // namespace
}  // namespace overlap::job
