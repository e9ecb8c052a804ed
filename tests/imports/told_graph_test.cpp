// What a user tells of a graph beside its text: ranks, groups, symbols and tensors; and what digests compare.

#include <gtest/gtest.h>

#include <string>

#include "core/imports/fx/fx_text.h"
#include "core/imports/graph_digest.h"
#include "core/imports/tensor_table.h"
#include "tests/support/problem_of.h"

namespace overlap {
namespace {

ImportedGraph told(const std::string& text, const ImportOptions& options = {}) {
    return read_fx_text(text, find_fx_functions(text).at(0), options);
}

const std::string gathering =
    "def forward(self, a: \"f32[4][1]cpu\"):\n"
    "    b = torch.ops._c10d_functional.all_gather_into_tensor.default(a, 4, '7')\n"
    "    c = torch.ops._c10d_functional.all_reduce.default(b, 'sum', '8')\n"
    "    return (c,)\n";
const std::string alone = "def forward(self, a: \"f32[4][1]cpu\"):\n    return (a,)\n";

ImportOptions with_group(const std::string& name, std::vector<int> ranks, std::optional<int> rank) {
    ImportOptions options;
    options.process_groups.emplace_back();
    options.process_groups[0].name = name;
    options.process_groups[0].ranks.assign(ranks.begin(), ranks.end());
    if (rank) options.rank = *rank;
    return options;
}

std::string problem_of_told(const std::string& text, const ImportOptions& options) {
    return test::problem_of([&] { told(text, options); });
}

TEST(ToldGraph, GroupsHaveTheRankWhoseGraphItIs) {
    EXPECT_EQ(told(gathering, with_group("7", {1, 3, 5}, 3)).graph->header().process_groups[0].rank, 1);
    EXPECT_EQ(told(gathering, with_group("7", {1, 3, 5}, {})).graph->header().process_groups[0].rank, 0);
    EXPECT_EQ(problem_of_told(gathering, with_group("7", {1, 3, 5}, 2)),
              "process group \"7\" has no rank 2, whose graph this is");
    EXPECT_EQ(problem_of_told(gathering, with_group("9", {0, 1}, {})),
              "no collective of the graph is of process group \"9\"; they are of \"7\", \"8\"");
    EXPECT_EQ(problem_of_told(alone, with_group("7", {0, 1}, {})),
              "no collective of the graph is of process group \"7\"; it has no collectives");
}

TEST(ToldGraph, AGroupOfTheWholeJobIsKnown) {
    ImportOptions options;
    options.rank = 2;
    options.world_size = 4;
    const auto groups = told(gathering, options).graph->header().process_groups;
    ASSERT_EQ(groups.size(), 1u);
    EXPECT_EQ(groups[0].name, "7");
    EXPECT_EQ(groups[0].rank, 2);
    EXPECT_EQ(std::vector<int>(groups[0].ranks.begin(), groups[0].ranks.end()), (std::vector<int>{0, 1, 2, 3}));
    options.world_size = 8;
    EXPECT_TRUE(told(gathering, options).graph->header().process_groups.empty());
    options.world_size = 4;
    options.rank.reset();
    EXPECT_TRUE(told(gathering, options).graph->header().process_groups.empty());
    options.rank = 4;
    EXPECT_EQ(problem_of_told(gathering, options), "rank 4 is not one of a job of 4 ranks");
}

TEST(ToldGraph, ACollectiveThatNamesNoGroupIsOfNone) {
    const ImportedGraph graph = told(
        "def forward(self, a: \"f32[4][1]cpu\"):\n"
        "    b = torch.ops._c10d_functional.all_reduce.default(a, 'sum')\n"
        "    c = f('x', b)\n"
        "    return (c,)\n");
    EXPECT_EQ(graph.graph->group_name(graph.graph->find("b")), "");
    for (const std::string& sentence : sentences_of(graph.notes))
        EXPECT_EQ(sentence.find("process group"), std::string::npos) << sentence;
}

TEST(ToldGraph, SymbolsAndTensorsAreThoseOfTheGraph) {
    ImportOptions options;
    options.symbols["s9"] = 4;
    EXPECT_EQ(problem_of_told(alone, options), "the graph has no symbol \"s9\"; all its sizes are numbers");
    EXPECT_EQ(problem_of_told("def forward(self, a: \"f32[s0][1]cpu\"):\n    return (a,)\n", options),
              "the graph has no symbol \"s9\"; it has \"s0\"");
    ImportOptions tensors;
    tensors.tensors = read_tensor_table_text(R"({"x": "f32[4][1]cpu"})", "table", {});
    EXPECT_EQ(problem_of_told(alone, tensors), "the graph has no node \"x\", whose tensor is given");
    for (const std::string type : {"f32", "Sym(s0)", "f32[s0]"}) {
        const std::string table = "{\"x\": \"" + type + "\"}";
        EXPECT_EQ(test::problem_of([&] { read_tensor_table_text(table, "table", {}); }),
                  "table: x: expected a tensor's type such as \"bf16[16, 32][32, 1]cuda:0\"")
            << type;
    }
}

TEST(ToldGraph, ItemsTellTheTupleThatNoRuleKnows) {
    const ImportedGraph graph = told(
        "def forward(self, a: \"f32[4][1]cpu\"):\n"
        "    pair = torch.ops.mine.pair.default(a)\n"
        "    first: \"f32[4][1]cpu\" = pair[0]\n"
        "    third: \"f32[2][1]cpu\" = pair[2]\n"
        "    last: \"f32[2][1]cpu\" = pair[-1]\n"
        "    return (first, third, last)\n");
    const NodeId pair = graph.graph->find("pair");
    EXPECT_TRUE(graph.graph->record(pair).multi);
    ASSERT_EQ(graph.graph->outputs(pair).size(), 3u);
    EXPECT_FALSE(graph.graph->outputs(pair)[1].is_tensor);
    EXPECT_EQ(graph.graph->shape(graph.graph->outputs(pair)[2])[0], 2);
    EXPECT_EQ(graph.typing.unknown, 0u);
    EXPECT_TRUE(graph.typing.unknown_operators.empty());
}

TEST(ToldGraph, TypesThatDisagreeWithRulesAreTold) {
    const auto notes = [](const std::string& type) {
        const ImportedGraph graph = told(
            "def forward(self, a: \"f32[4, 1][1, 1]cpu\"):\n"
            "    b: \"" +
            type + "\" = torch.ops.aten.neg.default(a)\n    return (b,)\n");
        return sentences_of(graph.notes);
    };
    const std::vector<std::string> disagreeing{
        "the text states another shape than aten.neg.default gives for its inputs; the text's shape is taken (node b)"};
    EXPECT_EQ(notes("f32[4, 1][1, 1]cpu"), std::vector<std::string>{});
    EXPECT_EQ(notes("f32[4, 1][1, 7]cpu"), std::vector<std::string>{}) << "a stride of one element means nothing";
    EXPECT_EQ(notes("f32[4, 1][2, 1]cpu"), disagreeing);
    EXPECT_EQ(notes("f64[4, 1][1, 1]cpu"), disagreeing);
    EXPECT_EQ(notes("f32[2, 1][1, 1]cpu"), disagreeing);
}

/// The digest of a call with these arguments.
std::string digest_of(const std::string& arguments) {
    return program_digest(
        *told("def forward(self, a: \"f32[4][1]cpu\"):\n    b = f(" + arguments + ")\n    return (b, a)\n").graph);
}

TEST(ToldGraph, DigestsSeeValuesButNotAddressesOrIndices) {
    for (const auto& [one, other] :
         std::vector<std::pair<std::string, std::string>>{{"1.5", "2.5"},
                                                          {"1", "2"},
                                                          {"True", "False"},
                                                          {"a", "None"},
                                                          {"slice(1, 2)", "slice(1, 3)"},
                                                          {"'x'", "'y'"},
                                                          {"[1]", "[[1]]"},
                                                          {"{'k': 1}", "{'l': 1}"},
                                                          {"''", "'x'"},
                                                          {"<f at 0x1>", "<g at 0x1>"},
                                                          {"device('cuda', 0)", "device('cpu')"},
                                                          {"torch.float32", "torch.float16"}})
        EXPECT_NE(digest_of(one), digest_of(other)) << one;
    EXPECT_EQ(digest_of("<f at 0x7f01, g at 0xAB>"), digest_of("<f at 0x7e, g at 0x1>"));
    EXPECT_EQ(digest_of("device('cuda', 0)"), digest_of("device('cuda', 1)"));
    EXPECT_EQ(digest_of("1.5"), digest_of("1.5"));
}

}  // namespace
}  // namespace overlap
