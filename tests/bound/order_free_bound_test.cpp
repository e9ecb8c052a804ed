#include "core/bound/order_free_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/bound/lower_bound.h"
#include "core/cost/shared_links.h"
#include "core/pipeline/evaluation.h"
#include "tests/bound/bound_chains.h"
#include "tests/bound/waited_collectives.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

std::shared_ptr<const Graph> shared(Graph graph) {
    return std::make_shared<const Graph>(std::move(graph));
}

std::shared_ptr<const StepWork> work_of(const std::shared_ptr<const Graph>& graph) {
    return step_work(with_shared_links(graph, LinkSharing::by_group));
}

/// Layers whose collective is longer than what can run beside it, and layers where it is shorter, in turn: neither the
/// longest path nor the sum of compute between two moments says how long they take together.
TEST(OrderFreeBound, EachLayerTakesWhatDecidesInIt) {
    GraphSketch sketch;
    NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    for (int layer = 0; layer < 4; ++layer) {
        const std::string number = std::to_string(layer);
        const bool waits = layer % 2 == 0;
        const NodeId first = sketch.compute("first" + number, {x}, 1);
        const NodeId sent =
            add_all_to_all(sketch, "sent" + number, first, sketch.tensor("float32", {4}), waits ? 2 : 0.5);
        const NodeId one = sketch.compute("one" + number, {first}, waits ? 0.5 : 2);
        const NodeId two = sketch.compute("two" + number, {first}, waits ? 0.5 : 2);
        x = sketch.compute("last" + number, {sent, one, two}, 1);
    }
    const LowerBound bound = lower_bound(*work_of(shared(sketch.finish({x}))), {}, true);
    EXPECT_NEAR(bound.step_ms, 4 + 6 + 4 + 6, 1e-9);
    expect_chain(bound.chain, bound.step_ms);
    EXPECT_NE(bound.reason.find("in every plan, whatever the order of compute, "), std::string::npos) << bound.reason;
}

NodeId exchanged(GraphSketch& sketch, const std::string& name, std::initializer_list<NodeId> from, double time_ms) {
    const NodeId joined =
        sketch.call("join_" + name, "aten.cat.default", GraphSketch::values(from), {sketch.tensor("float32", {4})}, 0);
    return add_all_to_all(sketch, name, joined, sketch.tensor("float32", {4}), time_ms);
}

/// What does not depend on one another runs one after the other all the same, also before the step's first collective.
TEST(OrderFreeBound, ACollectiveWaitsForAllComputeThatItNeeds) {
    GraphSketch sketch;
    const NodeId a = sketch.compute("a", {}, 1), b = sketch.compute("b", {a}, 0), c = sketch.compute("c", {b}, 2);
    const NodeId other = sketch.compute("other", {}, 4);
    const NodeId last = sketch.compute("last", {exchanged(sketch, "both", {c, other}, 10)}, 1);
    EXPECT_NEAR(lower_bound(*work_of(shared(sketch.finish({last}))), {}, true).step_ms, 7 + 10 + 1, 1e-9);
}

/// Two collectives move data one after the other, and behind them comes all that needs both.
TEST(OrderFreeBound, ALinkIsFollowedByAllComputeThatNeedsItsLast) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId first = exchanged(sketch, "first", {x}, 3), second = exchanged(sketch, "second", {x}, 3);
    const NodeId a = sketch.compute("a", {first, second}, 1), b = sketch.compute("b", {first, second}, 1);
    EXPECT_NEAR(lower_bound(*work_of(shared(sketch.finish({a, b}))), {}, true).step_ms, 0.02 + 2 * 2.98 + 2, 1e-9);
}

/// Heavy compute is looked at in blocks of 64.
TEST(OrderFreeBound, WhatMustBeAliveIsFoundOfManyProductsToo) {
    for (const int count : {63, 64, 65, 130}) {
        GraphSketch sketch;
        NodeId large = sketch.input("x", sketch.tensor("float32", {4})), last = large;
        for (int index = 0; index < count; ++index) {
            const std::string name = "p" + std::to_string(index);
            const bool is_large = index == count / 2;
            const std::vector<Value> arguments = GraphSketch::values({last, large});
            last = sketch.call(name, "aten.mm.default", arguments,
                               {sketch.tensor("float32", {is_large ? 100'000 : 1000})}, 1);
            if (is_large) large = last;
        }
        const auto work = work_of(shared(sketch.finish({last})));
        const BoundUnderLimits ordered(work), free(work, true);
        EXPECT_GE(free.least_peak_bytes(), 400'000 + 2 * 4000) << count;
        EXPECT_EQ(free.least_peak_bytes(), ordered.least_peak_bytes()) << count;
        EXPECT_EQ(free.at({}).least_peak_node, ordered.at({}).least_peak_node) << count;
    }
}

/// The gather's result has no room beside what the first product made, as long as the second needs that.
TEST(OrderFreeBound, AGatherWaitsForRoom) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId shard = sketch.input("shard", sketch.tensor("float32", {250'000}));
    const NodeId large = sketch.call("large", "aten.mm.default", GraphSketch::values({x, x}),
                                     {sketch.tensor("float32", {1'250'000})}, 1);
    const NodeId small = sketch.compute("small", {large}, 1);
    const std::vector<TensorMeta> whole{sketch.tensor("float32", {1'000'000})};
    const NodeId gather = sketch.call("gather", "_c10d_functional.all_gather_into_tensor.default",
                                      {Value::of_node(shard), Value::of_integer(4), sketch.text("0")}, whole, 4.02);
    const NodeId wait = sketch.call("wait", "_c10d_functional.wait_tensor.default", {Value::of_node(gather)},
                                    {sketch.tensor("float32", {1'000'000})});
    const NodeId last = sketch.compute("last", {small, wait}, 1);
    const auto graph = shared(sketch.finish({last}));
    const BoundUnderLimits bounds(work_of(graph), true);
    EXPECT_EQ(bounds.at({}).chain.front().kind, BoundStep::Kind::collective);
    EXPECT_NEAR(bounds.at({}).step_ms, 4.02 + 1, 1e-5);
    const std::int64_t both = bounds.least_peak_bytes() + 4'000'000;
    EXPECT_NEAR(bounds.at(both).step_ms, 4.02 + 1, 1e-5);
    const LowerBound limited = bounds.at(both - 1);
    EXPECT_NEAR(limited.step_ms, 2 + 4.02 + 1, 1e-5);
    expect_chain(limited.chain, limited.step_ms);
    const auto has = [&](BoundStep::Kind kind) {
        return std::ranges::count(limited.chain, kind, &BoundStep::kind) > 0;
    };
    EXPECT_TRUE(has(BoundStep::Kind::memory));
    EXPECT_EQ(bounds.at({}).least_peak_node, "small");
    EXPECT_THROW(bounds.at(bounds.least_peak_bytes() - 1), InputError);
}

/// A forward pass that waits for 2 ms, and what is computed again for as long: before the wait is over, or behind.
std::shared_ptr<const Graph> recomputing(bool early) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {4}));
    const NodeId first = sketch.compute("first", {x}, 1);
    const NodeId send = sketch.call("send", "_c10d_functional.all_to_all_single.default",
                                    {Value::of_node(first), sketch.list({}), sketch.list({}), sketch.text("0")},
                                    {sketch.tensor("float32", {4})}, 2);
    const auto again = [&] { return sketch.compute("second_recomputed", {x}, 2); };
    const NodeId before = early ? again() : no_node;
    const NodeId sent = sketch.wait("sent", send);
    const NodeId second = sketch.compute("second", {sent}, 1);
    const NodeId back = sketch.compute("back", {second, early ? before : again()}, 1);
    return shared(sketch.finish({back}));
}

TEST(OrderFreeBound, WhatIsComputedAgainFillsNoWaitOfTheForwardPass) {
    const auto graph = recomputing(false);
    const std::shared_ptr<const StepWork> work = work_of(graph);
    const LowerBound bound = lower_bound(*work);
    EXPECT_NEAR(bound.ordered_ms, 7, 1e-9);
    EXPECT_NEAR(bound.order_free_ms, 7, 1e-9);
    expect_chain(bound.order_free_chain, 7);
    const auto as_it_is = evaluate_baseline(graph);
    EXPECT_TRUE(kept_work(*work, *as_it_is).all);
    EXPECT_NEAR(as_it_is->simulation.step_ms, 7, 1e-9);
    // A plan that does it earlier is none of those that the bound is for, and that is told.
    const auto early = evaluate_baseline(recomputing(true));
    EXPECT_NEAR(early->simulation.step_ms, 5, 1e-9);
    const KeptWork kept = kept_work(*work, *early);
    EXPECT_FALSE(kept.all);
    EXPECT_EQ(kept.missing, "computing second_recomputed again behind the forward pass, since it runs before second");
    // Where the graph itself does so, the bound allows for it.
    EXPECT_NEAR(lower_bound(*work_of(recomputing(true))).step_ms, 5, 1e-9);
}

}  // namespace
}  // namespace overlap::test
