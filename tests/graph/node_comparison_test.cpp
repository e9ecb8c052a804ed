#include "core/graph/node_comparison.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "tests/graph/graph_in_code.h"

namespace overlap {
namespace {

/// What one of two graphs has otherwise.
struct Variant {
    std::string input_name = "x";
    std::int64_t factor = 2;
    std::string_view dtype = "float32";
    std::array<std::int64_t, 2> sizes{4, 8};
    std::string module = "layers.0";
    std::optional<bool> backward{};
};

Graph graph_of(const Variant& variant) {
    GraphBuilder builder;
    const std::array outputs = {builder.contiguous_tensor(*dtype_by_name(variant.dtype), variant.sizes)};
    const NodeId input = builder.placeholder(variant.input_name, outputs);
    NodeMetadata metadata;
    metadata.module_fqn = builder.intern(variant.module);
    metadata.autograd_backward = variant.backward;
    const std::array args = {Value::of_node(input), Value::of_integer(variant.factor)};
    builder.call("product", "aten.mul.Scalar", args, outputs, metadata);
    return builder.finish({});
}

constexpr std::array<NodeId, 2> origin = {0, 1};

bool same_product(const Variant& after) {
    const Graph old_graph = graph_of({}), new_graph = graph_of(after);
    return NodeComparison(old_graph, new_graph, origin).same_node(1, 1);
}

TEST(NodeComparison, FindsANodeThatNothingChanged) {
    EXPECT_TRUE(same_product({}));
}

TEST(NodeComparison, SeesWhatADocumentSays) {
    EXPECT_FALSE(same_product({.factor = 3}));
    EXPECT_FALSE(same_product({.dtype = "bfloat16"}));
    EXPECT_FALSE(same_product({.sizes = {8, 4}}));
    EXPECT_FALSE(same_product({.module = "layers.1"}));
    EXPECT_FALSE(same_product({.backward = true}));
    EXPECT_FALSE(same_product({.input_name = "y"}));
}

TEST(NodeComparison, ACallIsTheSameWhateverItsInputsAreCalled) {
    const Graph old_graph = graph_of({}), renamed = graph_of({.input_name = "y"}), other = graph_of({.factor = 3});
    EXPECT_TRUE(NodeComparison(old_graph, renamed, origin).same_call(1, 1));
    EXPECT_FALSE(NodeComparison(old_graph, other, origin).same_call(1, 1));
    constexpr std::array<NodeId, 2> new_input = {no_node, 1};
    EXPECT_FALSE(NodeComparison(old_graph, old_graph, new_input).same_call(1, 1));
}

/// A call within modules, in a graph that has those of `others` in front of it.
Graph graph_within(const test::Stack& stack, const test::Stack& others, bool forward = false) {
    GraphBuilder builder;
    for (const auto& other : others) test::module_stack(builder, {other});
    NodeMetadata metadata;
    (forward ? metadata.fwd_module_stack : metadata.module_stack) = test::module_stack(builder, stack);
    test::call(builder, "call", "test.call.default", {}, metadata);
    return builder.finish({});
}

TEST(NodeComparison, ModulesAreTheSameByPathAndClassWhateverTheirNumbersAre) {
    const test::Stack stack = {{"layers.0", "Block"}, {"layers.0.wq", "Linear"}};
    constexpr std::array<NodeId, 1> itself = {0};
    for (const bool forward : {false, true}) {
        const Graph before = graph_within(stack, {{"norm", "Norm"}, {"output", "Linear"}}, forward);
        const auto same = [&](const Graph& after) { return NodeComparison(before, after, itself).same_node(0, 0); };
        EXPECT_TRUE(same(graph_within(stack, {{"embeddings", "Embedding"}}, forward)));
        EXPECT_TRUE(same(graph_within(stack, {}, forward)));
        EXPECT_FALSE(same(graph_within({{"layers.0", "Block"}}, {}, forward)));
        EXPECT_FALSE(same(graph_within({{"layers.0", "Block"}, {"layers.0.wk", "Linear"}}, {}, forward)));
        EXPECT_FALSE(same(graph_within({{"layers.0", "Block"}, {"layers.0.wq", "Norm"}}, {}, forward)));
        EXPECT_FALSE(same(graph_within(stack, {}, !forward)));
    }
}

}  // namespace
}  // namespace overlap
