#include "core/passes/scheduling/regions/fusion_regions.h"

#include <map>

#include "tests/passes/pass_fixture.h"

namespace overlap {
namespace {

/// Tensors of 8 bfloat16 elements: 16 bytes.
class FusionRegionsTest : public test::PassTest {
  protected:
    /// Costs by name at one byte a millisecond.
    std::map<std::string, double> costs() {
        output({});
        const GraphEditor graph(std::make_shared<const Graph>(builder_.finish({})));
        std::map<std::string, double> costs;
        for (const FusedCost& cost : fusion_region_costs(graph, 1e-6)) {
            costs[std::string(graph.name(cost.node))] = cost.milliseconds;
        }
        return costs;
    }
    using Costs = std::map<std::string, double>;
};

TEST_F(FusionRegionsTest, OnlyWhatCrossesTheBorderCosts) {
    const NodeId x = placeholder("x"), y = placeholder("y");
    const NodeId first = call("first", "aten.add.Tensor", {x, y});
    const NodeId inner = call("inner", "aten.neg.default", {first});
    const NodeId last = call("last", "aten.mul.Tensor", {inner, inner});
    call("product", "aten.mm.default", {last, last});
    EXPECT_EQ(costs(), (Costs{{"first", 32.0}, {"inner", 0.0}, {"last", 16.0}}));
}

TEST_F(FusionRegionsTest, WithoutABandwidthMembersAreFree) {
    const NodeId x = placeholder("x");
    const NodeId first = call("first", "aten.neg.default", {x}), second = call("second", "aten.neg.default", {first});
    output({second});
    const GraphEditor graph(std::make_shared<const Graph>(builder_.finish({})));
    EXPECT_EQ(fusion_region_costs(graph, {}), (std::vector<FusedCost>{{first, 0.0}, {second, 0.0}}));
}

TEST_F(FusionRegionsTest, ANodeThatCannotBeFusedEndsARegion) {
    const NodeId x = placeholder("x");
    const NodeId before = call("before", "aten.neg.default", {x});
    const NodeId gathered = wait("gathered", all_gather("gather", x));
    call("behind", "aten.add.Tensor", {before, gathered});
    EXPECT_TRUE(costs().empty());
}

TEST_F(FusionRegionsTest, NeighboursWithoutAnEdgeAreApart) {
    const NodeId x = placeholder("x");
    const NodeId a = call("a", "aten.neg.default", {x});
    call("b", "aten.neg.default", {x});
    call("c", "aten.neg.default", {a});
    EXPECT_EQ(costs(), (Costs{{"a", 16.0}, {"c", 0.0}}));  // nobody reads c, and b stands alone
}

TEST_F(FusionRegionsTest, ViewsDoNotMakeARegionButCostAtItsBorder) {
    const NodeId x = placeholder("x");
    const NodeId lonely = call("lonely", "aten.view.default", {x});
    call("one", "aten.neg.default", {lonely});
    wait("end", x);
    const NodeId seen = call("seen", "aten.view.default", {x});
    const NodeId neg = call("neg", "aten.neg.default", {seen});
    call("twice", "aten.neg.default", {neg});
    EXPECT_EQ(costs(), (Costs{{"seen", 16.0}, {"neg", 0.0}, {"twice", 0.0}}));
}

TEST_F(FusionRegionsTest, AConcatenationOfManyIsNotFused) {
    const NodeId x = placeholder("x");
    const auto join = [&](std::string_view name, NodeId input, std::size_t count) {
        const std::vector<Value> items(count, Value::of_node(input));
        return call(name, "aten.cat.default", {builder_.list(items)});
    };
    join("nine", call("left_out", "aten.neg.default", {x}), 9);
    wait("end", x);
    join("eight", call("taken", "aten.neg.default", {x}), 8);
    EXPECT_EQ(costs(), (Costs{{"taken", 16.0}, {"eight", 0.0}}));
}

}  // namespace
}  // namespace overlap
