#include "core/passes/bucketing/collective_reachability.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "core/base/error.h"
#include "core/graph/editing/graph_editor.h"
#include "core/graph/graph_builder.h"

namespace overlap {
namespace {

/// Graphs of all-reduces and sums; the parts of a graph that reachability looks at.
class ReachabilityTest : public testing::Test {
  protected:
    ReachabilityTest() { builder_.placeholder("x", {}); }

    struct Reduced {
        NodeId start, wait;
    };
    Reduced all_reduce(const std::string& name, std::vector<NodeId> inputs) {
        std::vector<Value> summed;
        for (const NodeId input : inputs) summed.push_back(Value::of_node(input));
        const NodeId sum = builder_.call("sum_" + name, "test.sum.default", summed, {});
        const std::array args = {Value::of_node(sum), builder_.string("sum"), builder_.string("0")};
        const NodeId start = builder_.call(name, "_c10d_functional.all_reduce.default", args, {});
        const std::array waited = {Value::of_node(start)};
        return {start, builder_.call("wait_" + name, "_c10d_functional.wait_tensor.default", waited, {})};
    }
    Graph finish() {
        builder_.output({});
        return builder_.finish({});
    }
    GraphBuilder builder_;
};

TEST_F(ReachabilityTest, MembersThatDependOnOneAnotherGoToDifferentLevels) {
    const Reduced a = all_reduce("a", {0}), b = all_reduce("b", {a.wait}), c = all_reduce("c", {0}),
                  d = all_reduce("d", {b.wait, c.wait});
    const Graph graph = finish();
    const auto collectives = recognised_collectives(graph);
    CollectiveReachability reachability(graph, collectives);
    const auto levels = reachability.independent_levels(std::array{a.start, b.start, c.start, d.start});
    ASSERT_EQ(levels.size(), 3u);
    EXPECT_EQ(levels[0], std::vector({a.start, c.start}));
    EXPECT_EQ(levels[1], std::vector({b.start}));
    EXPECT_EQ(levels[2], std::vector({d.start}));
}

TEST_F(ReachabilityTest, APlannedMergeMakesItsMembersPredecessorsCommon) {
    // c needs b, and a is merged with b, so whatever needs c needs a as well; d feeds a.
    const Reduced d = all_reduce("d", {0}), a = all_reduce("a", {d.wait}), b = all_reduce("b", {0}),
                  c = all_reduce("c", {b.wait});
    const Graph graph = finish();
    const auto collectives = recognised_collectives(graph);
    CollectiveReachability before(graph, collectives);
    EXPECT_EQ(before.independent_levels(std::array{c.start, d.start}).size(), 1u);
    CollectiveReachability after(graph, collectives);
    after.plan_merge(std::array{a.start, b.start});
    const auto levels = after.independent_levels(std::array{c.start, d.start});
    ASSERT_EQ(levels.size(), 2u);
    EXPECT_EQ(levels[0], std::vector({d.start}));
}

TEST_F(ReachabilityTest, MergingDependentStartsIsRefused) {
    const Reduced a = all_reduce("a", {0}), b = all_reduce("b", {a.wait});
    const Graph graph = finish();
    const auto collectives = recognised_collectives(graph);
    CollectiveReachability reachability(graph, collectives);
    EXPECT_THROW(reachability.plan_merge(std::array{a.start, b.start}), InputError);
}

TEST_F(ReachabilityTest, AnInputThatStandsBehindItsUserIsNotKnownYet) {
    const Reduced a = all_reduce("a", {0}), b = all_reduce("b", {a.wait});
    all_reduce("c", {b.wait});
    GraphEditor editor(std::make_shared<const Graph>(finish()));
    editor.move_before(editor.source().find("sum_b"), a.start);
    std::vector<NodeId> origin;
    const auto graph = editor.finish(origin);
    const auto collectives = recognised_collectives(*graph);
    CollectiveReachability reachability(*graph, collectives);
    const std::array starts = {graph->find("a"), graph->find("b"), graph->find("c")};
    const auto levels = reachability.independent_levels(starts);
    ASSERT_EQ(levels.size(), 2u);
    EXPECT_EQ(levels[0], std::vector({starts[0], starts[1]}));
    EXPECT_EQ(levels[1], std::vector({starts[2]}));
}

TEST_F(ReachabilityTest, TheLastOfSeveralWaitsCounts) {
    const Reduced a = all_reduce("a", {0});
    const std::array waited = {Value::of_node(a.start)};
    const NodeId second = builder_.call("second", "_c10d_functional.wait_tensor.default", waited, {});
    const Graph graph = finish();
    const auto collectives = recognised_collectives(graph);
    ASSERT_EQ(collectives.size(), 1u);
    EXPECT_EQ(collectives[0].wait, second);
}

}  // namespace
}  // namespace overlap
