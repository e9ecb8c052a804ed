#include "core/bound/step_parts.h"

#include <gtest/gtest.h>

#include <memory>

#include "core/bound/lower_bound.h"
#include "core/pipeline/evaluation.h"
#include "core/pipeline/step_with_links_shared.h"
#include "tests/cost/graph_sketch.h"
#include "tests/support/test_graphs.h"

namespace overlap::test {
namespace {

/// A plan may run dead code or not; waiting is what is left.
TEST(StepParts, TellsComputeThatAPlanMaySaveByNode) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId a = sketch.compute("a", {x}, 3);
    sketch.compute("dead", {x}, 2);
    sketch.compute("also_dead", {x}, 1);
    const NodeId gathered = sketch.wait("gathered", sketch.gather("gather", a, 4));
    const NodeId b = sketch.compute("b", {gathered}, 5);
    const auto graph = std::make_shared<const Graph>(sketch.finish({b}));
    const StepParts parts = step_parts(*step_work(graph), *evaluate_baseline(graph));
    EXPECT_DOUBLE_EQ(parts.in_every_plan_ms, 8);
    EXPECT_DOUBLE_EQ(parts.beyond_ms, 3);
    EXPECT_DOUBLE_EQ(parts.waiting_ms, 4);
    EXPECT_DOUBLE_EQ(parts.step_ms, 15);
    ASSERT_EQ(parts.beyond.size(), 2u);
    EXPECT_EQ(graph->name(parts.beyond[0].node), "dead");
    EXPECT_DOUBLE_EQ(parts.beyond[0].time_ms, 2);
    EXPECT_EQ(graph->name(parts.beyond[1].node), "also_dead");
}

TEST(StepParts, OfTheFirstNodeAreToldAndWaitsComputeNothing) {
    GraphSketch sketch;
    sketch.compute("dead", {}, 2);
    sketch.compute("of_a_nanosecond", {}, 1e-6);
    sketch.compute("of_less", {}, 0.5e-6);
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId gathered =
        sketch.call("gathered", "_c10d_functional.wait_tensor.default", {Value::of_node(sketch.gather("gather", x, 4))},
                    {sketch.tensor("float32", {16})}, 0.5);
    const auto graph = std::make_shared<const Graph>(sketch.finish({gathered}));
    const StepParts parts = step_parts(*step_work(graph), *evaluate_baseline(graph));
    ASSERT_EQ(parts.beyond.size(), 2u) << "what takes less than a nanosecond is left out";
    EXPECT_EQ(graph->name(parts.beyond[0].node), "dead");
    EXPECT_EQ(graph->name(parts.beyond[1].node), "of_a_nanosecond");
    EXPECT_DOUBLE_EQ(parts.beyond_ms, 2 + 1.5e-6);
}

/// One figure for the compute of every plan, whichever bound is told of; and the parts are the step.
TEST(StepParts, OfARealGraphAddUp) {
    const auto graph = test_graph("llama3_8b_fsdp64.prebucket");
    const auto evaluation = evaluate_baseline(graph);
    const auto work = step_work(graph);
    ASSERT_TRUE(kept_work(*work, *evaluation).all);
    const StepParts parts = step_parts(*work, *evaluation);
    EXPECT_NEAR(parts.in_every_plan_ms + parts.beyond_ms + parts.waiting_ms, parts.step_ms, 1e-6);
    EXPECT_DOUBLE_EQ(parts.step_ms, step_with_links_shared(*evaluation));
    double beyond_ms = 0;
    for (const StepParts::Beyond& beyond : parts.beyond) beyond_ms += beyond.time_ms;
    EXPECT_GT(beyond_ms, 0);
    EXPECT_NEAR(beyond_ms, parts.beyond_ms, 1e-6);
    EXPECT_EQ(lower_bound(*work).compute_ms, parts.in_every_plan_ms);
    EXPECT_EQ(lower_bound(*work, {}, true).compute_ms, parts.in_every_plan_ms);
}

}  // namespace
}  // namespace overlap::test
