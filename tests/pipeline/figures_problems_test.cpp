// What figures are told with: which collectives are exposed, and what the figures leave out.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/pipeline/disturbed_times.h"
#include "core/pipeline/evaluation.h"
#include "core/pipeline/step_with_links_shared.h"
#include "core/simulate/issue_order.h"
#include "tests/cost/graph_sketch.h"

namespace overlap {
namespace {

using test::GraphSketch;

std::shared_ptr<const Evaluation> baseline_of(Graph graph, std::shared_ptr<const TimeSource> source = nullptr) {
    return evaluate_baseline(std::make_shared<const Graph>(std::move(graph)), {}, std::move(source));
}

std::vector<Problem> of_kind(const Evaluation& evaluation, ProblemKind kind) {
    std::vector<Problem> found;
    std::ranges::copy_if(evaluation.problems, std::back_inserter(found),
                         [&](const Problem& problem) { return problem.kind == kind; });
    return found;
}

/// `compute_ms` of compute, then gathers one after the other that nothing hides.
std::shared_ptr<const Evaluation> with_exposed(double compute_ms, const std::vector<double>& gathers_ms) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    NodeId last = sketch.compute("first", {x}, compute_ms);
    for (std::size_t index = 0; index < gathers_ms.size(); ++index) {
        const std::string number = std::to_string(index);
        last = sketch.wait("w" + number, sketch.gather("g" + number, last, gathers_ms[index]));
    }
    return baseline_of(sketch.finish({last}));
}

std::vector<std::string> told_of_exposed(const Evaluation& evaluation) {
    std::vector<std::string> told;
    for (const Problem& problem : of_kind(evaluation, ProblemKind::exposed))
        told.push_back(problem.nodes.at(0) + " " + problem.title);
    return told;
}

TEST(ExposedProblems, AreTheWorstThreeFromTheWorstOn) {
    EXPECT_EQ(told_of_exposed(*with_exposed(10, {2, 3, 0, 5, 3, 1})),
              (std::vector<std::string>{"g3 Exposed 5 ms", "g1 Exposed 3 ms", "g4 Exposed 3 ms"}));
    EXPECT_EQ(told_of_exposed(*with_exposed(10, {2})), std::vector<std::string>{"g0 Exposed 2 ms"});
}

TEST(FiguresProblems, TellThatTensorsOfACpuAreNotCounted) {
    const auto told = [](std::string_view device) {
        GraphSketch sketch;
        const TensorMeta tensor = sketch.bytes(1 << 20, {}, device);
        const NodeId x = sketch.input("x", tensor);
        const NodeId sum = sketch.call("sum", "aten.add.Tensor", GraphSketch::values({x, x}), {tensor});
        return of_kind(*baseline_of(sketch.finish({sum})), ProblemKind::memory_on_cpu);
    };
    EXPECT_EQ(told("cuda:0").size(), 0u);
    ASSERT_EQ(told("cpu").size(), 1u);
    EXPECT_EQ(told("cpu")[0].title, "Memory of the CPU");
}

TEST(ExposedProblems, MatterForTheStep) {
    EXPECT_EQ(told_of_exposed(*with_exposed(1000, {0.9, 1.2})), std::vector<std::string>{"g1 Exposed 1.2 ms"});
    EXPECT_EQ(told_of_exposed(*with_exposed(1000, {0})), std::vector<std::string>{});
}

TEST(ExposedProblems, NameTheCauseAndNoBucketWhereThereIsNone) {
    const auto evaluation = with_exposed(10, {2});
    const Problem problem = of_kind(*evaluation, ProblemKind::exposed).at(0);
    EXPECT_EQ(problem.severity, Severity::caution);
    EXPECT_EQ(problem.plan_entry, -1);
    EXPECT_EQ(problem.message, "g0: " + exposure_cause_text(evaluation->simulation, *evaluation->graph, 0));
}

/// Gathers of two groups at once, 4 ms each, behind compute.
std::shared_ptr<const Evaluation> on_two_groups(double compute_ms, std::shared_ptr<const TimeSource> source = nullptr) {
    GraphSketch sketch;
    sketch.group("1", 4, 0.02, 1e9);
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId first = sketch.compute("first", {x}, compute_ms);
    const NodeId a = sketch.gather("a", first, 4.02, "0"), b = sketch.gather("b", first, 4.02, "1");
    const NodeId a_done = sketch.wait("a_done", a), b_done = sketch.wait("b_done", b);
    return baseline_of(sketch.finish({a_done, b_done}), std::move(source));
}

TEST(UnsharedLinks, AreToldWithTheStepThatSharedOnesMake) {
    const auto evaluation = on_two_groups(10);
    EXPECT_NEAR(evaluation->simulation.step_ms, 14.02, 1e-6);
    ASSERT_TRUE(evaluation->on_shared_links);
    EXPECT_NEAR(evaluation->on_shared_links->step_ms, 18.02, 1e-6);
    EXPECT_NEAR(evaluation->on_shared_links->exposed_ms, 8.02, 1e-6);
    EXPECT_NEAR(step_with_links_shared(*evaluation), 18.02, 1e-6);
    EXPECT_NEAR(exposed_with_links_shared(*evaluation), 8.02, 1e-6);
    const std::vector<Problem> problems = of_kind(*evaluation, ProblemKind::links_not_shared);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].severity, Severity::caution);
    EXPECT_EQ(problems[0].fix, "share links");
    EXPECT_EQ(problems[0].message,
              "the step is 18.02 ms, not 14.02 ms, where process groups share the link that they go over, a GPU's "
              "network card or its link within the host: 0, 1. The cost model does not say so, and each is taken to "
              "have a link of its own");
}

TEST(UnsharedLinks, AreThoseOfARefusedPlanToo) {
    const auto baseline = on_two_groups(10);
    Plan plan;
    plan.pipeline = {{"no_such_pass"}};
    const auto refused = evaluate(baseline->original, plan);
    ASSERT_TRUE(refused->refused);
    ASSERT_TRUE(refused->on_shared_links);  // its figures are the baseline's
    EXPECT_EQ(step_with_links_shared(*refused), step_with_links_shared(*baseline));
    EXPECT_EQ(of_kind(*refused, ProblemKind::links_not_shared).size(), 1u);
}

TEST(UnsharedLinks, AreNotToldWhereTheyHardlyMatterOrAreShared) {
    EXPECT_TRUE(on_two_groups(7000)->on_shared_links);
    EXPECT_FALSE(on_two_groups(9000)->on_shared_links);  // less than one part in 2,000
    EXPECT_FALSE(on_two_groups(10, modelled_source(false, {}, true))->on_shared_links);
    const auto shared = on_two_groups(10, modelled_source(false, {}, true));
    EXPECT_NEAR(shared->simulation.step_ms, 18.02, 1e-6);
    EXPECT_EQ(step_with_links_shared(*shared), shared->simulation.step_ms);
    EXPECT_EQ(exposed_with_links_shared(*shared), shared->simulation.exposed_ms);
    EXPECT_TRUE(of_kind(*shared, ProblemKind::links_not_shared).empty());
}

TEST(UnknownTimes, AreToldWithWhatIsMissing) {
    const auto graph_of = [](bool with_model) {
        GraphSketch sketch;
        const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
        sketch.header().cost->links.clear();
        if (!with_model) sketch.header().cost.reset();
        const NodeId gather =
            sketch.call("g", "_c10d_functional.all_gather_into_tensor.default",
                        {Value::of_node(x), Value::of_integer(4), sketch.text("0")}, {sketch.tensor("float32", {16})});
        return baseline_of(sketch.finish({sketch.wait("w", gather)}));
    };
    for (const bool with_model : {false, true}) {
        const auto evaluation = graph_of(with_model);
        EXPECT_FALSE(evaluation->times_known);
        EXPECT_EQ(evaluation->times_ms, std::vector<double>(evaluation->graph->node_count(), 0));
        const std::vector<Problem> problems = of_kind(*evaluation, ProblemKind::no_times);
        ASSERT_EQ(problems.size(), 1u);
        EXPECT_EQ(problems[0].severity, Severity::caution);
        EXPECT_EQ(problems[0].fix, "choose cost model");
        EXPECT_TRUE(problems[0].message.ends_with(with_model
                                                      ? ": figures of time are not known with this cost model"
                                                      : ": figures of time are not known until a cost model is chosen"))
            << problems[0].message;
    }
}

/// Compute of 10 ms, then a gather of 1 MB that nothing hides.
std::shared_ptr<const Evaluation> gathering(double gather_ms, bool with_link = true) {
    GraphSketch sketch;
    if (!with_link) sketch.header().cost->links.clear();
    const NodeId x = sketch.input("x", sketch.tensor("float32", {62'500}));
    const NodeId first = sketch.compute("first", {x}, 10);
    const NodeId gather = sketch.call("g", "_c10d_functional.all_gather_into_tensor.default",
                                      {Value::of_node(first), Value::of_integer(4), sketch.text("0")},
                                      {sketch.tensor("float32", {250'000})}, gather_ms);
    return baseline_of(sketch.finish({sketch.wait("w", gather)}));
}

TEST(DisturbedTimes, ChangeComputeLatencyAndTheRestOfCollectivesApart) {
    struct Case {
        double gather_ms;
        bool with_link;
        Disturbance disturbance;
        double step_ms;
    };
    for (const Case& each :
         {Case{1.02, true, {"compute", 2, 1, 1}, 21.02}, Case{1.02, true, {"transfer", 1, 3, 1}, 13.02},
          Case{1.02, true, {"latency", 1, 1, 6}, 11.12}, Case{1.02, true, {"all", 0.5, 0.5, 0.5}, 5.51},
          // What takes less than the link's latency is latency alone.
          Case{0.01, true, {"latency", 1, 1, 6}, 10.06}, Case{0.01, true, {"transfer", 1, 3, 1}, 10.01},
          // Without a link nothing is.
          Case{1.02, false, {"latency", 1, 1, 6}, 11.02}, Case{1.02, false, {"transfer", 1, 3, 1}, 13.06}})
        EXPECT_NEAR(disturbed_step_ms(*gathering(each.gather_ms, each.with_link), each.disturbance), each.step_ms, 1e-6)
            << each.disturbance.name << " of " << each.gather_ms;
}

TEST(DisturbedTimes, AGraphMayBeginWithCompute) {
    GraphSketch sketch;
    const auto evaluation = baseline_of(sketch.finish({sketch.compute("first", {}, 10)}));
    EXPECT_NEAR(disturbed_step_ms(*evaluation, {"compute", 2, 1, 1}), 20, 1e-9);
}

TEST(DisturbedTimes, UsualOnesAreAFifth) {
    const auto evaluation = gathering(1.02);
    std::vector<double> steps_ms;
    for (const Disturbance& disturbance : usual_disturbances())
        steps_ms.push_back(disturbed_step_ms(*evaluation, disturbance));
    const std::vector<double> expected{10 + 1.2 * 1.02, 10 + 1.02 / 1.2, 12 + 1.02, 10 / 1.2 + 1.02};
    ASSERT_EQ(steps_ms.size(), expected.size());
    for (std::size_t index = 0; index < expected.size(); ++index) EXPECT_NEAR(steps_ms[index], expected[index], 1e-6);
}

}  // namespace
}  // namespace overlap
