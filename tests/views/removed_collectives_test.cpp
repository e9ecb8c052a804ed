#include "core/views/removed_collectives.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/pipeline/evaluation.h"
#include "core/views/module_figures.h"
#include "core/views/several_modules.h"
#include "tests/cost/graph_sketch.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

/// Inputs a, b, c, and a gather by name of some of them.
std::shared_ptr<const Graph> gathers(const std::vector<std::pair<std::string, char>>& of_inputs) {
    test::GraphSketch sketch;
    std::vector<NodeId> inputs;
    for (const char* name : {"a", "b", "c"}) inputs.push_back(sketch.input(name, sketch.tensor("float32", {4})));
    for (const auto& [name, input] : of_inputs)
        sketch.wait(
            "wait_" + name,
            sketch.gather(name, sketch.cast("cast_" + name, inputs[static_cast<std::size_t>(input - 'a')], 1), 1));
    return std::make_shared<const Graph>(sketch.finish());
}

/// What the one step of a plan that made `after` of `before` has taken away.
std::vector<std::string> removed(const std::shared_ptr<const Graph>& before, const std::shared_ptr<const Graph>& after,
                                 std::vector<BucketReport> buckets = {}) {
    Evaluation evaluation;
    evaluation.input = evaluation.original = before;
    evaluation.graph = evaluation.undirected = after;
    evaluation.steps.resize(1);
    evaluation.steps[0].given = before;
    evaluation.steps[0].state = StepOutcome::State::ran;
    evaluation.reports.resize(1);
    evaluation.reports[0].buckets = std::move(buckets);
    std::vector<std::string> names;
    for (const NodeId node : removed_collectives(evaluation)) names.emplace_back(before->name(node));
    return names;
}

using Names = std::vector<std::string>;

TEST(RemovedCollectives, OfAStepThatMakesNoneAreAllThatItTakesAway) {
    EXPECT_EQ(removed(gathers({{"a_1", 'a'}, {"a_2", 'a'}, {"b_1", 'b'}}), gathers({{"a_1", 'a'}, {"b_1", 'b'}})),
              Names{"a_2"});
    EXPECT_EQ(removed(gathers({{"a_1", 'a'}}), gathers({{"a_1", 'a'}})), Names{});
}

/// A step may take away one collective and merge others.
TEST(RemovedCollectives, ABucketStandsForItsMembersAlone) {
    BucketReport bucket;
    bucket.members = {"b_1", "c_1"};
    bucket.start = "merged";
    const auto before = gathers({{"a_1", 'a'}, {"a_2", 'a'}, {"b_1", 'b'}, {"c_1", 'c'}});
    EXPECT_EQ(removed(before, gathers({{"a_1", 'a'}, {"merged", 'b'}}), {bucket}), Names{"a_2"});
}

TEST(RemovedCollectives, AGatherStandsForThoseOfItsParameter) {
    const auto before = gathers({{"a_1", 'a'}, {"b_1", 'b'}, {"b_2", 'b'}});
    EXPECT_EQ(removed(before, gathers({{"a_1", 'a'}, {"b_new", 'b'}})), Names{});
    EXPECT_EQ(removed(before, gathers({{"a_new", 'a'}})), (Names{"b_1", "b_2"}));
}

/// None of what a bucket was made of runs once a later step has taken the bucket away.
TEST(RemovedCollectives, ABucketThatALaterStepTakesAwayIsAllOfItsMembers) {
    const auto before = gathers({{"a_1", 'a'}, {"b_1", 'b'}, {"c_1", 'c'}});
    const auto between = gathers({{"a_1", 'a'}, {"merged", 'b'}}), after = gathers({{"a_1", 'a'}});
    Evaluation evaluation;
    evaluation.input = evaluation.original = before;
    evaluation.graph = evaluation.undirected = after;
    evaluation.steps.resize(2);
    evaluation.steps[0].given = before;
    evaluation.steps[1].given = between;
    for (StepOutcome& step : evaluation.steps) step.state = StepOutcome::State::ran;
    evaluation.reports.resize(2);
    BucketReport bucket;
    bucket.members = {"b_1", "c_1"};
    bucket.start = "merged";
    evaluation.reports[0].buckets = {bucket};
    Names names;
    for (const NodeId node : removed_collectives(evaluation)) names.emplace_back(before->name(node));
    EXPECT_EQ(names, (Names{"b_1", "c_1"}));
}

/// A gather of what is computed of a parameter is no gather of the parameter.
TEST(RemovedCollectives, AGatherOfWhatIsComputedStandsForNoParameter) {
    const auto graph = [](const char* name, const char* target) {
        test::GraphSketch sketch;
        const NodeId a = sketch.input("a", sketch.tensor("float32", {4}));
        const NodeId made =
            sketch.call("made", target, test::GraphSketch::values({a}), {sketch.tensor("float32", {4})}, 1);
        sketch.wait("wait", sketch.gather(name, made, 1));
        return std::make_shared<const Graph>(sketch.finish());
    };
    const auto before = graph("a_1", "aten.view.default");
    EXPECT_EQ(removed(before, graph("a_new", "aten.view.default")), Names{});
    // What it stands for is not known, so that nothing is said to be taken away; and it stands for no other.
    const auto both = gathers({{"a_1", 'a'}, {"b_1", 'b'}});
    EXPECT_EQ(removed(both, graph("a_new", "aten.relu.default")), Names{});
}

TEST(RemovedCollectives, AreTakenFromTheFiguresOfTheirModules) {
    const auto graph = test_graph("llama3_8b_fsdp64.prebucket");
    const ModuleTree tree(*graph, preferred_module_source(*graph));
    Plan plan = make_plan(*graph, "Plan A");
    plan.pipeline = {{"deduplicate_fsdp_unshard_chains_pass", {}}};
    const auto evaluation = evaluate(graph, plan);
    const std::vector<NodeId> gone = removed_collectives(*evaluation);
    ASSERT_FALSE(gone.empty());
    const auto of_all = module_figures(*graph, tree, evaluate_baseline(graph)->times_ms);
    const auto taken = communicated_by(*graph, tree, gone);
    const ModuleTree::ModuleId block = tree.find("layers.0");
    const ModuleFigures runs = communicating_without(of_all.modules[block], taken.modules[block]);
    EXPECT_GT(runs.collectives, 0u);
    EXPECT_LT(runs.collectives, of_all.modules[block].collectives);
    EXPECT_LT(runs.gather_bytes, of_all.modules[block].gather_bytes);
    EXPECT_EQ(runs.scatter_bytes, of_all.modules[block].scatter_bytes);
    EXPECT_EQ(runs.forward_ms, of_all.modules[block].forward_ms);
    // All that runs is all that the result has.
    const ModuleFigures root = communicating_without(of_all.modules[ModuleTree::root], taken.modules[ModuleTree::root]);
    const std::uint32_t outside = of_all.without_module.collectives - taken.without_module.collectives;
    EXPECT_EQ(root.collectives + outside, evaluation->simulation.collectives.size());
    // Of one module alone they are the same.
    for (ModuleTree::ModuleId module = 0; module < tree.module_count(); ++module) {
        const ModuleFigures alone = communicated_in(*graph, nodes_together(*graph, tree, std::span(&module, 1)), gone);
        EXPECT_EQ(alone.collectives, taken.modules[module].collectives) << tree.path(module);
        EXPECT_EQ(alone.communication_bytes(), taken.modules[module].communication_bytes()) << tree.path(module);
    }
}

}  // namespace
}  // namespace overlap
