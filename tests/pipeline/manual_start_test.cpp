#include "core/pipeline/manual_start.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/plan/automatic_plan.h"
#include "tests/cost/graph_sketch.h"

namespace overlap {
namespace {

using Names = std::vector<std::string>;

PassReport merged(const std::vector<std::pair<std::string, Names>>& buckets) {
    PassReport report;
    for (const auto& [start, members] : buckets) {
        BucketReport& bucket = report.buckets.emplace_back();
        bucket.start = start;
        bucket.members = members;
    }
    return report;
}

std::vector<std::string> told(const std::vector<FinalBucket>& buckets) {
    std::vector<std::string> told;
    for (const FinalBucket& bucket : buckets) {
        std::string& text = told.emplace_back(bucket.start + ":");
        for (const std::string& member : bucket.members) text += " " + member;
    }
    return told;
}

TEST(FinalBuckets, FollowWhatIsMergedAgain) {
    Evaluation evaluation;
    EXPECT_TRUE(final_buckets(evaluation).empty());
    evaluation.reports = {merged({{"m1", {"a", "b"}}, {"m2", {"c"}}}), merged({}),
                          merged({{"m3", {"d", "m1", "e"}}, {"m4", {"f"}}}), merged({{"m5", {"m3", "m1"}}})};
    // What is merged once is in the one bucket that has it: another of that name is not it.
    EXPECT_EQ(told(final_buckets(evaluation)), (Names{"m2: c", "m4: f", "m5: d a b e m1"}));
    // A name may be used again by a later pass.
    evaluation.reports = {merged({{"m1", {"a"}}}), merged({{"m1", {"m1", "b"}}}), merged({{"m2", {"m1"}}})};
    EXPECT_EQ(told(final_buckets(evaluation)), Names{"m2: a b"});
}

/// Parameters of modules, gathered before they are used, and gradients that are scattered.
class ManualStartSketch : public test::GraphSketch {
  public:
    /// `NAME` is a placeholder, gathered by `g_NAME` in that module, in the backward pass if it says so.
    NodeId gathered(const std::string& name, const std::string& module, bool backward = false) {
        const NodeId x = input(name, tensor("float32", {4}));
        return waited("g_" + name, module, backward, "_c10d_functional.all_gather_into_tensor.default",
                      {Value::of_node(x), Value::of_integer(4), text("0")});
    }
    NodeId scattered(const std::string& name, const std::string& module, NodeId from) {
        return waited("s_" + name, module, true, "_c10d_functional.reduce_scatter_tensor.default",
                      {Value::of_node(from), text("sum"), Value::of_integer(4), text("0")});
    }

  private:
    NodeId waited(const std::string& name, const std::string& module, bool backward, const std::string& target,
                  std::vector<Value> arguments) {
        NodeMetadata metadata;
        if (!module.empty()) metadata.module_fqn = builder().intern(module);
        metadata.autograd_backward = backward;
        metadata.estimate_ms = 1;
        const std::vector<TensorMeta> output{tensor("float32", {4})};
        const NodeId start = builder().call(name, target, arguments, output, metadata);
        metadata.estimate_ms.reset();
        const std::vector<Value> awaited{Value::of_node(start)};
        return builder().call("w_" + name, "_c10d_functional.wait_tensor.default", awaited, output, metadata);
    }
};

Plan automatic() {
    Plan plan;
    plan.pipeline = {{"eliminate_dead_code_pass"}, {std::string(automatic_pass)}};
    return plan;
}

/// The start made of an automatic result that merged these.
ManualStart start_of(Graph graph, const std::vector<std::pair<std::string, Names>>& buckets,
                     const Plan& plan = automatic()) {
    Evaluation evaluation = *evaluate_baseline(std::make_shared<const Graph>(std::move(graph)));
    evaluation.reports = {merged(buckets)};
    return manual_start(plan, evaluation);
}

std::vector<Names> cards(const ManualStart& start) {
    std::vector<Names> cards;
    for (const BucketEntry& entry : start.plan.buckets) cards.push_back(entry.modules);
    return cards;
}

std::vector<std::string> left_out(const ManualStart& start) {
    std::vector<std::string> told;
    for (const ManualStart::LeftOut& each : start.left_out) {
        std::string& text = told.emplace_back(each.sentence + ":");
        for (const std::string& name : each.names) text += " " + name;
    }
    return told;
}

TEST(ManualStartCards, TakeWholeModulesWhereABucketHasAllOfThem) {
    ManualStartSketch sketch;
    const NodeId a = sketch.gathered("a", "layers.0.attention"), b = sketch.gathered("b", "layers.0.norm"),
                 c = sketch.gathered("c", "layers.1.attention"), d = sketch.gathered("d", "layers.1.norm"),
                 e = sketch.gathered("e", "norm");
    const ManualStart start =
        start_of(sketch.finish({a, b, c, d, e}), {{"m1", {"g_a", "g_b", "g_c"}}, {"m2", {"g_e", "g_d"}}});
    EXPECT_EQ(cards(start), (std::vector<Names>{{"layers.0", "layers.1.attention"}, {"norm", "layers.1.norm"}}));
    EXPECT_EQ(left_out(start), Names{});
    // Steps before the automatic one stay.
    Names passes;
    for (const PassStep& step : start.plan.pipeline) passes.push_back(step.pass);
    EXPECT_EQ(passes, (Names{"eliminate_dead_code_pass", "manual_overlap_bucketing"}));
}

/// A policy of memory is worth gigabytes: only what is of buckets is made anew.
TEST(ManualStartPlan, KeepsWhatIsNotOfBuckets) {
    ManualStartSketch sketch;
    const NodeId a = sketch.gathered("a", "layers.0"), b = sketch.gathered("b", "layers.1");
    Plan plan = automatic();
    plan.memory = MemorySection{.policy = "full", .rules = {{MemoryAction::keep, {"*"}, {}}}};
    plan.device_orders = {{.parameters = "w", .mesh = {"0"}, .order = "S(0)"}};
    plan.process_groups.emplace_back().group = "0";
    plan.extra = {{"later", "1"}};
    plan.notes = "of the other plan";
    plan.overlaps.list = {{.collective = "m1", .hide_behind = "layers.1"}};
    const ManualStart start = start_of(sketch.finish({a, b}), {{"m1", {"g_a", "g_b"}}}, plan);
    EXPECT_EQ(start.plan.memory, plan.memory);
    EXPECT_EQ(start.plan.device_orders, plan.device_orders);
    EXPECT_EQ(start.plan.process_groups, plan.process_groups);
    EXPECT_EQ(start.plan.extra, plan.extra);
    EXPECT_EQ(start.plan.notes, "");
    EXPECT_TRUE(start.plan.overlaps.list.empty());
    EXPECT_EQ(left_out(start),
              Names{"1 overlap by hand is left out, since the automatic pass made the buckets that it moves: m1"});
}

TEST(ManualStartCards, ParametersAreGatheredFirst) {
    ManualStartSketch sketch;
    const NodeId a = sketch.gathered("a", "layers.0"), b = sketch.gathered("b", "layers.1");
    const NodeId s = sketch.scattered("s", "layers.2", a);
    const ManualStart start = start_of(sketch.finish({a, b, s}), {{"m1", {"s_s"}}, {"m2", {"g_b"}}, {"m3", {"g_a"}}});
    EXPECT_EQ(cards(start), (std::vector<Names>{{"layers.1"}, {"layers.0"}, {"layers.2"}}));
}

TEST(ManualStartCards, WhatOtherBucketsGroupDifferentlyIsTold) {
    ManualStartSketch sketch;
    const NodeId a = sketch.gathered("a", "layers.0"), b = sketch.gathered("b", "layers.1");
    const NodeId c = sketch.gathered("c", "layers.0", true), d = sketch.gathered("d", "layers.1", true);
    const NodeId e = sketch.gathered("e", "norm");
    const NodeId s = sketch.scattered("s", "layers.0", c);
    const ManualStart start =
        start_of(sketch.finish({a, b, d, e, s}), {{"m1", {"g_a"}}, {"m2", {"g_b"}}, {"m3", {"g_c", "g_d"}}});
    EXPECT_EQ(cards(start), (std::vector<Names>{{"layers.0"}, {"layers.1"}}));
    EXPECT_EQ(
        left_out(start),
        (Names{"1 bucket is divided, since a module has one card and other buckets group it differently: m3",
               "1 collective that the automatic pass left alone comes along, since cards take whole modules: s_s"}));
    ManualStartSketch more;
    const NodeId p = more.gathered("a", "layers.0"), q = more.gathered("b", "layers.1");
    const NodeId r = more.gathered("c", "layers.0", true), t = more.gathered("d", "layers.1", true);
    const NodeId u = more.scattered("u", "layers.0", p), v = more.scattered("v", "layers.1", r),
                 w = more.scattered("w", "layers.0", p), x = more.scattered("x", "layers.1", r);
    EXPECT_EQ(left_out(start_of(more.finish({q, t, u, v, w, x}),
                                {{"m1", {"g_a"}}, {"m2", {"g_b"}}, {"m3", {"g_c", "g_d"}}, {"m4", {"s_u", "s_v"}}})),
              (Names{"2 buckets are divided, since a module has one card and other buckets group it differently: m3 m4",
                     "2 collectives that the automatic pass left alone come along, since cards take whole modules: s_w "
                     "s_x"}));
}

TEST(ManualStartCards, WhatIsInNoCardIsToldWithTheReason) {
    ManualStartSketch sketch;
    const NodeId inner = sketch.gathered("inner", "layers.0.attention"), outer = sketch.gathered("outer", "layers.0");
    const NodeId lone = sketch.gathered("lone", ""), sum = sketch.compute("sum", {inner, outer}, 1);
    const NodeId several = sketch.wait("w_several", sketch.gather("several", sum, 1));
    const ManualStart start =
        start_of(sketch.finish({lone, several}),
                 {{"m1", {"g_inner"}}, {"m2", {"g_outer"}}, {"m3", {"g_lone", "several", "made"}}});
    EXPECT_EQ(cards(start), std::vector<Names>{{"layers.0.attention"}});
    EXPECT_EQ(left_out(start),
              (Names{"1 collective is in no card: a module inside its own is in a card: g_outer",
                     "1 collective is in no card: a pass before made it, and it has no module of its own: made",
                     "1 collective is in no card: it is in no module: g_lone",
                     "1 collective is in no card: manual bucketing leaves it alone: it gathers a value that depends on "
                     "more than one input of the graph, so no parameter alone: several"}));
}

TEST(ManualStartCards, NeedAnAutomaticResultWithBuckets) {
    ManualStartSketch sketch, none;
    const Graph graph = sketch.finish({sketch.gathered("a", "layers.0")});
    const ModuleTree tree(graph, ModuleSource::module_fqn),
        no_tree(none.finish({none.gathered("a", "")}), ModuleSource::module_fqn);
    Evaluation evaluation;
    EXPECT_EQ(manual_start_obstacle(Plan(), &evaluation, tree),
              "The plan has no automatic pass; Add automatic plan makes one");
    EXPECT_EQ(manual_start_obstacle(automatic(), &evaluation, no_tree),
              "The nodes of this graph have no modules, and cards are made of modules");
    EXPECT_EQ(manual_start_obstacle(automatic(), nullptr, tree), "The automatic result is not there yet");
    const std::string no_buckets = "The automatic pass made no buckets; switch on its option collective_bucketing";
    EXPECT_EQ(manual_start_obstacle(automatic(), &evaluation, tree), no_buckets);
    evaluation.reports = {merged({})};
    EXPECT_EQ(manual_start_obstacle(automatic(), &evaluation, tree), no_buckets);
    evaluation.reports.push_back(merged({{"m1", {"a"}}}));
    EXPECT_EQ(manual_start_obstacle(automatic(), &evaluation, tree), "");
    evaluation.refused = true;
    EXPECT_EQ(manual_start_obstacle(automatic(), &evaluation, tree),
              "The plan is refused, so there is no automatic result");
}

}  // namespace
}  // namespace overlap
