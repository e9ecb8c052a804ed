#include "core/pipeline/disturbed_times.h"

#include <gtest/gtest.h>

#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

TEST(DisturbedTimes, ScaleTheStepAsTheTimesAre) {
    const auto evaluation = evaluate_baseline(test_graph("llama3_debugmodel_fsdp8.prebucket"));
    const double step_ms = evaluation->simulation.step_ms;
    EXPECT_DOUBLE_EQ(disturbed_step_ms(*evaluation, {"none", 1, 1}), step_ms);
    EXPECT_NEAR(disturbed_step_ms(*evaluation, {"all", 3, 3, 3}), 3 * step_ms, 1e-6);
    const double slower_links_ms = disturbed_step_ms(*evaluation, {"links", 1, 2, 2});
    EXPECT_GT(slower_links_ms, step_ms);
    // Latency is a part of what collectives take.
    const double later_ms = disturbed_step_ms(*evaluation, {"latency", 1, 1, 2});
    EXPECT_GT(later_ms, step_ms);
    EXPECT_LT(later_ms, slower_links_ms);
    EXPECT_LT(slower_links_ms, 2 * step_ms);
    // What is no collective takes twice as long, and none of it is hidden behind other compute.
    const double slower_compute_ms = disturbed_step_ms(*evaluation, {"compute", 2, 1});
    EXPECT_GE(slower_compute_ms, 2 * evaluation->simulation.compute_ms);
    EXPECT_LT(slower_compute_ms, 2 * step_ms);
}

/// The product and the collective that asynchronous tensor parallelism makes one kernel of are both in it still.
TEST(DisturbedTimes, FusedProductsAreCommunicationAndCompute) {
    const auto graph = test_graph("llama3_debugmodel_fsdp4_tp2.prebucket");
    Plan plan;
    plan.pipeline = {{"micro_pipeline_tp_pass", {}}};
    const auto before = evaluate_baseline(graph);
    const auto after = evaluate(graph, plan);
    ASSERT_FALSE(after->refused);
    ASSERT_LT(after->simulation.step_ms, before->simulation.step_ms);
    for (const Disturbance& disturbance : usual_disturbances())
        EXPECT_LT(disturbed_step_ms(*after, disturbance), disturbed_step_ms(*before, disturbance)) << disturbance.name;
    const double step_ms = after->simulation.step_ms;
    EXPECT_NEAR(disturbed_step_ms(*after, {"all", 3, 3, 3}), 3 * step_ms, 1e-6);
    EXPECT_DOUBLE_EQ(disturbed_step_ms(*after, {"none", 1, 1, 1}), step_ms);
}

TEST(DisturbedTimes, UsualOnesAreSlowerAndFaster) {
    const auto evaluation = evaluate_baseline(test_graph("llama3_debugmodel_fsdp8.prebucket"));
    ASSERT_EQ(usual_disturbances().size(), 4u);
    for (const Disturbance& disturbance : usual_disturbances()) {
        const bool slower = disturbance.name.ends_with("slower");
        EXPECT_EQ(disturbed_step_ms(*evaluation, disturbance) > evaluation->simulation.step_ms, slower)
            << disturbance.name;
    }
}

}  // namespace
}  // namespace overlap
