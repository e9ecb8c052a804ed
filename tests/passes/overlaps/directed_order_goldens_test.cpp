#include <gtest/gtest.h>

#include "core/files/json_bytes.h"
#include "core/graph/graph_builder.h"
#include "core/io/graph_file.h"
#include "core/io/plan/overlap_directives_json.h"
#include "core/passes/overlaps/directed_order.h"

namespace overlap {
namespace {

/// torch's own orders, see tests/data/overlap_goldens/README.md.
Json goldens() {
    return Json::parse(read_json_file(OVERLAP_TEST_DATA "/overlap_goldens/cases.json.gz")->view()).at("graphs");
}

/// Names in the order that a case's runs describe.
std::vector<std::string> expected_order(const Graph& graph, const Json& runs) {
    std::vector<std::string> names;
    for (const Json& run : runs) {
        if (run.is_string()) {
            names.push_back(run);
            continue;
        }
        const auto first = run[0].get<NodeId>();
        for (NodeId node = first; node < first + run[1].get<NodeId>(); ++node) names.emplace_back(graph.name(node));
    }
    return names;
}

std::vector<std::string> names(const Graph& graph) {
    std::vector<std::string> names;
    for (NodeId node = 0; node < graph.node_count(); ++node) names.emplace_back(graph.name(node));
    return names;
}

/// By control_deps, the names of the nodes that it waits for.
Json waited_for(const Graph& graph) {
    Json waits = Json::object();
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) != NodeOp::call_function || graph.target(node) != "higher_order.control_deps") continue;
        Json sources = Json::array();
        for (const Value& source : graph.children(*graph.argument(node, 0)))
            sources.push_back(std::string(graph.name(source.node)));
        waits[std::string(graph.name(node))] = std::move(sources);
    }
    return waits;
}

void check(const std::shared_ptr<const Graph>& graph, const ModuleTree& modules, const Json& golden) {
    SCOPED_TRACE("seed " + golden.at("seed").dump() + ": " + golden.at("directives").dump());
    const OverlapDirectives directives =
        read_overlap_directives({{"keep_group_order", golden.at("keep_group_order")},
                                 {"insert_overlap_deps", golden.at("insert_overlap_deps")},
                                 {"directives", golden.at("directives")}});
    const DirectedGraph directed = apply_overlap_directives(graph, modules, directives, {});
    Json holds = Json::array();
    for (const DirectiveOutcome& outcome : directed.outcomes) holds.push_back(outcome.holds());
    ASSERT_EQ(holds, golden.at("holds"));
    ASSERT_EQ(names(*directed.result.graph), expected_order(*graph, golden.at("order")));
    if (directives.insert_overlap_deps) {
        ASSERT_EQ(waited_for(*directed.result.graph), golden.at("waits_for"));
    }
}

TEST(DirectedOrderGoldens, EqualTorchNodeForNode) {
    std::size_t cases = 0, refused = 0, held = 0;
    for (const Json& of_graph : goldens()) {
        const std::string name = of_graph.at("graph");
        SCOPED_TRACE(name);
        const std::shared_ptr<const Graph> graph =
            read_graph_file(std::string(OVERLAP_TEST_DATA) + "/" + name + ".graph.json.gz");
        const ModuleTree modules(*graph, preferred_module_source(*graph));
        for (const Json& golden : of_graph.at("cases")) {
            check(graph, modules, golden);
            ++cases;
            for (const Json& holds : golden.at("holds")) ++(holds.get<bool>() ? held : refused);
        }
    }
    RecordProperty("cases", std::to_string(cases));
    EXPECT_GE(cases, 200u);
    EXPECT_GE(held, 100u);
    EXPECT_GE(refused, 50u);
}

}  // namespace
}  // namespace overlap
