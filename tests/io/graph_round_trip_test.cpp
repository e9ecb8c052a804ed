// Every field of a document is written back as it was read, of real graphs and of one with everything in it.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/graph/editing/graph_editor.h"
#include "core/io/graph_file.h"
#include "tests/io/round_trip.h"
#include "tests/support/test_files.h"

namespace overlap {
namespace {

using test::expect_round_trip;

TEST(GraphRoundTrip, RealGraphs) {
    const auto files = test::graph_files(OVERLAP_TEST_DATA "/graphs");
    ASSERT_GE(files.size(), 10u);
    for (const auto& file : files) expect_round_trip(test::read_text(file), file.filename());
}

TEST(GraphRoundTrip, ResultsOfTheReference) {
    const auto files = test::graph_files(OVERLAP_TEST_DATA "/goldens/passes");
    ASSERT_GE(files.size(), 20u);
    for (const auto& file : files) expect_round_trip(test::read_text(file), file.filename());
}

TEST(GraphRoundTrip, EveryKindOfFieldAndValue) {
    expect_round_trip(test::read_text(OVERLAP_TEST_DATA "/graphs/everything.graph.json"), "everything");
}

TEST(GraphRoundTrip, FieldsThatAreAbsentStayAbsent) {
    expect_round_trip(R"({"format":"overlap-graph","version":1,"nodes":[]})", "nothing");
    expect_round_trip(R"({"format":"overlap-graph","version":1,"process_groups":[],"name":"","nodes":[]})", "empty");
    expect_round_trip(R"({"format":"overlap-graph","version":1,"nodes":[{"name":"a","op":"placeholder","target":""}]})",
                      "one node");
}

// As passes do it that move a view; the file may have told that there was no offset.
TEST(GraphRoundTrip, AnOffsetReplacesTheZeroOfTheFile) {
    const auto graph = read_graph_text(R"({"format":"overlap-graph","version":1,"nodes":[
        {"name":"a","op":"placeholder","target":"a","outputs":[{"dtype":"int8","shape":[1],"stride":[1],"device":"cuda",
         "storage":0,"storage_offset":0,"storage_bytes":8,"colour":"red"}]}]})",
                                       "zero");
    GraphEditor editor(graph);
    editor.mutable_outputs(0)[0].storage_offset = 3;
    std::vector<NodeId> origin;
    const std::string text = write_graph_text(*editor.finish(origin));
    EXPECT_EQ(read_graph_text(text, "moved")->outputs(0)[0].storage_offset, 3);
    EXPECT_NE(text.find("red"), std::string::npos);
}

TEST(GraphRoundTrip, UsersOfSeveralNodesKeepTheirOrders) {
    expect_round_trip(R"({"format":"overlap-graph","version":1,"nodes":[
        {"name":"a","op":"placeholder","target":"a","users_order":["v","u"]},
        {"name":"b","op":"placeholder","target":"b","users_order":["w","u","v"]},
        {"name":"u","op":"call_function","target":"t","args":[{"node":"a"},{"node":"b"}]},
        {"name":"v","op":"call_function","target":"t","args":[{"node":"a"},{"node":"b"}]},
        {"name":"w","op":"call_function","target":"t","args":[{"node":"b"}]}]})",
                      "orders");
}

// As passes do it that copy nodes of a module; the file may have told that there were none.
TEST(GraphRoundTrip, FieldsThatANodeIsGivenReplaceTheEmptyOnesOfTheFile) {
    const auto graph = read_graph_text(R"({"format":"overlap-graph","version":1,"nodes":[
        {"name":"a","op":"placeholder","target":"a","module_stack":[],"fwd_module_stack":[],"partitioner_tag":"",
         "colour":"red"}]})",
                                       "empty");
    GraphEditor editor(graph);
    NodeMetadata metadata = editor.metadata(0);
    const ModuleStackEntry entry{editor.intern("layers.0"), editor.intern("Block")};
    metadata.module_stack = editor.module_stack({&entry, 1});
    metadata.partitioner_tag = editor.intern("is_backward");
    editor.set_metadata(0, metadata);
    std::vector<NodeId> origin;
    EXPECT_TRUE(test::same(nlohmann::json::parse(write_graph_text(*editor.finish(origin))),
                           nlohmann::json::parse(R"({"format":"overlap-graph","version":1,"nodes":[
        {"name":"a","op":"placeholder","target":"a","module_stack":[["layers.0","Block"]],"fwd_module_stack":[],
         "partitioner_tag":"is_backward","colour":"red"}]})")));
}

TEST(GraphRoundTrip, TextThatIsWrittenIsReadAsTheSameGraph) {
    const auto graph = read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz");
    const std::string once = write_graph_text(*graph);
    EXPECT_EQ(write_graph_text(*read_graph_text(once, "again")), once);
}

TEST(GraphRoundTrip, WhatExportersTellBesideTheNodes) {
    expect_round_trip(
        R"({"format":"overlap-graph","version":1,
            "operators":{"job.scale.default":{"traits":["view","cheap","fusible","compute"],"side_effects":"some"}},
            "naming":{"last_number":{"mm":7,"view":3},"retired":["mm","view_2"]},
            "nodes":[{"name":"view_1","op":"placeholder","target":"view_1"}]})",
        "supplements");
}

TEST(GraphRoundTrip, NamesThatWereGivenAreKeptWithoutNumbersAndNumbersWithoutThem) {
    for (const char* naming : {R"({"retired":["mm"]})", R"({"last_number":{"mm":7}})"})
        expect_round_trip(std::string(R"({"format":"overlap-graph","version":1,"naming":)") + naming +
                              R"(,"nodes":[{"name":"view_1","op":"placeholder","target":"view_1"}]})",
                          naming);
}

TEST(GraphRoundTrip, NamesThatTheNodesTellAreNotWrittenAgain) {
    const auto graph = read_graph_text(R"({"format":"overlap-graph","version":1,
        "naming":{"last_number":{"view":1},"retired":["view_1"]},
        "nodes":[{"name":"view_1","op":"placeholder","target":"view_1"}]})",
                                       "naming");
    EXPECT_EQ(write_graph_text(*graph).find("naming"), std::string::npos);
}

TEST(GraphRead, OperatorsHaveTheTraitsThatTheDocumentGivesThem) {
    const auto graph = read_graph_text(R"({"format":"overlap-graph","version":1,
        "operators":{"job.scale.default":{"traits":["view","compute"],"side_effects":"none"}},
        "nodes":[{"name":"a","op":"call_function","target":"job.scale.default"},
                 {"name":"b","op":"call_function","target":"job.other.default"}]})",
                                       "operators");
    const TargetInfo& info = graph->target_info(0);
    EXPECT_TRUE(info.traits.view && info.traits.compute);
    EXPECT_FALSE(info.traits.cheap || info.traits.fusible);
    EXPECT_EQ(info.side_effects, SideEffects::none);
    EXPECT_EQ(graph->target_info(1).side_effects, SideEffects::unknown);
}

TEST(GraphRead, KeepsWhatTheFileSays) {
    const auto graph = read_graph_file(OVERLAP_TEST_DATA "/graphs/everything.graph.json");
    const GraphHeader& header = graph->header();
    EXPECT_EQ(header.name, "everything");
    EXPECT_EQ(header.rank, 1);
    EXPECT_EQ(header.world_size, 4);
    ASSERT_EQ(header.process_groups.size(), 2u);
    EXPECT_EQ(header.process_groups[0].description, "default_pg");
    EXPECT_EQ(header.process_groups[1].ranks, (std::vector<int>{3, 1}));
    EXPECT_EQ(header.process_groups[1].rank, 1);
    ASSERT_TRUE(header.cost);
    EXPECT_EQ(header.cost->flops_per_s.at("bfloat16"), 989e12);
    EXPECT_EQ(header.cost->flops_efficiency, 0.65);
    ASSERT_TRUE(header.cost->link("0"));
    EXPECT_EQ(header.cost->link("0")->latency_ms, 0.06);
    EXPECT_EQ(header.cost->link("absent"), nullptr);

    const NodeId gather = graph->find("gather");
    ASSERT_NE(gather, no_node);
    EXPECT_EQ(graph->group_name(gather), "0");
    EXPECT_EQ(graph->awaited_start(graph->find("wait")), gather);
    const NodeMetadata& metadata = graph->metadata(gather);
    EXPECT_EQ(graph->text(metadata.module_fqn), "layers.0");
    EXPECT_EQ(metadata.sequence_number, 7);
    EXPECT_EQ(metadata.estimate_ms, 0.25);
    EXPECT_EQ(metadata.autograd_backward, false);
    ASSERT_EQ(graph->module_stack(metadata.module_stack).size(), 2u);
    EXPECT_EQ(graph->text(graph->module_stack(metadata.module_stack)[1].path), "L['self'].layers.0");
    ASSERT_EQ(graph->outputs(gather).size(), 1u);
    EXPECT_EQ(graph->tensor_bytes(graph->outputs(gather)[0]), 4 * 8 * 2);

    // users_order: `early` registered last, although it comes first in the graph.
    const NodeId source = graph->find("x");
    ASSERT_EQ(graph->users(source).size(), 3u);
    EXPECT_EQ(graph->users(source)[0], gather);
    EXPECT_EQ(graph->name(graph->users(source)[1]), "kinds");
    EXPECT_EQ(graph->name(graph->users(source)[2]), "early");
}

TEST(GraphRead, EqualTextIsStoredOnce) {
    const auto graph = read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64.prebucket.graph.json.gz");
    EXPECT_LT(graph->strings()->size(), graph->node_count() + 2000u);
}

TEST(GraphRead, ItsProgressGoesFromPieceToPiece) {
    std::vector<double> shares;
    read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64.prebucket.graph.json.gz",
                    {.stop = {}, .progress = [&](double share) { shares.push_back(share); }});
    ASSERT_GT(shares.size(), 2u);
    EXPECT_TRUE(std::ranges::is_sorted(shares));
    EXPECT_GT(shares.front(), 0);
    EXPECT_EQ(shares.back(), 1);
}

TEST(GraphRead, StoppedGivesNothing) {
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(read_graph_file(OVERLAP_TEST_DATA "/graphs/everything.graph.json", {stop.get_token(), {}}), nullptr);
}

}  // namespace
}  // namespace overlap
