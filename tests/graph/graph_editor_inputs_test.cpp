// What an edit makes of a node's inputs, and in which order their users are registered.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/graph/edited_graph.h"

namespace overlap {
namespace {

TEST_F(GraphEditorTest, ReplacingAnInputRegistersItsUserAnewWithAllInputs) {
    const NodeId a = 0, b = 1, c = 2;
    const NodeId u1 = call("u1", {a, b}), u2 = call("u2", {a, b}), u3 = call("u3", {a});
    GraphEditor graph = edit();
    EXPECT_EQ(names(graph, graph.users(a)), "u1 u2 u3");
    graph.replace_all_uses(b, c);
    // As torch.fx: u1 and u2 left the list of a's users and came back at its end.
    EXPECT_EQ(names(graph, graph.users(a)), "u3 u1 u2");
    EXPECT_EQ(names(graph, graph.users(c)), "u1 u2");
    EXPECT_EQ(graph.user_count(b), 0u);
    EXPECT_EQ(graph.inputs(u1)[1], c);
    EXPECT_EQ(graph.inputs(u2)[1], c);
    EXPECT_EQ(graph.inputs(u3).size(), 1u);
}

TEST_F(GraphEditorTest, TwoInputsThatBecomeOneAreOneInput) {
    const NodeId a = 0, b = 1;
    const NodeId user = call("user", {a, b, a});
    GraphEditor graph = edit();
    graph.replace_all_uses(b, a);
    ASSERT_EQ(graph.inputs(user).size(), 1u);
    EXPECT_EQ(graph.inputs(user)[0], a);
    EXPECT_EQ(graph.user_count(a), 1u);
}

TEST_F(GraphEditorTest, AnInputReplacedByOneThatIsThereLeavesOne) {
    const NodeId a = 0, b = 1, c = 2;
    const NodeId u1 = call("u1", {a, b, c});
    call("u2", {b});
    GraphEditor graph = edit();
    graph.replace_input(u1, c, b);
    EXPECT_EQ(names(graph, {graph.inputs(u1).begin(), graph.inputs(u1).end()}), "a b");
    EXPECT_EQ(names(graph, graph.users(b)), "u2 u1");
    EXPECT_EQ(graph.user_count(c), 0u);
    graph.replace_input(u1, a, c);
    EXPECT_EQ(names(graph, {graph.inputs(u1).begin(), graph.inputs(u1).end()}), "c b");
    EXPECT_EQ(graph.user_count(a), 0u);
}

TEST_F(GraphEditorTest, ReplacingOneInputOfOneUserRegistersItAnew) {
    const NodeId a = 0, b = 1, c = 2;
    const Value nodes[] = {Value::of_node(a), Value::of_node(b)};
    const Value args[] = {builder_.list(nodes), Value::of_node(a)};
    const NodeId u1 = builder_.call("u1", "test.call.default", args, {});
    call("u2", {a, b});
    GraphEditor graph = edit();
    graph.replace_input(u1, a, c);
    EXPECT_EQ(names(graph, {graph.inputs(u1).begin(), graph.inputs(u1).end()}), "c b");
    EXPECT_EQ(names(graph, graph.users(a)), "u2");
    EXPECT_EQ(names(graph, graph.users(b)), "u2 u1");
    EXPECT_EQ(names(graph, graph.users(c)), "u1");
}

TEST_F(GraphEditorTest, WhatAnOutputReturnsIsReplacedInTheListThatItGotFirst) {
    const NodeId a = 0, b = 1, c = 2, d = 3, output = 5;
    const NodeId u1 = call("u1", {a, b});
    const Value returned[] = {Value::of_node(a), Value::of_node(u1), Value::of_node(a), Value::of_node(b)};
    builder_.output(returned);
    const auto source = std::make_shared<const Graph>(builder_.finish({}));
    GraphEditor graph(source);
    graph.replace_input(output, a, c);
    const std::uint32_t own = graph.record(output).args.first;
    EXPECT_NE(own, source->record(output).args.first);
    graph.replace_input(output, u1, d);
    graph.replace_input(output, b, a);
    EXPECT_EQ(graph.record(output).args.first, own);
    EXPECT_EQ(names(graph, {graph.inputs(output).begin(), graph.inputs(output).end()}), "c d a");
    EXPECT_EQ(names(graph, graph.users(a)), "u1 output");
    std::vector<NodeId> origin;
    const auto result = graph.finish(origin);
    const auto returns = [](const Graph& finished) {
        std::vector<NodeId> nodes;
        for (const Value& value : finished.children(*finished.argument(output, 0))) nodes.push_back(value.node);
        return nodes;
    };
    EXPECT_EQ(returns(*result), std::vector<NodeId>({c, d, c, a}));
    EXPECT_EQ(returns(*source), std::vector<NodeId>({a, u1, a, b}));
}

TEST_F(GraphEditorTest, NewArgumentsWithTheSameInputsRegisterTheirNodeAnew) {
    const NodeId a = 0, b = 1, c = 2, d = 3;
    const NodeId u1 = call("u1", {a, b}), u2 = call("u2", {a, b});
    GraphEditor graph = edit();
    graph.replace_all_uses(b, c);
    EXPECT_EQ(names(graph, graph.users(a)), "u1 u2");
    const auto set = [&](std::initializer_list<Value> args) {
        graph.set_arguments(u1, graph.list(std::vector<Value>(args)), {});
        return names(graph, {graph.inputs(u1).begin(), graph.inputs(u1).end()});
    };
    // b means c by now, and what is mentioned again is one input.
    EXPECT_EQ(set({Value::of_node(a), Value::of_integer(7), Value::of_node(b), Value::of_node(a)}), "a c");
    EXPECT_EQ(names(graph, graph.users(a)), "u2 u1");
    EXPECT_EQ(names(graph, graph.users(c)), "u2 u1");
    graph.replace_input(u2, a, d);
    EXPECT_EQ(set({Value::of_node(a), Value::of_node(c), Value::of_node(d)}), "a c d");
    EXPECT_EQ(set({Value::of_node(c), Value::of_node(a)}), "c a");
    EXPECT_EQ(set({Value::of_node(c)}), "c");
    EXPECT_EQ(graph.user_count(a), 0u);
    std::vector<NodeId> origin;
    const auto result = graph.finish(origin);
    EXPECT_EQ(std::vector(result->users(c).begin(), result->users(c).end()), std::vector<NodeId>({u2, u1}));
}

TEST_F(GraphEditorTest, MappedListsAreMadeAnewWhereSomethingChanges) {
    const Value nodes[] = {Value::of_node(0), Value::of_node(1)};
    const Value shared = builder_.list(nodes);
    const Value args[] = {shared};
    const NodeId u1 = builder_.call("u1", "test.call.default", args, {});
    const NodeId u2 = builder_.call("u2", "test.call.default", args, {});
    GraphEditor graph = edit();
    const Value same = graph.mapped(graph.record(u1).args, [](NodeId node) { return node; });
    EXPECT_EQ(same.first, graph.record(u1).args.first);
    graph.replace_input(u1, 0, 3);
    EXPECT_EQ(names(graph, {graph.inputs(u1).begin(), graph.inputs(u1).end()}), "d b");
    EXPECT_EQ(names(graph, {graph.inputs(u2).begin(), graph.inputs(u2).end()}), "a b");
    EXPECT_EQ(graph.children(graph.children(graph.record(u2).args)[0])[0].node, 0u);
}

TEST_F(GraphEditorTest, UsersCanBePutInTheOrderOfTheNodes) {
    call("u1", {0, 1});
    call("u2", {0});
    GraphEditor graph = edit();
    graph.replace_all_uses(1, 2);
    EXPECT_EQ(names(graph, graph.users(0)), "u2 u1");
    graph.put_users_in_order();
    std::vector<NodeId> origin;
    const auto result = graph.finish(origin);
    EXPECT_EQ(std::vector(result->users(0).begin(), result->users(0).end()), std::vector<NodeId>({4, 5}));
}

TEST_F(GraphEditorTest, UsersOfUntouchedNodesFollowAMove) {
    const NodeId a = 0;
    const NodeId u1 = call("u1", {a}), u2 = call("u2", {a}), u3 = call("u3", {u1});
    GraphEditor graph = edit();
    graph.move_before(u2, u1);
    std::vector<NodeId> origin;
    const auto made = graph.finish(origin);
    // Registration counts, not the place in the graph.
    EXPECT_EQ(std::vector(made->users(a).begin(), made->users(a).end()), std::vector<NodeId>({5, 4}));
    EXPECT_EQ(made->name(4), "u2");
    EXPECT_EQ(std::vector(made->users(5).begin(), made->users(5).end()), std::vector<NodeId>({made->find("u3")}));
    EXPECT_EQ(origin[4], u2);
    EXPECT_EQ(origin[6], u3);
}

TEST_F(GraphEditorTest, AWideUserKeepsTheOrderOfItsInputs) {
    std::vector<NodeId> many;
    for (int index = 0; index < 100; ++index) many.push_back(call("m" + std::to_string(index), {0}));
    const NodeId wide = call("wide", many);
    GraphEditor graph = edit();
    graph.replace_all_uses(many[70], 1);
    graph.replace_all_uses(many[5], many[6]);
    const auto inputs = graph.inputs(wide);
    EXPECT_EQ(inputs.size(), 99u);
    EXPECT_EQ(inputs[5], many[6]);
    EXPECT_EQ(inputs[69], 1u);
    EXPECT_EQ(names(graph, graph.users(1)), "wide");
    EXPECT_EQ(graph.user_count(many[70]), 0u);
    graph.erase(wide);
    EXPECT_EQ(graph.user_count(many[6]), 0u);
    EXPECT_EQ(graph.user_count(many[99]), 0u);
}

}  // namespace
}  // namespace overlap
