#include "core/graph/module_nodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/graph/graph_in_code.h"

namespace overlap {
namespace {

/// A graph of one call a path, and one without a module.
Graph graph_of(const std::vector<std::string>& paths) {
    GraphBuilder builder;
    const NodeId input = test::placeholder(builder, "x");
    for (std::size_t index = 0; index < paths.size(); ++index) {
        NodeMetadata metadata;
        metadata.module_fqn = builder.intern(paths[index]);
        test::call(builder, std::string("n").append(std::to_string(index + 1)), "aten.relu.default", {input}, metadata);
    }
    return builder.finish({});
}

/// A graph of one call with modules in each stack.
Graph graph_of_stacks(const std::vector<test::Stack>& stacks) {
    GraphBuilder builder;
    const NodeId input = test::placeholder(builder, "x");
    for (std::size_t index = 0; index < stacks.size(); ++index) {
        NodeMetadata metadata;
        metadata.fwd_module_stack = test::module_stack(builder, stacks[index]);
        test::call(builder, std::string("n").append(std::to_string(index + 1)), "aten.relu.default", {input}, metadata);
    }
    return builder.finish({});
}

void expect_nodes_of_tree(const Graph& graph, ModuleSource source, const std::vector<std::string_view>& paths) {
    const ModuleTree tree(graph, source);
    const ModuleNodes nodes(graph, source, paths);
    EXPECT_EQ(nodes.exist(), tree.exists());
    for (std::size_t index = 0; index < paths.size(); ++index) {
        const auto found = nodes.of(index), expected = tree.nodes(paths[index]);
        EXPECT_TRUE(std::ranges::equal(found, expected)) << paths[index];
    }
}

TEST(ModuleNodes, AreThoseOfTheTree) {
    const Graph graph = graph_of({"layers.1.wq", "layers.1", "layers.10", "norm", "", "layers.1.wq.inner", ".odd", "a..b"});
    expect_nodes_of_tree(graph, ModuleSource::module_fqn,
                         {"layers.1", "layers", "layers.1.wq", "norm", "", "layers.1.", "odd", ".odd", "a", "a.",
                          "a..b", "lay", "layers.1", "none"});
    const ModuleNodes nodes(graph, ModuleSource::module_fqn, std::vector<std::string_view>{"layers.1"});
    EXPECT_EQ(std::vector<NodeId>(nodes.of(0).begin(), nodes.of(0).end()), (std::vector<NodeId>{1, 2, 6}));
}

TEST(ModuleNodes, OfStacksAreThoseOfTheTree) {
    const Graph graph = graph_of_stacks({
        {{"", "Model"}, {"L['self']._modules['layers']['0']", "Block"}, {"layers.0.wq", "Linear"}},
        {{"", "Model"}},
        {{"layers.0", "Block"}, {"layers.0", "Block"}, {"shared", "Linear"}},
    });
    expect_nodes_of_tree(graph, ModuleSource::module_stack, {"layers.0", "layers", "shared", "layers.0.wq", ""});
    expect_nodes_of_tree(graph, ModuleSource::module_fqn, {"layers.0"});
}

}  // namespace
}  // namespace overlap
