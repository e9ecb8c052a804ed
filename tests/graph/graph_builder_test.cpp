#include "core/graph/graph_builder.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/graph/graph_in_code.h"
#include "tests/support/call_with.h"
#include "tests/support/problem_of.h"

namespace overlap {
namespace {

std::vector<NodeId> listed(std::span<const NodeId> nodes) {
    return {nodes.begin(), nodes.end()};
}

TEST(GraphBuilder, InputsAreDistinctAndInOrderOfFirstMention) {
    GraphBuilder builder;
    const NodeId a = test::placeholder(builder, "a"), b = test::placeholder(builder, "b"),
                 c = test::placeholder(builder, "c");
    const Value inner[] = {Value::of_node(c), Value::of_node(b), Value::of_none()};
    const Value slice_parts[] = {Value::of_node(a), Value::of_integer(1), Value::of_none()};
    const Value list = builder.list(inner), slice = builder.with_children(ValueKind::slice, slice_parts);
    const NodeId all = test::call_with(builder, "all", "test.all.default", {list, slice, Value::of_node(c)},
                                       {{"x", Value::of_node(b)}, {"y", Value::of_node(a)}});
    const Graph graph = builder.finish({});
    EXPECT_EQ(listed(graph.inputs(all)), (std::vector{c, b, a}));
    EXPECT_EQ(listed(graph.users(a)), (std::vector{all}));
    EXPECT_TRUE(graph.inputs(a).empty());
    EXPECT_TRUE(graph.users(all).empty());
    ASSERT_TRUE(graph.keyword(all, "y"));
    EXPECT_EQ(graph.keyword(all, "y")->node, a);
    EXPECT_EQ(graph.keyword(all, "z"), nullptr);
    ASSERT_TRUE(graph.argument(all, 2));
    EXPECT_EQ(graph.argument(all, 2)->node, c);
    EXPECT_EQ(graph.argument(all, 3), nullptr);
}

TEST(GraphBuilder, NamesAndTargets) {
    GraphBuilder builder;
    const NodeId a = test::placeholder(builder, "a");
    const NodeId mm = test::call(builder, "mm", "aten.mm.default", {a});
    const NodeId other = test::call(builder, "mm_1", "aten.mm.default", {mm, a});
    EXPECT_EQ(builder.find("mm"), mm);
    EXPECT_EQ(builder.find("aten.mm.default"), no_node);
    EXPECT_THROW(test::placeholder(builder, "mm"), InputError);
    const Graph graph = builder.finish({});
    EXPECT_EQ(graph.node_count(), 3u);
    EXPECT_EQ(graph.find("mm_1"), other);
    EXPECT_EQ(graph.find("absent"), no_node);
    EXPECT_EQ(graph.name(other), "mm_1");
    EXPECT_EQ(graph.target(other), "aten.mm.default");
    EXPECT_EQ(graph.record(mm).target, graph.record(other).target);
    EXPECT_TRUE(graph.target_info(mm).traits.compute);
    EXPECT_EQ(graph.op(a), NodeOp::placeholder);
}

TEST(GraphBuilder, ANameThatIsUsedTwiceIsNamed) {
    GraphBuilder builder;
    test::placeholder(builder, "a");
    EXPECT_EQ(test::problem_of([&] { test::placeholder(builder, "a"); }),
              "node 1: the name \"a\" is used twice, and names must be unique");
}

TEST(GraphBuilder, FindsEachOfManyNames) {
    GraphBuilder builder;
    for (int number = 0; number < 3000; ++number)
        builder.placeholder(std::string("p").append(std::to_string(number)), {});
    const Graph graph = builder.finish({});
    for (NodeId node = 0; node < graph.node_count(); ++node) ASSERT_EQ(graph.find(graph.name(node)), node);
}

TEST(GraphBuilder, KnowsWhichWordsTheFieldsOfNodesMention) {
    GraphBuilder builder;
    NodeMetadata metadata;
    metadata.custom_json = builder.intern(R"({"region":"body"})");
    metadata.extra_json = builder.intern(R"({"hint":1})");
    test::call(builder, "mm", "aten.mm.default", {}, metadata);
    const Graph graph = builder.finish({});
    EXPECT_TRUE(graph.custom_json_mentions("region"));
    EXPECT_FALSE(graph.custom_json_mentions("hint"));
    EXPECT_TRUE(graph.extra_json_mentions("hint"));
    EXPECT_FALSE(graph.extra_json_mentions("region"));
}

TEST(KindsOfNodes, AreFoundByTheirNames) {
    for (const NodeOp op : {NodeOp::placeholder, NodeOp::get_attr, NodeOp::call_function, NodeOp::call_module,
                            NodeOp::call_method, NodeOp::output})
        EXPECT_EQ(node_op_by_name(node_op_name(op)), op) << node_op_name(op);
    for (const char* name : {"", "call", "Output", "placeholders"}) EXPECT_EQ(node_op_by_name(name), std::nullopt);
}

TEST(GraphBuilder, UsersAreInGraphOrderUnlessSaidOtherwise) {
    const auto users = [](std::vector<NodeId> order) {
        GraphBuilder builder;
        const NodeId a = test::placeholder(builder, "a");
        test::call(builder, "first", "aten.relu.default", {a});
        test::call(builder, "second", "aten.add.Tensor", {a, a});
        test::call(builder, "third", "aten.relu.default", {a});
        if (!order.empty()) builder.users_order(a, order);
        const Graph graph = builder.finish({});
        return listed(graph.users(a));
    };
    EXPECT_EQ(users({}), (std::vector<NodeId>{1, 2, 3}));
    EXPECT_EQ(users({3, 1, 2}), (std::vector<NodeId>{3, 1, 2}));
    EXPECT_THROW(users({1, 2}), InputError);
    EXPECT_THROW(users({1, 2, 2}), InputError);
    EXPECT_THROW(users({1, 2, 0}), InputError);
    EXPECT_THROW(users({1, 2, 3, 3}), InputError);
}

TEST(GraphBuilder, TensorsAndTheirSizes) {
    GraphBuilder builder;
    const std::int64_t sizes[] = {4, 0, 3}, matrix[] = {128, 64}, none[] = {0};
    const TensorMeta tensors[] = {builder.contiguous_tensor(*dtype_by_name("float32"), matrix),
                                  builder.contiguous_tensor(*dtype_by_name("bfloat16"), sizes), TensorMeta{},
                                  builder.contiguous_tensor(*dtype_by_name("int64"), std::span(none, 0))};
    const NodeId node = builder.placeholder("a", tensors);
    const Graph graph = builder.finish({});
    ASSERT_EQ(graph.outputs(node).size(), 4u);
    const auto out = graph.outputs(node);
    EXPECT_EQ(graph.tensor_bytes(out[0]), 128 * 64 * 4);
    EXPECT_EQ(graph.stride(out[0])[0], 64);
    EXPECT_EQ(graph.element_count(out[1]), 0);
    EXPECT_EQ(graph.tensor_bytes(out[2]), 0);
    EXPECT_EQ(graph.tensor_bytes(out[3]), 8);
    EXPECT_EQ(graph.output_bytes(node), 128 * 64 * 4 + 8);
    EXPECT_NE(out[0].storage, out[1].storage);
}

TEST(GraphBuilder, EqualModuleStacksHaveOneNumber) {
    GraphBuilder builder;
    const ModuleStackId first = test::module_stack(builder, {{"layers.0", "Block"}, {"layers.0.wq", "Linear"}});
    const ModuleStackId second = test::module_stack(builder, {{"layers.0", "Block"}});
    EXPECT_EQ(test::module_stack(builder, {}), 0u);
    EXPECT_NE(first, 0u);
    EXPECT_NE(first, second);
    EXPECT_EQ(test::module_stack(builder, {{"layers.0", "Block"}, {"layers.0.wq", "Linear"}}), first);
    const Graph graph = builder.finish({});
    ASSERT_EQ(graph.module_stack(first).size(), 2u);
    EXPECT_EQ(graph.text(graph.module_stack(first)[1].class_name), "Linear");
    EXPECT_TRUE(graph.module_stack(0).empty());
}

TEST(Graph, WaitsReachTheirCollectiveThroughOneGetitem) {
    GraphBuilder builder;
    const NodeId a = test::placeholder(builder, "a");
    const Value coalesced_inputs[] = {Value::of_node(a)};
    const Value coalesced_args[] = {builder.list(coalesced_inputs), Value::of_integer(8), builder.string("dp")};
    const NodeId coalesced =
        builder.call("coalesced", "_c10d_functional.all_gather_into_tensor_coalesced.default", coalesced_args, {});
    const NodeId item = test::call(builder, "getitem", "operator.getitem", {coalesced});
    const NodeId wait = test::call(builder, "wait", "_c10d_functional.wait_tensor.default", {item});
    const NodeId again = test::call(builder, "getitem_1", "operator.getitem", {item});
    const NodeId far = test::call(builder, "wait_1", "_c10d_functional.wait_tensor.default", {again});
    const NodeId idle = test::call(builder, "wait_2", "_c10d_functional.wait_tensor.default", {a});
    const Graph graph = builder.finish({});
    EXPECT_EQ(graph.awaited_start(wait), coalesced);
    EXPECT_EQ(graph.awaited_start(far), no_node);
    EXPECT_EQ(graph.awaited_start(idle), no_node);
    EXPECT_EQ(graph.group_name(coalesced), "dp");
    EXPECT_EQ(graph.group_name(wait), "");
}

}  // namespace
}  // namespace overlap
