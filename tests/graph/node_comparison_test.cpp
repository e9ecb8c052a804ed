#include "core/graph/node_comparison.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/graph/graph_builder.h"

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

}  // namespace
}  // namespace overlap
