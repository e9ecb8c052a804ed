// What a bound's chain leads through, by name.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/bound/gather_results.h"
#include "core/bound/lower_bound.h"
#include "tests/bound/waited_collectives.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

using Told = std::vector<std::string>;

/// `kind first-last start to end groups` of each stretch.
Told told(const std::vector<BoundStep>& chain) {
    Told told;
    for (const BoundStep& step : chain) {
        std::string text(bound_step_kind_name(step.kind));
        text.append(" ").append(step.first).append("-").append(step.last);
        text.append(" ").append(std::to_string(static_cast<int>(1000 * step.start_ms + 0.5)));
        text.append(" to ").append(std::to_string(static_cast<int>(1000 * step.end_ms + 0.5)));
        for (const std::string& group : step.groups) text.append(" ").append(group);
        told.push_back(text);
    }
    return told;
}

class ChainSketch : public GraphSketch {
  public:
    const NodeId x = input("x", tensor("float32", {4}));

    NodeId product(std::string_view name, std::initializer_list<NodeId> inputs, std::int64_t elements = 4,
                   double time_ms = 1) {
        return call(name, "aten.mm.default", values(inputs), {tensor("float32", {elements})}, time_ms);
    }
    NodeId exchange_of(std::string_view name, NodeId from, double time_ms, std::string_view group = "0") {
        return add_all_to_all(*this, name, from, tensor("float32", {4}), time_ms, group);
    }
    NodeId gather_of(std::string_view name, NodeId from, std::int64_t elements, double time_ms) {
        return add_all_gather(*this, name, from, tensor("float32", {elements}), time_ms);
    }

    std::shared_ptr<const StepWork> work(std::initializer_list<NodeId> returned) {
        return step_work(std::make_shared<const Graph>(finish(returned)));
    }
};

TEST(BoundChain, LeadsThroughComputeAndWhatItWaitsFor) {
    ChainSketch sketch;
    const NodeId a = sketch.product("a", {sketch.x});
    const NodeId b = sketch.product("b", {a});
    const NodeId sent = sketch.exchange_of("sent", b, 3);
    const NodeId c = sketch.product("c", {sent});
    const LowerBound bound = lower_bound(*sketch.work({c}));
    EXPECT_EQ(told(bound.chain), (Told{"compute a-sent_start 0 to 2000", "collective sent_start-sent 2000 to 5000 0",
                                       "compute c-c 5000 to 6000"}));
    EXPECT_EQ(told(bound.order_free_chain),
              (Told{"compute a-sent_start 0 to 2000", "collective sent_start-sent_start 2000 to 5000 0",
                    "compute sent-c 5000 to 6000"}));
}

TEST(BoundChain, LeadsThroughALinkThatIsBusy) {
    ChainSketch sketch;
    sketch.group("1", 4, 0.5, 1e9);
    const NodeId a = sketch.product("a", {sketch.x});
    const NodeId first = sketch.exchange_of("first", a, 3, "1"), second = sketch.exchange_of("second", a, 3, "1");
    const NodeId beside = sketch.product("beside", {a});
    const NodeId d = sketch.product("d", {first, second, beside});
    const LowerBound bound = lower_bound(*sketch.work({d}));
    // A latency passes before the first of both moves data for 2.5 ms; the other's passes meanwhile.
    EXPECT_EQ(bound.step_ms, 1 + 0.5 + 5 + 1);
    EXPECT_EQ(told(bound.order_free_chain).back(), "compute second-d 6500 to 7500");
    ASSERT_EQ(bound.order_free_chain.size(), 3u);
    EXPECT_EQ(bound.order_free_chain[1].kind, BoundStep::Kind::link);
    EXPECT_EQ(bound.order_free_chain[1].groups, std::vector<std::string>{"1"});
    EXPECT_EQ(told(bound.chain).back(), "compute d-d 6500 to 7500");
}

TEST(BoundChain, OfWhatTakesAsLongAsComputeTellsOfCompute) {
    ChainSketch sketch;
    const NodeId a = sketch.product("a", {sketch.x}, 4, 3);
    const LowerBound bound = lower_bound(*sketch.work({a, sketch.exchange_of("sent", sketch.x, 3)}));
    EXPECT_EQ(told(bound.chain), Told{"compute a-a 0 to 3000"});
}

TEST(BoundChain, GoesFromTheFirstToTheLastThatAMachineDoesWithoutAPause) {
    ChainSketch sketch;
    const NodeId a = sketch.product("a", {sketch.x}, 4, 2), b = sketch.product("b", {sketch.x});
    const LowerBound bound = lower_bound(*sketch.work({a, b}));
    EXPECT_EQ(told(bound.order_free_chain), Told{"compute a-b 0 to 3000"});
    EXPECT_EQ(told(bound.chain), Told{"compute a-b 0 to 3000"});
}

/// As AGatherWaitsForRoom of the order-free bound: in order the second product runs beside what the first has made,
/// too.
TEST(BoundChain, LeadsThroughComputeThatReleasesMemory) {
    ChainSketch sketch;
    const NodeId shard = sketch.input("shard", sketch.tensor("float32", {250'000}));
    const NodeId large = sketch.product("large", {sketch.x}, 1'250'000);
    const NodeId small = sketch.product("small", {large});
    const NodeId gathered = sketch.gather_of("gathered", shard, 1'000'000, 4.02);
    const NodeId last = sketch.product("last", {small, gathered});
    const BoundUnderLimits bounds(sketch.work({last}));
    const std::int64_t inputs = 16 + 1'000'000;
    // The result of the second product is beside what it reads; memory comes in pieces of 512 bytes or in bytes.
    EXPECT_GE(bounds.least_peak_bytes(), inputs + 5'000'000 + 16);
    EXPECT_LE(bounds.least_peak_bytes(), inputs + 5'000'000 + 2048);
    EXPECT_EQ(bounds.at({}).least_peak_node, "small");
    const std::int64_t both = bounds.least_peak_bytes() + 4'000'000;
    EXPECT_EQ(told(bounds.at(both).chain),
              (Told{"collective gathered_start-gathered 0 to 4020 0", "compute last-last 4020 to 5020"}));
    EXPECT_EQ(told(bounds.at(both - 1).chain),
              (Told{"compute large-small 0 to 1000", "memory small-gathered_start 1000 to 2000",
                    "collective gathered_start-gathered 2000 to 6020 0", "compute last-last 6020 to 7020"}));
    try {
        bounds.at(bounds.least_peak_bytes() - 1);
        FAIL() << "less than what must be alive was allowed";
    } catch (const InputError& error) {
        EXPECT_EQ(error.place(), "memory limit");
        EXPECT_NE(error.problem().find(" that must be alive while \"small\" runs"), std::string::npos)
            << error.problem();
    }
}

TEST(BoundChain, WithoutHeavyComputeNothingButInputsMustBeAlive) {
    ChainSketch sketch;
    const BoundUnderLimits bounds(sketch.work({sketch.exchange_of("sent", sketch.x, 3)}), true);
    EXPECT_EQ(bounds.at({}).step_ms, 3);
    EXPECT_EQ(bounds.at({}).ordered_ms, 0);
    EXPECT_EQ(bounds.at({}).least_peak_node, "");
    try {
        bounds.at(bounds.least_peak_bytes() - 1);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_TRUE(error.problem().ends_with("that must be alive")) << error.problem();
    }
}

TEST(GatherResults, AreUsedByWhatReadsThemOrViewsOfThem) {
    ChainSketch sketch;
    const NodeId gathered = sketch.gather_of("gathered", sketch.x, 16, 1);
    const NodeId view =
        sketch.call("view", "aten.view.default",
                    {Value::of_node(gathered), sketch.list({Value::of_integer(4), Value::of_integer(4)})},
                    {sketch.tensor("float32", {4, 4})});
    const NodeId a = sketch.product("a", {view}), b = sketch.product("b", {gathered});
    const NodeId c = sketch.product("c", {a});
    const NodeId reduced = sketch.wait("reduced", sketch.reduce("reduce", a, 1));
    const NodeId d = sketch.product("d", {reduced});
    const auto work = sketch.work({b, c, d});
    const StorageTable table(*work->graph, StorageRule::corrected);
    const std::vector<GatherResult> results = gather_results(*work, table);
    ASSERT_EQ(results.size(), 2u);
    std::vector<std::string> uses;
    for (const NodeId use : results[0].uses) uses.emplace_back(work->graph->name(use));
    EXPECT_EQ(uses, (std::vector<std::string>{"b", "a"}));
    EXPECT_GE(results[0].bytes, 64);
    EXPECT_TRUE(results[1].uses.empty());  // no gather
}

}  // namespace
}  // namespace overlap::test
