// The order that overlaps require, and which of them are written into the graph.

#include "core/passes/scheduling/bucket_application.h"

#include <algorithm>

#include "tests/passes/scheduling/augmented_graph_fixture.h"
#include "tests/support/problem_of.h"

namespace overlap::scheduling {
namespace {

class BucketApplicationTest : public test::AugmentedGraphTest {
  protected:
    /// Why what has been added cannot be ordered.
    std::string contradiction() {
        GraphEditor editor(graph_);
        return test::problem_of([&] { sort_by_dependencies(editor, *augmented_); });
    }
};

/// What is gathered may come from several inputs, as activations do; a parameter is one.
TEST_F(BucketApplicationTest, OfGroupsWithinAHostNothingIsMergedWhereOnlyOthersAreToBe) {
    for (const bool only_others : {false, true}) {
        builder_ = GraphBuilder();
        const NodeId x = placeholder("x"), y = placeholder("y");
        const NodeId one = call("one", "aten.add.Tensor", {Value::of_node(x), Value::of_node(y)}, {8}, taking(0));
        const NodeId other = call("other", "aten.mul.Tensor", {Value::of_node(x), Value::of_node(y)}, {8}, taking(0));
        const NodeId g1 = gather("g1", one, 1), g2 = gather("g2", other, 1);
        output({awaited("w1", g1), awaited("w2", g2)});
        scheduled(only_scheduling({{"collective_bucketing", true}, {"bucket_only_internode_comms", only_others}}));
        EXPECT_EQ(result_.report.buckets.size(), only_others ? 0u : 1u);
    }
}

TEST_F(BucketApplicationTest, AGraphThatIsNotSortedIsSortedBeforeItIsScheduled) {
    const NodeId x = placeholder("x"), end = awaited("w", gather("g", x, 1));
    const NodeId reader = call("reader", "aten.neg.default", {Value::of_node(4)}, {8}, taking(0));
    const NodeId read = call("read", "aten.neg.default", {Value::of_node(x)}, {8}, taking(0));
    ASSERT_EQ(read, 4u);
    output({reader, end});
    const Names order = scheduled();
    EXPECT_LT(std::ranges::find(order, "read"), std::ranges::find(order, "reader"));
}

TEST_F(BucketApplicationTest, NodesMoveBehindWhatTheyWaitFor) {
    const NodeId x = placeholder("x");
    const NodeId a = call("a", "aten.neg.default", {x}), b = call("b", "aten.neg.default", {x});
    output({a, b});
    augment();
    augmented_->add(a, b);
    GraphEditor editor(graph_);
    sort_by_dependencies(editor, *augmented_);
    EXPECT_TRUE(editor.is_before(b, a));
}

TEST_F(BucketApplicationTest, OverlapsThatContradictTheGraphAreToldWithTheirNodes) {
    const NodeId x = placeholder("x");
    const NodeId a = call("a", "aten.neg.default", {x}), b = call("b", "aten.neg.default", {a});
    output({b});
    augment();
    augmented_->add(a, b);
    const std::string told = contradiction();
    EXPECT_TRUE(told.starts_with("node \"a\": 1 overlap contradicts the order of the graph (\"a\" after \"b\"), and "))
        << told;
}

TEST_F(BucketApplicationTest, OfManyContradictionsFiveAreTold) {
    const NodeId x = placeholder("x");
    const NodeId first = call("first", "aten.neg.default", {x});
    std::vector<NodeId> behind;
    for (int number = 1; number <= 7; ++number)
        behind.push_back(call("b" + std::to_string(number), "aten.neg.default", {first}));
    output({behind[0], behind[1], behind[2], behind[3], behind[4], behind[5], behind[6]});
    augment();
    for (const NodeId node : behind) augmented_->add(first, node);
    const std::string told = contradiction();
    EXPECT_NE(told.find("7 overlaps contradict the order of the graph (\"first\" after \"b1\", "), std::string::npos)
        << told;
    EXPECT_NE(told.find("\"first\" after \"b5\" and 2 more)"), std::string::npos) << told;
}

TEST_F(BucketApplicationTest, AmongCollectivesAndWaitsTheStreamsKeepTheOrder) {
    const NodeId x = placeholder("x");
    const NodeId first = gather("first", x, 1), second = gather("second", x, 1);
    const NodeId product = compute("product", x, x, 1);
    const NodeId end = awaited("first_wait", first);
    output({product, end, awaited("second_wait", second)});
    augment();
    augmented_->add(second, first);
    augmented_->add(product, second);
    augmented_->add(product, first);
    augmented_->add(end, second);
    augmented_->add(end, product);
    const GraphEditor editor(graph_);
    EXPECT_EQ(dependencies_to_insert(editor, *augmented_),
              (OverlapDependencies{{product, {second, first}}, {end, {product}}}));
}

}  // namespace
}  // namespace overlap::scheduling
