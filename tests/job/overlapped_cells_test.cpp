// Cells that run several actions at once: what they take, and which message is which.

#include <gtest/gtest.h>

#include "core/job/document/job_file.h"
#include "core/job/pipeline/pipeline_step.h"
#include "core/job/run_job.h"

namespace overlap::job {
namespace {

JobDocument overlapped_job(const std::string& lists, const std::string& overlap, const std::string& stages) {
    return read_job_text(R"({"format": "overlap-job", "version": 1, "stages": [)" + stages +
                             R"(], "schedule": {"microbatches": 2, "overlap": )" + overlap + R"(, "actions": )" +
                             lists + "}}",
                         "x");
}
const std::string quick = R"({"ms": {"F": 1, "B": 4}})";

TEST(OverlappedCells, TakeTheSumTheLongestOrAFactorOfTheSumAndOthersTheirOwnTime) {
    const auto step_ms = [](const std::string& overlap) {
        return *run_job(overlapped_job(R"([["0F0", "(0F1;0B0)OVERLAP_F_B", "0B1"]])", overlap, quick)).step_ms;
    };
    EXPECT_EQ(step_ms(R"("sum")"), 1 + 5 + 4);
    EXPECT_EQ(step_ms(R"("max")"), 1 + 4 + 4);
    EXPECT_EQ(step_ms("0.5"), 1 + 2.5 + 4);
}

/// What the nodes of stage 1 wait for, in their order.
std::vector<std::string> messages_of(const std::string& lists) {
    const JobDocument job = overlapped_job(lists, R"("sum")", quick + ", " + quick);
    const PipelineStep step = pipeline_step(job, {});
    const NodeNames names = pipeline_names(step);
    std::vector<std::string> messages;
    for (NodeIndex node = 0; node < step.graph.node_count(); ++node) {
        std::size_t which = 0;
        for (std::uint32_t i = step.graph.first_dependency(node); i < step.graph.first_dependency(node + 1); ++i) {
            const NodeIndex on = step.graph.on()[i];
            if (step.graph.rank(on) == step.graph.rank(node)) continue;
            messages.push_back(names.op(node) + " for " + names.message(on, node, which++));
        }
    }
    return messages;
}

TEST(OverlappedCells, MessagesAreThoseOfTheMicrobatchThatWaits) {
    EXPECT_EQ(
        messages_of(R"([["(0F0;0F1)OVERLAP_F_B", "0B0", "0B1"], ["1F1", "1F0", "(1B1;1B0)OVERLAP_F_B"]])"),
        (std::vector<std::string>{"0B0 for 1SEND_B0", "0B1 for 1SEND_B1", "1F1 for 0SEND_F1", "1F0 for 0SEND_F0"}));
}

}  // namespace
}  // namespace overlap::job
