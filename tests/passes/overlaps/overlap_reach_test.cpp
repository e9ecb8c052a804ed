#include "core/passes/overlaps/overlap_reach.h"

#include "core/graph/editing/graph_editor.h"
#include "tests/passes/altered_graph.h"
#include "tests/passes/pass_fixture.h"

namespace overlap::test {
namespace {

using Names = std::vector<std::string>;

Names names_of(const Graph& graph, const std::vector<NodeId>& nodes) {
    Names names;
    for (const NodeId node : nodes) names.emplace_back(graph.name(node));
    return names;
}

/// A gather as the model has it, and one whose order control_deps keeps: the document names what they wrap.
std::shared_ptr<const Graph> wrapped() {
    return graph_of({"x", "subgraph_all_gather_into_tensor", "subgraph_wait_tensor", "subgraph_mm"},
                    {{"plain", "_c10d_functional.all_gather_into_tensor.default", R"(["%x", 8, "0"])"},
                     {"plain_wait", "_c10d_functional.wait_tensor.default", R"(["%plain"])"},
                     {"start", "higher_order.control_deps", R"([["%x"], "%subgraph_all_gather_into_tensor", "%x"])"},
                     {"other", "higher_order.control_deps", R"([["%x"], "%subgraph_mm", "%start"])"},
                     {"wait", "higher_order.control_deps", R"([["%other"], "%subgraph_wait_tensor", "%start"])"},
                     {"elsewhere", "_c10d_functional.all_gather_into_tensor.default", R"(["%x", 8, "1"])"}},
                    R"(["%plain_wait", "%wait", "%start"])");
}

TEST(OverlapReach, WhatControlDepsWrapsIsACollectiveToo) {
    const auto graph = wrapped();
    EXPECT_EQ(names_of(*graph, collective_starts(*graph)), Names({"plain", "start", "elsewhere"}));
    EXPECT_EQ(names_of(*graph, waits_of(*graph, graph->find("plain"))), Names({"plain_wait"}));
    EXPECT_EQ(names_of(*graph, waits_of(*graph, graph->find("start"))), Names({"wait"}));
}

TEST(OverlapReach, AGroupsOrderIsThatOfWrappedCollectivesToo) {
    const auto graph = wrapped();
    FurtherEdges further(graph->node_count());
    further.add_group_order(*graph);
    EXPECT_EQ(names_of(*graph, further.before(graph->find("start"))), Names({"plain"}));
    EXPECT_EQ(names_of(*graph, further.before(graph->find("elsewhere"))), Names());
    const OverlapReach reach(*graph, further, graph->find("start"));
    EXPECT_EQ(
        reach.refusal(OverlapWish::start_before, graph->find("plain")),
        "start cannot be issued before plain, which has to come first: plain \u2192 start (issued behind it on its "
        "process group)");
}

TEST(OverlapReach, CollectivesOfTwoGroupsAreOrderedByADirective) {
    const auto graph = wrapped();
    FurtherEdges further(graph->node_count());
    const NodeId plain = graph->find("plain"), elsewhere = graph->find("elsewhere"), x = graph->find("x");
    further.add({elsewhere, plain});
    const OverlapReach reach(*graph, further, elsewhere);
    EXPECT_EQ(reach.refusal(OverlapWish::start_before, plain),
              "elsewhere cannot be issued before plain, which has to come first: plain \u2192 elsewhere (by another "
              "directive)");
    EXPECT_EQ(reach.refusal(OverlapWish::wait_after, x), "elsewhere is not waited for in this graph");
}

TEST(OverlapReach, WaitsAreOnACollectiveOrOneOfItsResults) {
    const auto graph =
        graph_of({"x"},
                 {{"start", "_c10d_functional.all_gather_into_tensor_coalesced.default", R"([["%x", "%x"], 8, "0"])"},
                  {"first", "operator.getitem", R"(["%start", 0])"},
                  {"second", "operator.getitem", R"(["%start", 1])"},
                  {"wait_second", "_c10d_functional.wait_tensor.default", R"(["%second"])"},
                  {"neg", "aten.neg.default", R"(["%first"])"},
                  {"wait_first", "_c10d_functional.wait_tensor.default", R"(["%first"])"},
                  {"wait_neg", "_c10d_functional.wait_tensor.default", R"(["%neg"])"}},
                 R"(["%start", "%first", "%wait_neg"])");
    EXPECT_EQ(names_of(*graph, waits_of(*graph, graph->find("start"))), Names({"wait_second", "wait_first"}));
}

}  // namespace
}  // namespace overlap::test
