#include "core/imports/any_graph_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/imports/tensor_table.h"
#include "tests/support/test_files.h"

namespace overlap {
namespace {

const std::string folder = OVERLAP_TEST_DATA "/fx_text/";

/// The only graph of a text, with what is told.
OpenedGraph opened(const std::string& file, const ImportOptions& options = {}) {
    return open_imported(list_importable_graphs({file}).graphs.front(), options, {});
}

TEST(AnyGraphFile, ADocumentLacksNothingThatCouldBeTold) {
    EXPECT_TRUE(read_any_graph_file(folder + "step.graph.json").gaps.empty());
}

TEST(AnyGraphFile, ATextLacksWhatItDoesNotHaveUntilItIsTold) {
    const OpenedGraph untold = opened(folder + "step.untyped.py");
    EXPECT_FALSE(untold.gaps.empty());
    EXPECT_EQ(untold.gaps.groups, std::set<std::string>{"0"});
    EXPECT_TRUE(untold.gaps.rank);
    EXPECT_TRUE(untold.gaps.world_size);
    EXPECT_GT(untold.gaps.inputs, 0u);
    EXPECT_GE(untold.gaps.without_tensors, untold.gaps.inputs);

    ImportOptions options;
    options.process_groups.emplace_back();
    options.process_groups.back().name = "0";
    options.process_groups.back().ranks = {0, 1, 2, 3};
    options.rank = 1;
    options.tensors = read_tensor_table(folder + "step.tensors.json", {});
    const OpenedGraph told = opened(folder + "step.untyped.py", options);
    EXPECT_TRUE(told.gaps.groups.empty());
    EXPECT_FALSE(told.gaps.rank);
    EXPECT_TRUE(told.gaps.world_size);
    EXPECT_EQ(told.gaps.inputs, 0u);
    EXPECT_EQ(told.gaps.without_tensors, 0u);
    EXPECT_FALSE(told.gaps.empty());
    options.world_size = 4;
    EXPECT_TRUE(opened(folder + "step.untyped.py", options).gaps.empty());
}

/// A note is no gap: the text below has one, of a stride that is assumed, and nothing to tell.
TEST(AnyGraphFile, WhatIsOnlyNotedIsNoGap) {
    const test::TemporaryFolder temporary;
    const std::string file = (temporary / "noted.py").string();
    std::ofstream(file) << "def forward(self, x: \"f32[4, 4]\"):\n"
                           "    y: \"f32[4, 4]\" = torch.ops.aten.relu.default(x);  x = None\n"
                           "    return (y,)\n";
    const OpenedGraph graph = opened(file);
    EXPECT_FALSE(graph.notes.empty());
    EXPECT_TRUE(graph.gaps.empty());
}

TEST(AnyGraphFile, SymbolsLackValuesOneByOne) {
    const test::TemporaryFolder temporary;
    const std::string file = (temporary / "symbols.py").string();
    std::ofstream(file) << "def forward(self, s0: \"Sym(s0)\", s1: \"Sym(s1)\", x: \"f32[s0, s1][s1, 1]cuda:0\"):\n"
                           "    y: \"f32[s0, s1][s1, 1]cuda:0\" = torch.ops.aten.relu.default(x);  x = None\n"
                           "    return (y,)\n";
    const auto expected = [](const char* first, const char* second) { return std::set<std::string>{first, second}; };
    EXPECT_EQ(opened(file).gaps.symbols, expected("s0", "s1"));
    ImportOptions options;
    options.symbols.insert({"s0", 8});
    EXPECT_EQ(opened(file, options).gaps.symbols, std::set<std::string>{"s1"});
    options.symbols.insert({"s1", 16});
    EXPECT_TRUE(opened(file, options).gaps.empty());
}

}  // namespace
}  // namespace overlap
