// Backwards as a whole and in parts, I and W: which are made of which, and which are missing.

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/job/document/job_file.h"
#include "core/job/run_job.h"
#include "tests/support/problem_of.h"

namespace overlap::job {
namespace {

JobDocument job_with(const std::string& stage, const std::string& row, const std::string& further = "") {
    return read_job_text(R"({"format": "overlap-job", "version": 1, "stages": [)" + stage +
                             R"(], "schedule": {"microbatches": 1, "actions": [)" + row + "]}" + further + "}",
                         "x");
}
const std::string whole_row = R"(["0F0", "0B0"])", row_of_parts = R"(["0F0", "0I0", "0W0"])";

TEST(BackwardParts, AWholeBackwardIsMadeOfBothParts) {
    EXPECT_EQ(run_job(job_with(R"({"ms": {"F": 1, "I": 2, "W": 3}})", whole_row)).step_ms, 6);
    EXPECT_EQ(run_job(job_with(R"({"ms": {"F": 1, "I": 2, "W": 3, "B": 4}})", whole_row)).step_ms, 5) << "it is given";
    for (const std::string part : {"I", "W"}) {
        EXPECT_EQ(test::problem_of([&] { run_job(job_with(R"({"ms": {"F": 1, ")" + part + R"(": 2}})", whole_row)); }),
                  "stages[0].ms: has no B, which the schedule runs")
            << part;
    }
}

TEST(BackwardParts, OfAGraphAreAShareOfItsBackward) {
    PipelineOptions options;
    options.evaluator = [](const StageSpec&, std::size_t) {
        return GraphStageTimes{{1, 0, -1, false}, {4, 2, -1, false}, {}};
    };
    // Tokens that are routed make no graph longer.
    const std::string routing = R"(, "mesh": {"dims": [["ep", 2]]}, "routing": {"group": "ep", "share": [0.75, 0.25]})";
    const JobResult result =
        run_job(job_with(R"({"graph": "a", "backward_input_share": 0.25})", row_of_parts, routing), options);
    ASSERT_EQ(result.critical_path.size(), 3u);
    EXPECT_EQ(result.critical_path[0].end_ms, 1);
    EXPECT_EQ(result.critical_path[1].end_ms, 1 + 1 + 0.5);
    EXPECT_EQ(result.critical_path[2].end_ms, 7);
    EXPECT_EQ(
        test::problem_of([&] { run_job(job_with(R"({"graph": "a"})", row_of_parts), options); }),
        "stages[0]: the schedule runs I and W; expected backward_input_share, the part of the backward's time that "
        "is I, or both in action_graphs");
}

}  // namespace
}  // namespace overlap::job
