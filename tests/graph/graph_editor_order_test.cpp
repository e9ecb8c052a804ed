// Where nodes stand in an editor, and what of a graph is kept whatever the order of its nodes.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/graph/editing/graph_editor.h"
#include "tests/graph/graph_in_code.h"
#include "tests/support/call_with.h"

namespace overlap {
namespace {

/// Nodes n0, n1, ... without inputs.
GraphEditor editor_of(int count) {
    GraphBuilder builder;
    for (int index = 0; index < count; ++index)
        test::call(builder, std::string("n").append(std::to_string(index)), "test.call.default", {});
    return GraphEditor(std::make_shared<const Graph>(builder.finish({})));
}

/// Whether next(), previous(), first(), last() and is_before() say what order() says.
void expect_consistent(const GraphEditor& graph, const std::vector<NodeId>& expected) {
    ASSERT_EQ(graph.order(), expected);
    ASSERT_EQ(graph.first(), expected.front());
    ASSERT_EQ(graph.last(), expected.back());
    for (std::size_t place = 0; place < expected.size(); ++place) {
        ASSERT_EQ(graph.previous(expected[place]), place > 0 ? expected[place - 1] : no_node);
        ASSERT_EQ(graph.next(expected[place]), place + 1 < expected.size() ? expected[place + 1] : no_node);
        for (std::size_t behind = place + 1; behind < expected.size(); ++behind) {
            ASSERT_TRUE(graph.is_before(expected[place], expected[behind])) << place << " " << behind;
            ASSERT_FALSE(graph.is_before(expected[behind], expected[place])) << place << " " << behind;
        }
    }
}

/// `order` with `node` right before or behind `target`.
std::vector<NodeId> moved(std::vector<NodeId> order, NodeId node, NodeId target, bool behind) {
    if (node == target) return order;
    std::erase(order, node);
    const auto place = std::find(order.begin(), order.end(), target);
    order.insert(behind ? place + 1 : place, node);
    return order;
}

TEST(OrderInAnEditor, IsTheSameFromAllSidesAfterEachSingleMove) {
    for (const bool behind : {false, true}) {
        for (NodeId node = 0; node < 4; ++node) {
            for (NodeId target = 0; target < 4; ++target) {
                if (behind && node == target) continue;
                GraphEditor graph = editor_of(4);
                behind ? graph.move_after(node, target) : graph.move_before(node, target);
                expect_consistent(graph, moved({0, 1, 2, 3}, node, target, behind));
            }
        }
    }
}

TEST(OrderInAnEditor, IsTheSameFromAllSidesAfterEachOfManyMovesIntoOneGap) {
    GraphEditor graph = editor_of(4);
    std::vector<NodeId> order = {0, 1, 2, 3};
    for (int repeat = 0; repeat < 100; ++repeat) {
        for (const auto& [node, target] : {std::pair<NodeId, NodeId>{3, 0}, {2, 0}, {3, 2}, {1, 3}}) {
            graph.move_after(node, target);
            order = moved(order, node, target, true);
            expect_consistent(graph, order);
        }
    }
}

TEST(OrderInAnEditor, CanBeGivenAsAWhole) {
    GraphEditor graph = editor_of(4);
    const std::vector<NodeId> order = {2, 0, 3, 1};
    graph.set_order(order);
    expect_consistent(graph, order);
}

std::vector<NodeId> listed(std::span<const NodeId> nodes) {
    return {nodes.begin(), nodes.end()};
}

TEST(NewNodesOfAnEditor, AreUsersOfAllTheirInputs) {
    GraphEditor graph = editor_of(3);
    std::vector<NodeId> made;
    for (int index = 0; index < 2; ++index) {
        const Value args[] = {Value::of_node(0), Value::of_node(1), Value::of_node(2)};
        GraphEditor::NewNode node;
        node.base_name = "made";
        node.target = graph.target_index("test.call.default");
        node.args = graph.list(args);
        made.push_back(graph.create(node, no_node));
    }
    for (const NodeId input : {0u, 1u, 2u}) EXPECT_EQ(graph.users(input), made) << input;
    EXPECT_EQ(listed(graph.inputs(made[1])), (std::vector<NodeId>{0, 1, 2}));
}

TEST(ArgumentsInAnEditor, AreFoundByPlaceAndByKeyword) {
    GraphBuilder builder;
    const NodeId a = test::placeholder(builder, "a");
    const NodeId sum = test::call_with(builder, "sum", "aten.sum.default", {Value::of_node(a), Value::of_integer(7)},
                                       {{"dim", Value::of_integer(3)}, {"keepdim", Value::of_integer(4)}});
    const GraphEditor graph(std::make_shared<const Graph>(builder.finish({})));
    ASSERT_TRUE(graph.keyword(sum, "dim") && graph.keyword(sum, "keepdim"));
    EXPECT_EQ(graph.keyword(sum, "dim")->integer, 3);
    EXPECT_EQ(graph.keyword(sum, "keepdim")->integer, 4);
    EXPECT_EQ(graph.keyword(sum, "dtype"), nullptr);
    EXPECT_EQ(graph.node_argument(sum, 0), a);
    EXPECT_EQ(graph.node_argument(sum, 1), no_node);
    EXPECT_EQ(graph.argument(sum, 2), nullptr);
}

TEST(GraphsThatAreNotSorted, KeepInputsAndUsersOfTheirFirstNode) {
    GraphBuilder builder;
    const NodeId a = test::placeholder(builder, "a"), b = test::placeholder(builder, "b");
    const NodeId user = test::call(builder, "user", "test.call.default", {a, b});
    test::call(builder, "other", "test.call.default", {b});
    GraphEditor first(std::make_shared<const Graph>(builder.finish({})));
    first.move_before(user, a);
    std::vector<NodeId> origin;
    const auto unsorted = first.finish(origin);
    EXPECT_EQ(unsorted->name(0), "user");
    EXPECT_EQ(listed(unsorted->inputs(0)), (std::vector<NodeId>{1, 2}));
    EXPECT_EQ(listed(unsorted->users(2)), (std::vector<NodeId>{0, 3}));

    GraphEditor second(unsorted);
    second.replace_input(0, 1, 3);  // the first node registers anew
    const auto edited = second.finish(origin);
    EXPECT_EQ(listed(edited->inputs(0)), (std::vector<NodeId>{3, 2}));
    EXPECT_EQ(listed(edited->users(2)), (std::vector<NodeId>{3, 0}));
    EXPECT_EQ(listed(edited->users(3)), std::vector<NodeId>{0});
    EXPECT_TRUE(edited->users(1).empty());
}

}  // namespace
}  // namespace overlap
