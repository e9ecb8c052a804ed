#include "core/mesh/ordered_sharding.h"

#include <gtest/gtest.h>

#include "tests/mesh/autoparallel_goldens.h"
#include "tests/mesh/problem_of.h"

namespace overlap {
namespace {

using nlohmann::json;
using test::problem_of;

PlacedGraph graph_of(const json& golden) {
    const std::size_t mesh_dims = golden.at("mesh_shape").size();
    const json& nodes = golden.at("nodes");
    PlacedGraph graph;
    for (const json& node : nodes) {
        PlacedNode& placed = graph.nodes.emplace_back();
        placed.name = "node_" + std::to_string(graph.nodes.size() - 1);
        for (const json& input : node.at("inputs")) {
            const int producer = input[0];
            placed.inputs.push_back({producer, test::golden_placements(nodes[producer].at("out"), mesh_dims),
                                     test::golden_placements(input[1], mesh_dims)});
        }
        placed.keyword_inputs = node.value("keywords", std::vector<int>{});
        placed.users = node.at("users").get<std::vector<int>>();
    }
    graph.nodes.push_back({.name = "output", .inputs = {}, .keyword_inputs = {}, .users = {}});
    for (const json& pair : golden.at("pairs"))
        graph.parameters.push_back({pair[0], pair[1].is_null() ? std::nullopt : std::optional<int>(pair[1])});
    return graph;
}

ShardOrder order_of(const json& golden) {
    ShardOrder order;
    for (const json& entry : golden) order.push_back({entry[0], entry[1].get<std::vector<int>>()});
    return order;
}

/// The rules at one node, as the interpreter that runs the graph applies them.
void expect_applied(const PlacedNode& node, const std::optional<NodeOrder>& order, const json& applied) {
    ASSERT_EQ(node.inputs.size(), applied.size());
    for (std::size_t input = 0; input < applied.size(); ++input) {
        const ShardOrder source = order_of(applied[input][0]), target = order_of(applied[input][1]);
        const auto change = input_redistribution(node.inputs[input], order);
        const bool changes = node.inputs[input].current != node.inputs[input].wanted || source != target;
        ASSERT_EQ(change.has_value(), changes);
        if (!changes) continue;
        EXPECT_EQ(change->source.shard_order, source);
        EXPECT_EQ(change->target.shard_order, target);
        EXPECT_EQ(change->source.placements, node.inputs[input].current);
    }
}

TEST(OrderedSharding, ChainsAndOrdersAreThoseOfAutoparallel) {
    int changed = 0;
    for (const json& golden : test::autoparallel_cases("orders.json")) {
        SCOPED_TRACE(golden.dump());
        const PlacedGraph graph = graph_of(golden);

        std::vector<SourceChain> chains;
        for (const json& chain : golden.at("chains")) chains.push_back({chain[0], chain[1].get<std::vector<int>>()});
        const std::vector<SourceChain> found = parameter_chains(graph);
        ASSERT_EQ(found.size(), chains.size());
        for (std::size_t chain = 0; chain < chains.size(); ++chain) {
            EXPECT_EQ(found[chain].source, chains[chain].source);
            EXPECT_EQ(found[chain].nodes, chains[chain].nodes);
        }

        std::vector<std::optional<NodeOrder>> orders(graph.nodes.size());
        for (const json& order : golden.at("orders"))
            orders[order[0].get<std::size_t>()] = NodeOrder{order[1] == 1, order[2] == 1};
        ASSERT_EQ(ordered_sharding(graph), orders);
        for (std::size_t node = 0; node < orders.size(); ++node) {
            if (!orders[node]) continue;
            expect_applied(graph.nodes[node], orders[node], golden.at("nodes")[node].at("applied"));
            ++changed;
        }
    }
    EXPECT_GT(changed, 100);
}

/// Parameter 0 is cast (1), gathered and transposed (2) and multiplied (3); 4 is its gradient before the scatter at 5.
PlacedGraph one_layer() {
    const Placement cut = Placement::shard(0);
    const std::vector<Placement> stored = {cut, cut}, used = {Placement::replicate(), cut};
    const std::vector<Placement> summed = {Placement::partial(ReduceOp::sum), cut};
    PlacedGraph graph;
    graph.nodes = {{"parameter", {}, {}, {1}},
                   {"cast", {{0, stored, stored}}, {}, {2}},
                   {"transpose", {{1, stored, used}}, {}, {3}},
                   {"multiply", {{2, used, used}, {6, used, used}}, {}, {4}},
                   {"multiply_backward", {{3, used, used}, {6, used, used}}, {}, {5}},
                   {"gradient", {{4, summed, stored}}, {}, {7}},
                   {"activation", {}, {}, {3, 4}},
                   {"output", {{5, stored, stored}}, {}, {}}};
    graph.parameters = {{0, 5}};
    return graph;
}

TEST(OrderedSharding, ReversesTheOrderUntilTheParameterIsGathered) {
    const PlacedGraph graph = one_layer();
    const auto orders = ordered_sharding(graph);
    EXPECT_EQ(orders[0], (NodeOrder{true, false}));
    EXPECT_EQ(orders[1], (NodeOrder{true, false}));
    EXPECT_EQ(orders[2], (NodeOrder{false, true}));
    EXPECT_EQ(orders[3], std::nullopt);
    EXPECT_EQ(orders[5], (NodeOrder{true, true}));

    EXPECT_EQ(input_redistribution(graph.nodes[1].inputs[0], orders[1]), std::nullopt);
    const auto gathered = input_redistribution(graph.nodes[2].inputs[0], orders[2]);
    ASSERT_TRUE(gathered);
    EXPECT_EQ(to_text(gathered->source), "S(0)[1]S(0)[0]");
    EXPECT_EQ(to_text(gathered->target), "RS(0)");
    const auto scattered = input_redistribution(graph.nodes[5].inputs[0], orders[5]);
    ASSERT_TRUE(scattered);
    EXPECT_EQ(to_text(scattered->source), "P(sum)S(0)");
    EXPECT_EQ(to_text(scattered->target), "S(0)[1]S(0)[0]");
}

TEST(OrderedSharding, StoresReversedParametersAsStridedShards) {
    const DeviceMesh mesh{{2, 4}, {}, 8};
    const std::vector<Placement> cut = {Placement::shard(0), Placement::shard(0)};
    EXPECT_EQ(stored_placements(cut, NodeOrder{true, false}, mesh),
              (std::vector<Placement>{Placement::strided_shard(0, 4), Placement::shard(0)}));
    EXPECT_EQ(stored_placements(cut, NodeOrder{false, true}, mesh), cut);
    EXPECT_EQ(stored_placements(cut, std::nullopt, mesh), cut);
}

TEST(OrderedSharding, LeavesParametersAloneWhoseGradientIsNotScattered) {
    PlacedGraph graph = one_layer();
    graph.nodes[5].inputs[0].current = graph.nodes[5].inputs[0].wanted;
    for (const auto& order : ordered_sharding(graph)) EXPECT_EQ(order, std::nullopt);
    graph = one_layer();
    graph.parameters[0].gradient.reset();
    for (const auto& order : ordered_sharding(graph)) EXPECT_EQ(order, std::nullopt);
}

TEST(OrderedSharding, WantedPartialsAreReplicated) {
    const PlacedInput input{0, std::vector{Placement::shard(1)}, std::vector{Placement::partial(ReduceOp::sum)}};
    const auto change = input_redistribution(input, std::nullopt);
    ASSERT_TRUE(change);
    EXPECT_EQ(to_text(change->target), "R");
}

TEST(OrderedSharding, OneCollectiveOverTheWholeMeshWhereAllMeshDimensionsDoTheSame) {
    const DeviceMesh mesh{{2, 4}, {}, 8};
    const MeshTensor tensor{{64, 48}};
    const auto step = [&](const char* source, const char* target) {
        return whole_mesh_step(parse_state(source, 2), parse_state(target, 2), mesh, tensor);
    };
    const auto gather = step("S(0)S(0)", "RR");
    ASSERT_TRUE(gather);
    EXPECT_EQ(gather->kind, StepKind::all_gather);
    EXPECT_EQ(gather->mesh_dims, (std::vector<int>{0, 1}));
    EXPECT_EQ(gather->logical_shape, tensor.shape);
    const auto scatter = step("P(sum)P(sum)", "S(0)S(0)");
    ASSERT_TRUE(scatter);
    EXPECT_EQ(scatter->kind, StepKind::reduce_scatter);

    EXPECT_FALSE(step("S(0)[1]S(0)[0]", "RR"));
    EXPECT_FALSE(step("P(sum)P(sum)", "S(0)[1]S(0)[0]"));
    EXPECT_FALSE(step("S(1)S(1)", "RR"));
    EXPECT_FALSE(step("P(avg)P(avg)", "S(0)S(0)"));
    EXPECT_FALSE(step("S(0)S(0)", "RS(0)"));
    EXPECT_FALSE(whole_mesh_step(parse_state("S(0)", 1), parse_state("R", 1), {{8}, {}, 8}, tensor));
}

TEST(OrderedSharding, BadGraphsAreToldInASentence) {
    PlacedGraph graph = one_layer();
    graph.nodes[1].inputs[0].current.reset();
    EXPECT_EQ(problem_of([&] { ordered_sharding(graph); }),
              "tensor of node 0: has no placement of its own; autoparallel does not order outputs of which there are "
              "several");
    graph = one_layer();
    graph.nodes[0].users = {8};
    EXPECT_EQ(problem_of([&] { parameter_chains(graph); }), "node 8: the graph has 8 nodes, counted from 0");
    graph = one_layer();
    graph.nodes[2].users = {1};
    EXPECT_EQ(problem_of([&] { parameter_chains(graph); }),
              "node \"parameter\": its chain of users or inputs runs in a circle");
}

}  // namespace
}  // namespace overlap
