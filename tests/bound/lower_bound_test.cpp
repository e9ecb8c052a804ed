#include "core/bound/lower_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>

#include "core/base/error.h"
#include "core/cost/shared_links.h"
#include "core/pipeline/evaluation.h"
#include "core/pipeline/pass_result_cache.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/memory_edits.h"
#include "core/plan/presets.h"
#include "tests/bound/bound_chains.h"
#include "tests/bound/random_model.h"
#include "tests/bound/random_step.h"
#include "tests/cost/graph_sketch.h"
#include "tests/support/test_graphs.h"

namespace overlap::test {
namespace {

constexpr double rounding_ms = 1e-6;

std::shared_ptr<const Graph> shared(Graph graph) {
    return std::make_shared<const Graph>(std::move(graph));
}

std::shared_ptr<const StepWork> work_of(const std::shared_ptr<const Graph>& graph) {
    return step_work(with_shared_links(graph, LinkSharing::by_group));
}

/// What the environment asks for, where a test run has time for less.
int count_from(const char* variable, int otherwise) {
    const char* asked = std::getenv(variable);
    return asked ? std::atoi(asked) : otherwise;
}

TEST(LowerBound, ComputeAloneIsTheStep) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId a = sketch.compute("a", {x}, 3);
    const NodeId b = sketch.compute("b", {a}, 4);
    const LowerBound bound = lower_bound(*work_of(shared(sketch.finish({b}))));
    EXPECT_DOUBLE_EQ(bound.ordered_ms, 7);
    EXPECT_DOUBLE_EQ(bound.order_free_ms, 7);
    ASSERT_EQ(bound.chain.size(), 1u);
    EXPECT_EQ(bound.chain[0].kind, BoundStep::Kind::compute);
    EXPECT_EQ(bound.reason, "compute takes 7 of 7 ms: only less compute can help");
    EXPECT_EQ(bound.compute_ms, 7);
    EXPECT_EQ(bound_reason(bound.chain, {10, 7, {}}),
              "compute takes 7 of 10 ms in every plan; the rest is waiting, or compute that a plan may save");
    EXPECT_EQ(bound_reason(bound.chain, {10, 7, 8}),
              "compute takes 7 of 10 ms in every plan; of the rest 2 ms is waiting and 1 ms is compute that a plan may "
              "save");
    EXPECT_EQ(bound_reason(bound.chain, {10, 7, 7}),
              "compute takes 7 of 10 ms in every plan; of the rest 3 ms is waiting");
}

TEST(LowerBound, ALinkThatIsBusyAllTheTimeIsTheReason) {
    GraphSketch sketch;
    std::vector<Value> products;
    for (int index = 0; index < 4; ++index) {
        const std::string number = std::to_string(index);
        const NodeId x = sketch.input("x" + number, sketch.tensor("float32", {250'000}));
        const NodeId gather = sketch.call("g" + number, "_c10d_functional.all_gather_into_tensor.default",
                                          {Value::of_node(x), Value::of_integer(4), sketch.text("0")},
                                          {sketch.tensor("float32", {1'000'000})}, 4.02);
        const NodeId wait = sketch.call("w" + number, "_c10d_functional.wait_tensor.default", {Value::of_node(gather)},
                                        {sketch.tensor("float32", {1'000'000})});
        products.push_back(Value::of_node(sketch.compute("p" + number, {wait}, 1)));
    }
    sketch.builder().output(products);
    const LowerBound bound = lower_bound(*work_of(shared(sketch.builder().finish(sketch.header()))));
    // One latency passes before the first of four times 4 ms, and the last product comes after them.
    EXPECT_NEAR(bound.ordered_ms, 0.02 + 16 + 1, 1e-5);
    EXPECT_EQ(bound.chain.size(), 2u);
    EXPECT_EQ(bound.chain[0].kind, BoundStep::Kind::link);
    EXPECT_EQ(bound.chain[0].groups, std::vector<std::string>{"0"});
}

TEST(LowerBound, GroupsThatShareALinkShareItsTime) {
    GraphSketch sketch;
    sketch.group("1", 4, 0.02, 1e9);
    std::vector<Value> results;
    for (const char* group : {"0", "1"}) {
        const std::string name = std::string("g") + group;
        const NodeId x = sketch.input("x" + name, sketch.tensor("float32", {250'000}));
        const NodeId gather = sketch.call(name, "_c10d_functional.all_gather_into_tensor.default",
                                          {Value::of_node(x), Value::of_integer(4), sketch.text(group)},
                                          {sketch.tensor("float32", {1'000'000})}, 4.02);
        const NodeId wait = sketch.call("w" + name, "_c10d_functional.wait_tensor.default", {Value::of_node(gather)},
                                        {sketch.tensor("float32", {1'000'000})});
        results.push_back(Value::of_node(sketch.compute("p" + name, {wait}, 1)));
    }
    sketch.builder().output(results);
    const auto graph = shared(sketch.builder().finish(sketch.header()));
    const double apart_ms = lower_bound(*step_work(with_shared_links(graph, LinkSharing::by_group))).ordered_ms;
    const double together_ms = lower_bound(*step_work(with_shared_links(graph, LinkSharing::by_host))).ordered_ms;
    EXPECT_NEAR(apart_ms, 4.02 + 2, 1e-5);
    EXPECT_NEAR(together_ms, 0.02 + 8 + 1, 1e-5);
    EXPECT_GE(evaluate_baseline(with_shared_links(graph, LinkSharing::by_host))->simulation.step_ms, together_ms);
}

TEST(LowerBound, IsNeverBeatenByAnyOrder) {
    std::mt19937 random(26);
    const int steps = count_from("OVERLAP_BOUND_STEPS", 400);
    int limited = 0, limited_in_order = 0;
    for (int run = 0; run < steps; ++run) {
        // Memory has a say where there is little beside what products return.
        const RandomStep step(random, 4 + static_cast<int>(random() % 24), run % 2 == 0);
        const auto graph = shared(step.graph());
        const std::shared_ptr<const StepWork> work = step_work(graph);
        ASSERT_EQ(work->obstacle, "");
        const BoundUnderLimits bounds(work), free_bounds(work, true);
        const LowerBound bound = bounds.at({});
        for (int order = 0; order < 10; ++order) {
            const bool keeps = order % 2 == 0;
            const auto evaluation = evaluate_baseline(shared(step.reordered(random, keeps)));
            const KeptWork kept = kept_work(*work, *evaluation);
            ASSERT_TRUE(kept.all);
            ASSERT_TRUE(kept.order || !keeps);
            const double step_ms = evaluation->simulation.step_ms;
            ASSERT_LE(bound.order_free_ms, step_ms + rounding_ms) << run;
            const std::int64_t peak = evaluation->corrected_memory.peak_bytes;
            ASSERT_LE(free_bounds.least_peak_bytes(), peak) << run;
            const double limited_ms = free_bounds.at(peak).step_ms;
            ASSERT_LE(limited_ms, step_ms + rounding_ms) << run;
            limited += limited_ms > bound.order_free_ms + rounding_ms;
            if (!kept.order) continue;
            ASSERT_LE(bound.ordered_ms, step_ms + rounding_ms) << run;
            ASSERT_LE(bound.least_peak_bytes, peak) << run;
            const double limited_in_order_ms = bounds.at(peak).ordered_ms;
            ASSERT_LE(limited_in_order_ms, step_ms + rounding_ms) << run;
            limited_in_order += limited_in_order_ms > bound.ordered_ms + rounding_ms;
        }
    }
    RecordProperty("limited", limited);
    RecordProperty("limited_in_order", limited_in_order);
    // In some the limit matters.
    EXPECT_GT(limited, 0);
    EXPECT_GT(limited_in_order, 0);
}

/// Plans by the exact passes. docs/search.md says what a run with OVERLAP_BOUND_PLANS=100000 found.
TEST(LowerBound, IsNeverBeatenByAnyPlan) {
    std::mt19937 random(52);
    const int plans = count_from("OVERLAP_BOUND_PLANS", 10'000);
    constexpr int plans_each = 25;
    int tried = 0, held = 0, in_order = 0, with_memory = 0, limited = 0, limited_in_order = 0;
    double nearest = 10;
    while (tried < plans) {
        const auto graph = random_model(random);
        const std::shared_ptr<const StepWork> work = step_work(graph);
        ASSERT_EQ(work->obstacle, "");
        const BoundUnderLimits bounds(work), free_bounds(work, true);
        const LowerBound bound = bounds.at({});
        const auto cache = std::make_shared<PassResultCache>();
        for (int of_graph = 0; of_graph < plans_each; ++of_graph, ++tried) {
            const Plan plan = random_plan(*graph, random);
            const auto evaluation = evaluate(graph, plan, {}, nullptr, cache);
            if (evaluation->refused) continue;
            const KeptWork kept = kept_work(*work, *evaluation);
            if (!kept.all) continue;
            ++held;
            with_memory += plan.memory.has_value();
            const double step_ms = evaluation->simulation.step_ms;
            ASSERT_LE(bound.order_free_ms, step_ms + rounding_ms) << tried;
            const std::int64_t peak = evaluation->corrected_memory.peak_bytes;
            ASSERT_LE(free_bounds.least_peak_bytes(), peak) << tried;
            const double limited_ms = free_bounds.at(peak).step_ms;
            ASSERT_LE(limited_ms, step_ms + rounding_ms) << tried;
            limited += limited_ms > bound.order_free_ms + rounding_ms;
            if (!kept.order) continue;
            ++in_order;
            ASSERT_LE(bound.ordered_ms, step_ms + rounding_ms) << tried;
            ASSERT_LE(bound.least_peak_bytes, peak) << tried;
            const double limited_in_order_ms = bounds.at(peak).ordered_ms;
            ASSERT_LE(limited_in_order_ms, step_ms + rounding_ms) << tried;
            limited_in_order += limited_in_order_ms > bound.ordered_ms + rounding_ms;
            nearest = std::min(nearest, step_ms / bound.ordered_ms);
        }
    }
    RecordProperty("plans", tried);
    RecordProperty("held", held);
    RecordProperty("in_order", in_order);
    RecordProperty("with_memory", with_memory);
    RecordProperty("limited", limited);
    RecordProperty("limited_in_order", limited_in_order);
    // Most are plans that the bound is for, and some come near it.
    EXPECT_GT(held, tried / 2);
    EXPECT_GT(in_order, tried / 3);
    EXPECT_GT(with_memory, tried / 10);
    EXPECT_LT(nearest, 1.03);
}

/// The default policy keeps products, so it changes nothing here; full recomputation does.
TEST(LowerBound, ALimitSaysNothingOfActivationsThatAPlanCanComputeAgain) {
    GraphSketch sketch;
    const auto product = [&](const std::string& name, NodeId left, NodeId right, bool backward) {
        NodeMetadata metadata;
        metadata.module_fqn = sketch.builder().intern("layers.0");
        if (backward) metadata.autograd_backward = true;
        metadata.estimate_ms = 1;
        const std::vector<TensorMeta> outputs{sketch.tensor("bfloat16", {64, 64})};
        const std::vector<Value> arguments{Value::of_node(left), Value::of_node(right)};
        return sketch.builder().call(name, "aten.mm.default", arguments, outputs, metadata);
    };
    const NodeId x = sketch.input("x", sketch.tensor("bfloat16", {64, 64}));
    const NodeId a = product("a", x, x, false), b = product("b", a, x, false);
    const NodeId back = product("back", b, a, true);
    sketch.builder().output(std::vector<Value>{Value::of_node(back)});
    const auto graph = shared(sketch.builder().finish(sketch.header()));
    const std::shared_ptr<const StepWork> work = step_work(graph);
    ASSERT_EQ(work->obstacle, "");
    EXPECT_FALSE(work->memory_is_fixed);
    Plan plan;
    MemorySection section;
    section.policy = "full";
    const auto again = evaluate(graph, edits::with_memory(plan, section));
    ASSERT_FALSE(again->refused);
    EXPECT_NE(again->graph->find("a_recomputed"), no_node);
    EXPECT_GE(again->corrected_memory.peak_bytes, BoundUnderLimits(work).least_peak_bytes());
}

/// A step that gathers a parameter and returns so many large results.
LowerBound bound_of_gathered(int returns) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {250'000}));
    const auto whole = [&] { return std::vector<TensorMeta>{sketch.tensor("float32", {1'000'000})}; };
    const NodeId gather = sketch.call("gather", "_c10d_functional.all_gather_into_tensor.default",
                                      {Value::of_node(x), Value::of_integer(4), sketch.text("0")}, whole(), 4.02);
    const NodeId wait = sketch.call("wait", "_c10d_functional.wait_tensor.default", {Value::of_node(gather)}, whole());
    const NodeId large =
        sketch.call("large", "aten.add.Tensor", GraphSketch::values({wait}), {sketch.tensor("float32", {500'000})}, 1);
    const NodeId small = sketch.compute("small", {large}, 1);
    std::vector<Value> returned{Value::of_node(small)};
    for (int index = 0; index < returns; ++index)
        returned.push_back(Value::of_node(sketch.call("returned" + std::to_string(index), "aten.add.Tensor",
                                                      GraphSketch::values({small}), whole(), 1)));
    sketch.builder().output(returned);
    const auto graph = shared(sketch.builder().finish(sketch.header()));
    const std::shared_ptr<const StepWork> work = step_work(graph);
    EXPECT_EQ(work->obstacle, "");
    const LowerBound bound = lower_bound(*work);
    EXPECT_EQ(BoundUnderLimits(work, true).least_peak_bytes(), bound.least_peak_bytes);
    EXPECT_LE(bound.least_peak_bytes, evaluate_baseline(graph)->corrected_memory.peak_bytes);
    return bound;
}

/// Whatever is computed or gathered again: what compute reads and returns, gathered parameters too, and at the end what
/// the step returns.
TEST(LowerBound, NoPlanHoldsLessThanComputeReadsAndReturns) {
    const LowerBound of_one = bound_of_gathered(0), of_all = bound_of_gathered(2);
    EXPECT_GE(of_one.least_peak_bytes, 1'000'000 + 4'000'000 + 2'000'000);
    EXPECT_EQ(of_one.least_peak_node, "large");
    EXPECT_GE(of_all.least_peak_bytes, 1'000'000 + 2 * 4'000'000);
    EXPECT_EQ(of_all.least_peak_node, "");
}

TEST(LowerBound, TheChainIsAsLongAsTheBound) {
    std::mt19937 random(7);
    for (int run = 0; run < 200; ++run) {
        const LowerBound bound = lower_bound(*step_work(shared(RandomStep(random, 30).graph())));
        expect_chain(bound.chain, bound.step_ms);
        expect_chain(bound.order_free_chain, bound.order_free_ms);
        EXPECT_FALSE(bound.reason.empty());
    }
}

TEST(LowerBound, LessMemoryNeverLowersIt) {
    std::mt19937 random(11);
    for (int run = 0; run < 100; ++run) {
        const auto work = step_work(shared(RandomStep(random, 30).graph()));
        for (const bool any_order : {false, true}) {
            const BoundUnderLimits bounds(work, any_order);
            double before_ms = bounds.at({}).step_ms;
            const std::int64_t least = bounds.least_peak_bytes();
            for (int part = 20; part >= 0; --part) {
                const std::int64_t limit = least + least / 10 * part;
                const double bound_ms = bounds.at(limit).step_ms;
                EXPECT_GE(bound_ms, before_ms - 1e-9);  // sums of other parts, rounded otherwise
                before_ms = bound_ms;
            }
            EXPECT_THROW(bounds.at(least - 1), InputError);
        }
    }
}

/// What passes make of a real graph: presets, and the automatic pass with random options.
void expect_plans_above_bound(const std::string& name) {
    const auto graph = with_shared_links(test_graph(name), LinkSharing::by_host);
    const std::shared_ptr<const StepWork> work = step_work(graph);
    ASSERT_EQ(work->obstacle, "");
    const LowerBound bound = lower_bound(*work);
    std::vector<Plan> plans;
    for (const PipelinePreset& preset : pipeline_presets(*graph)) plans.push_back(plan_of(preset, *graph, preset.name));
    std::mt19937 random(5);
    for (int run = 0; run < 12; ++run) {
        Plan plan = automatic_plan(plans.front(), *graph);
        Options& options = plan.pipeline.back().options;
        const char* const modes[] = {"default", "custom_ops", "custom_ops_multidtype", "coalesced"};
        options["bucket_mode"] = std::string(modes[random() % 4]);
        options["max_in_flight_gb"] = static_cast<double>(1 + random() % 20);
        options["max_compute_pre_fetch"] = static_cast<std::int64_t>(1 + random() % 500);
        options["prioritize_bucketing_during_scheduling"] = random() % 2 == 0;
        options["pre_bucketing_fsdp_collectives"] = random() % 2 == 0;
        plans.push_back(std::move(plan));
    }
    std::size_t evaluated = 0;
    for (const Plan& plan : plans) {
        const auto evaluation = evaluate(graph, plan);
        if (evaluation->refused || !evaluation->times_known) continue;
        ++evaluated;
        const KeptWork kept = kept_work(*work, *evaluation);
        EXPECT_TRUE(kept.all) << name << ", " << plan.name << ", " << kept.missing;
        const auto least_ms = [&](const LowerBound& of) { return kept.order ? of.step_ms : of.order_free_ms; };
        EXPECT_LE(least_ms(bound), evaluation->simulation.step_ms) << name << ", " << plan.name;
        EXPECT_LE(bound.least_peak_bytes, evaluation->corrected_memory.peak_bytes) << name;
        const LowerBound limited = lower_bound(*work, evaluation->corrected_memory.peak_bytes);
        EXPECT_LE(least_ms(limited), evaluation->simulation.step_ms) << name << ", " << plan.name;
    }
    EXPECT_GE(evaluated, 3u) << name;
}

TEST(LowerBound, IsNeverBeatenByWhatPassesMake) {
    for (const char* name : {"llama3_debugmodel_fsdp8.prebucket", "llama3_debugmodel_fsdp4_tp2.prebucket"})
        expect_plans_above_bound(name);
}

TEST(LowerBound, ARefusalSaysWhy) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId a = sketch.compute("a", {x}, 3);
    sketch.header().cost.reset();
    const auto work = step_work(shared(sketch.finish({a})));
    EXPECT_NE(work->obstacle.find("no cost model"), std::string::npos);
    EXPECT_THROW(lower_bound(*work), InputError);
}

}  // namespace
}  // namespace overlap::test
