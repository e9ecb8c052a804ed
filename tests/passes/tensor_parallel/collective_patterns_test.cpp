#include "core/passes/tensor_parallel/collective_patterns.h"

#include <gtest/gtest.h>

#include "tests/passes/altered_graph.h"

namespace overlap::tensor_parallel {
namespace {

using test::altered;
using test::Call;
using test::Difference;
using test::graph_of;
using test::with_call;

using GraphPointer = std::shared_ptr<const Graph>;

/// The nodes of a match, in their order, then what is gathered or reduced, what returns the whole, and the dimension.
std::string joined(const Graph& graph, const std::vector<NodeId>& nodes, NodeId from, NodeId to,
                   std::int64_t dimension) {
    std::string text;
    for (const NodeId node : nodes) text += std::string(graph.name(node)) + " ";
    text += ": " + std::string(graph.name(from)) + " -> " + std::string(graph.name(to));
    return text + ", " + std::to_string(dimension);
}

std::vector<std::string> gathers(const GraphPointer& graph) {
    std::vector<std::string> texts;
    for (const GatherMatch& match : find_collectives(*graph).gathers)
        texts.push_back(joined(*graph, match.nodes, match.shard, match.result, match.dimension));
    return texts;
}

std::vector<std::string> scatters(const GraphPointer& graph) {
    std::vector<std::string> texts;
    for (const ScatterMatch& match : find_collectives(*graph).scatters)
        texts.push_back(joined(*graph, match.nodes, match.input, match.wait, match.dimension));
    return texts;
}

using Texts = std::vector<std::string>;

const Call gather{"start", "_c10d_functional.all_gather_into_tensor.default", R"(["%x", 2, "0"])"};
const Call gathered{"wait", "_c10d_functional.wait_tensor.default", R"(["%start"])"};
const std::string along_first = "start wait : x -> wait, 0";

GraphPointer split_gather() {
    return graph_of({"x"},
                    {gather,
                     gathered,
                     {"split", "aten.split.Tensor", R"(["%wait", 4])"},
                     {"a", "operator.getitem", R"(["%split", 0])"},
                     {"b", "operator.getitem", R"(["%split", 1])"},
                     {"cat", "aten.cat.default", R"([["%a", "%b"], 1])"}},
                    R"("%cat")");
}

GraphPointer retyped_gather() {
    return graph_of({"x"},
                    {gather,
                     gathered,
                     {"split", "aten.split.Tensor", R"(["%wait", 4])"},
                     {"a", "operator.getitem", R"(["%split", 0])"},
                     {"a_bits", "aten.view.dtype", R"(["%a", {"dtype": "int8"}])"},
                     {"b", "operator.getitem", R"(["%split", 1])"},
                     {"b_bits", "aten.view.dtype", R"(["%b", {"dtype": "int8"}])"},
                     {"cat", "aten.cat.default", R"([["%a_bits", "%b_bits"], 1])"},
                     {"whole", "aten.view.dtype", R"(["%cat", {"dtype": "bfloat16"}])"}},
                    R"("%whole")");
}

GraphPointer sliced_gather() {
    return graph_of({"x"},
                    {gather,
                     gathered,
                     {"a", "aten.slice.Tensor", R"(["%wait", 0, 0, 4])"},
                     {"b", "aten.slice.Tensor", R"(["%wait", 0, 4, 8])"},
                     {"cat", "aten.cat.default", R"([["%a", "%b"], 1])"},
                     {"trim", "aten.slice.Tensor", R"(["%cat", 1, 0, 7])"}},
                    R"("%trim")");
}

TEST(GatherPatterns, AGatherIsOneAlongTheFirstDimensionUnlessItsPiecesAreJoined) {
    EXPECT_EQ(gathers(graph_of({"x"}, {gather, gathered}, R"("%wait")")), Texts({along_first}));
    EXPECT_EQ(gathers(split_gather()), Texts({"start wait split a b cat : x -> cat, 1"}));
    EXPECT_EQ(gathers(retyped_gather()), Texts({"start wait split a a_bits b b_bits cat whole : x -> whole, 1"}));
    EXPECT_EQ(gathers(sliced_gather()), Texts({"start wait a b cat trim : x -> trim, 1"}));
}

TEST(GatherPatterns, AViewAsAnotherTypeBelongsToTheGatherItReadsAlone) {
    const Call view{"bits", "aten.view.dtype", R"(["%wait", {"dtype": "int8"}])"};
    const GraphPointer alone = graph_of({"x"}, {gather, gathered, view}, R"("%bits")");
    EXPECT_EQ(gathers(alone), Texts({"start wait bits : x -> bits, 0"}));
    EXPECT_EQ(gathers(with_call(*alone, {"other", "aten.neg.default", R"(["%wait"])"}, "output")),
              Texts({along_first}));
    EXPECT_EQ(gathers(altered(*alone, {{"bits", "/args/1", ""}})), Texts({along_first}));
    EXPECT_EQ(gathers(altered(*alone, {{"bits", "/args/0", "1"}})), Texts({along_first}));
}

TEST(GatherPatterns, NoCollectiveIsNoMatch) {
    EXPECT_EQ(gathers(graph_of({"x"}, {{"neg", "aten.neg.default", R"(["%x"])"}}, R"("%neg")")), Texts());
    EXPECT_EQ(gathers(graph_of({"x"}, {gather}, R"("%start")")), Texts());
    EXPECT_EQ(gathers(graph_of({"x"}, {{"wait", gathered.target, R"(["%x"])"}}, R"("%wait")")), Texts());
    const GraphPointer whole = graph_of({"x"}, {gather, gathered}, R"("%wait")");
    for (const Difference& difference : std::vector<Difference>{{"start", "/args/0", "1"},
                                                                {"start", "/args/2", ""},
                                                                {"start", "/kwargs", R"({"out": null})"},
                                                                {"wait", "/args/0", "1"},
                                                                {"wait", "/args/-", "1"},
                                                                {"wait", "/args", "[]"}}) {
        EXPECT_EQ(gathers(altered(*whole, {difference})), Texts()) << difference;
    }
    EXPECT_EQ(gathers(with_call(*whole, {"other", "aten.neg.default", R"(["%start"])"}, "output")), Texts());
}

TEST(GatherPatterns, PiecesOfASplitAreJoinedAsTheyAre) {
    const std::vector<std::vector<Difference>> others = {
        {{"cat", "/args/1", R"("one")"}},
        {{"cat", "/args/1", ""}},
        {{"cat", "/args/0", "[]"}},
        {{"cat", "/args/0", R"("%a")"}},
        {{"cat", "/args/0/1", "1"}},
        {{"cat", "/args/0/1", R"("%x")"}},
        {{"cat", "/kwargs", R"({"dim": 1})"}},
        {{"cat", "/kwargs", R"({"other": 0})"}},
        {{"cat", "/kwargs", R"({"dim": "0"})"}},
        {{"a", "/args/1", ""}},
        {{"a", "/args/0", "1"}},
        {{"a", "/kwargs", R"({"dim": 0})"}},
        {{"b", "/args/0", R"("%x")"}},
        {{"split", "/args/-", "0"}},
        {{"split", "/args/0", R"("%x")"}},
        {{"split", "/args/0", "1"}},
        {{"split", "/kwargs", R"({"dim": 1})"}},
    };
    for (const auto& other : others)
        EXPECT_EQ(gathers(altered(*split_gather(), other)), Texts({along_first})) << other.front();
    EXPECT_EQ(gathers(altered(*split_gather(), {{"split", "/kwargs", R"({"dim": 0})"}})),
              Texts({"start wait split a b cat : x -> cat, 1"}));
    for (const std::string target : {R"("aten.split.sizes")", R"("aten.split_with_sizes.default")"})
        EXPECT_EQ(gathers(altered(*split_gather(), {{"split", "/target", target}})),
                  Texts({"start wait split a b cat : x -> cat, 1"}));
    // What another node reads is no piece of the form; what joins them may be read by any.
    for (const std::string read : {"a", "wait"})
        EXPECT_EQ(
            gathers(with_call(*split_gather(), {"other", "aten.neg.default", R"(["%)" + read + R"("])"}, "output")),
            Texts({along_first}))
            << read;
    for (const std::string read : {"cat", "split"})
        EXPECT_EQ(
            gathers(with_call(*split_gather(), {"other", "aten.neg.default", R"(["%)" + read + R"("])"}, "output")),
            Texts({"start wait split a b cat : x -> cat, 1"}))
            << read;
}

TEST(GatherPatterns, PiecesOfTwoSplitsAreNotJoined) {
    const GraphPointer graph = with_call(*split_gather(), {"again", "aten.split.Tensor", R"(["%x", 4])"}, "a");
    EXPECT_EQ(gathers(altered(*graph, {{"b", "/args/0", R"("%again")"}})), Texts({along_first}));
}

TEST(GatherPatterns, EachPieceIsViewedAsAnotherType) {
    for (const Difference& difference : std::vector<Difference>{{"b_bits", "/args/1", ""},
                                                                {"b_bits", "/args/0", "1"},
                                                                {"b_bits", "/target", R"("aten.neg.default")"},
                                                                {"cat", "/args/0/1", R"("%b")"},
                                                                {"cat", "/args/0/1", "1"},
                                                                {"whole", "/args/1", ""},
                                                                {"whole", "/kwargs", R"({"dim": 0})"}}) {
        EXPECT_EQ(gathers(altered(*retyped_gather(), {difference})), Texts({along_first})) << difference;
    }
    EXPECT_EQ(gathers(with_call(*retyped_gather(), {"other", "aten.neg.default", R"(["%cat"])"}, "output")),
              Texts({along_first}));
}

TEST(GatherPatterns, SlicesOfAGatherAreJoinedWhoeverReadsThem) {
    const std::string trimmed = "start wait a b cat trim : x -> trim, 1", whole = "start wait a b cat : x -> cat, 1";
    const std::vector<std::pair<std::vector<Difference>, Texts>> cases = {
        // What cuts the end off goes along the same dimension, from its beginning.
        {{{"trim", "/args/1", "0"}}, {whole}},
        {{{"trim", "/args/2", "1"}}, {whole}},
        {{{"trim", "/args/3", ""}}, {whole}},
        {{{"trim", "/args/0", "1"}}, {whole}},
        {{{"trim", "/args/0", R"("%x")"}}, {whole}},
        // Where the dimension stands.
        {{{"cat", "/args/1", ""}, {"cat", "/kwargs", R"({"dim": 1})"}}, {trimmed}},
        {{{"cat", "/args/1", ""}, {"trim", "/args/1", "0"}}, {"start wait a b cat trim : x -> trim, 0"}},
        {{{"cat", "/args/1", ""}, {"cat", "/kwargs", R"({"dim": "1"})"}}, {along_first}},
        {{{"cat", "/args/1", R"("one")"}}, {along_first}},
        // Pieces.
        {{{"cat", "/args/0", "[]"}}, {along_first}},
        {{{"cat", "/args/0", R"("%a")"}}, {along_first}},
        {{{"cat", "/args/0/1", "1"}}, {along_first}},
        {{{"cat", "/args/0/1", R"("%x")"}}, {along_first}},
        {{{"b", "/args/1", "1"}}, {along_first}},
        {{{"b", "/args/1", R"("rows")"}}, {along_first}},
        {{{"b", "/args/0", R"("%x")"}}, {along_first}},
        {{{"b", "/args/0", "1"}}, {along_first}},
        // The collective: neither its users nor its keywords count here.
        {{{"start", "/args/2", ""}, {"start", "/kwargs", R"({"group_name": "0"})"}}, {trimmed}},
        {{{"start", "/args/2", ""}}, {}},
        {{{"start", "/args/0", "1"}}, {}},
        {{{"wait", "/args/0", R"("%x")"}}, {}},
        {{{"wait", "/args/0", "1"}}, {}},
    };
    for (const auto& [differences, expected] : cases)
        EXPECT_EQ(gathers(altered(*sliced_gather(), differences)), expected) << differences.front();
    for (const std::string read : {"start", "wait", "a", "cat"})
        EXPECT_EQ(
            gathers(with_call(*sliced_gather(), {"other", "aten.neg.default", R"(["%)" + read + R"("])"}, "output")),
            Texts({trimmed}))
            << read;
}

const Call scatter{"start", "_c10d_functional.reduce_scatter_tensor.default", R"(["%x", "sum", 2, "0"])"};
const Call scattered{"wait", "_c10d_functional.wait_tensor.default", R"(["%start"])"};
const std::string scatter_along_first = "start wait : x -> wait, 0";

GraphPointer split_scatter() {
    return graph_of({"x"},
                    {{"split", "aten.split.Tensor", R"(["%x", 4, 1])"},
                     {"a", "operator.getitem", R"(["%split", 0])"},
                     {"b", "operator.getitem", R"(["%split", 1])"},
                     {"cat", "aten.cat.default", R"([["%a", "%b"]])"},
                     {"start", scatter.target, R"(["%cat", "sum", 2, "0"])"},
                     scattered},
                    R"("%wait")");
}

GraphPointer sliced_scatter() {
    return graph_of({"x"},
                    {{"a", "aten.slice.Tensor", R"(["%x", 1, 0, 4])"},
                     {"b", "aten.slice.Tensor", R"(["%x", 1, 4, 8])"},
                     {"cat", "aten.cat.default", R"([["%a", "%b"]])"},
                     {"start", scatter.target, R"(["%cat", "sum", 2, "0"])"},
                     scattered},
                    R"("%wait")");
}

TEST(ScatterPatterns, AReduceScatterIsOneAlongTheFirstDimensionUnlessPiecesAreJoined) {
    EXPECT_EQ(scatters(graph_of({"x"}, {scatter, scattered}, R"("%wait")")), Texts({scatter_along_first}));
    EXPECT_EQ(scatters(split_scatter()), Texts({"split a b cat start wait : x -> wait, 1"}));
    EXPECT_EQ(scatters(sliced_scatter()), Texts({"a b cat start wait : x -> wait, 1"}));
    const ScatterMatch match = find_collectives(*split_scatter()).scatters.front();
    EXPECT_TRUE(match.operation.is(ValueKind::string));
    EXPECT_TRUE(match.group.is(ValueKind::string));
}

TEST(ScatterPatterns, TheSumMayBeKeptForTheBackwardPass) {
    const GraphPointer graph = graph_of({"x"}, {scatter, scattered}, R"("%wait")");
    const GraphPointer kept = with_call(*graph, {"kept", "aten.neg.default", R"(["%start"])"}, "output");
    EXPECT_EQ(scatters(kept), Texts({scatter_along_first}));
    EXPECT_EQ(scatters(with_call(*kept, {"third", "aten.neg.default", R"(["%start"])"}, "output")), Texts());
}

TEST(ScatterPatterns, NoCollectiveIsNoMatch) {
    const GraphPointer graph = graph_of({"x"}, {scatter, scattered}, R"("%wait")");
    for (const Difference& difference : std::vector<Difference>{{"start", "/args/0", "1"},
                                                                {"start", "/args/3", ""},
                                                                {"start", "/kwargs", R"({"out": null})"},
                                                                {"wait", "/args/0", R"("%x")"},
                                                                {"wait", "/args/0", "1"},
                                                                {"wait", "/args/-", "1"}}) {
        EXPECT_EQ(scatters(altered(*graph, {difference})), Texts()) << difference;
    }
    EXPECT_EQ(scatters(graph_of({"x"}, {scatter}, R"("%start")")), Texts());
}

TEST(ScatterPatterns, PiecesOfASplitAreJoinedAlongTheFirstDimension) {
    const std::string joined_first = "start wait : cat -> wait, 0", split = "split a b cat start wait : x -> wait, 1";
    const std::vector<std::pair<std::vector<Difference>, Texts>> cases = {
        {{{"cat", "/kwargs", R"({"dim": 0})"}}, {split}},
        {{{"cat", "/kwargs", R"({"dim": 1})"}}, {joined_first}},
        {{{"cat", "/args/-", "0"}}, {joined_first}},
        {{{"cat", "/args/0", "[]"}}, {joined_first}},
        {{{"cat", "/args/0", R"("%a")"}}, {joined_first}},
        {{{"cat", "/args/0/1", "1"}}, {joined_first}},
        {{{"cat", "/args/0/1", R"("%x")"}}, {joined_first}},
        {{{"b", "/args/0", R"("%x")"}}, {joined_first}},
        {{{"b", "/args/1", ""}}, {joined_first}},
        {{{"split", "/args/2", ""}}, {joined_first}},
        {{{"split", "/args/2", R"("columns")"}}, {joined_first}},
        {{{"split", "/args/0", "1"}}, {joined_first}},
        {{{"split", "/target", R"("aten.chunk.default")"}}, {joined_first}},
    };
    for (const auto& [differences, expected] : cases)
        EXPECT_EQ(scatters(altered(*split_scatter(), differences)), expected) << differences.front();
    EXPECT_EQ(scatters(with_call(*split_scatter(), {"other", "aten.neg.default", R"(["%cat"])"}, "output")),
              Texts({joined_first}));
}

TEST(ScatterPatterns, SlicesAreJoinedWhoeverReadsThem) {
    const std::string joined_first = "start wait : cat -> wait, 0", sliced = "a b cat start wait : x -> wait, 1";
    const std::vector<std::pair<std::vector<Difference>, Texts>> cases = {
        {{{"cat", "/args/-", "0"}}, {sliced}},
        {{{"cat", "/kwargs", R"({"dim": 0})"}}, {sliced}},
        {{{"cat", "/args/-", "1"}}, {joined_first}},
        {{{"cat", "/kwargs", R"({"dim": "0"})"}}, {joined_first}},
        {{{"cat", "/args/0", "[]"}}, {joined_first}},
        {{{"cat", "/args/0/1", "1"}}, {joined_first}},
        {{{"b", "/target", R"("aten.neg.default")"}}, {joined_first}},
        {{{"b", "/args/1", "0"}}, {joined_first}},
        {{{"b", "/args/1", R"("columns")"}}, {joined_first}},
        {{{"b", "/args/0", "1"}}, {joined_first}},
        {{{"b", "/args/0", R"("%a")"}}, {joined_first}},
        // What is reduced, how and where may be keywords here, but has to be there.
        {{{"start", "/args/3", ""}, {"start", "/kwargs", R"({"group_name": "0"})"}}, {sliced}},
        {{{"start", "/args", R"(["%cat"])"}, {"start", "/kwargs", R"({"reduce_op": "sum", "group_name": "0"})"}},
         {sliced}},
        {{{"start", "/args", R"(["%cat"])"}, {"start", "/kwargs", R"({"group_name": "0"})"}}, {}},
        {{{"start", "/args/3", ""}}, {}},
    };
    for (const auto& [differences, expected] : cases)
        EXPECT_EQ(scatters(altered(*sliced_scatter(), differences)), expected) << differences.front();
    for (const std::string read : {"a", "cat", "start"})
        EXPECT_EQ(
            scatters(with_call(*sliced_scatter(), {"other", "aten.neg.default", R"(["%)" + read + R"("])"}, "output")),
            Texts({sliced}))
            << read;
}

}  // namespace
}  // namespace overlap::tensor_parallel
