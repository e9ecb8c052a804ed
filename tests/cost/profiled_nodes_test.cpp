// By which name, sizes and dtype a profile is asked for a node, and which nodes it is not asked for.

#include <gtest/gtest.h>

#include "core/cost/profile_guided_times.h"
#include "core/io/profile_file.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

ProfileTables one_collective() {
    return ProfileTables(read_profile_text(
        R"({"traceEvents": [{"ph": "X", "cat": "kernel", "dur": 40, "args": {"Collective name": "allreduce",
            "Process Group Ranks": "[0, 1, 2, 3]", "Out msg nelems": 16, "dtype": "Float"}}]})",
        "one.json"));
}

TEST(ProfiledNodes, NamesAreThoseThatProfilersWrite) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {2, 3}));
    const auto named = [&](const std::string& name, const std::string& target) {
        return sketch.call(name, target, {Value::of_node(x), Value::of_integer(1)}, {sketch.tensor("float32", {2, 3})});
    };
    const std::vector<std::pair<NodeId, std::string>> expected = {
        {named("a", "aten.relu.default"), "aten::relu"},
        {named("b", "operator.add"), "add"},
        {named("c", "higher_order.flex_attention"), "flex_attention"},
        {named("d", "my_function"), "my_function"}};
    const NodeId several =
        sketch.call("several", "aten.topk.default", {Value::of_node(x)}, {TensorMeta{}, sketch.tensor("float32", {2})});
    const NodeId of_several = sketch.call("of_several", "aten.relu.default", {Value::of_node(several)}, {});
    const NodeId number = sketch.call("number", "aten.relu.default", {Value::of_integer(1)}, {});
    const Graph graph = sketch.finish();
    for (const auto& [node, name] : expected) {
        const auto asked = profiled_operator(graph, node);
        ASSERT_TRUE(asked) << name;
        EXPECT_EQ(asked->name, name);
        EXPECT_EQ(asked->shapes, (TensorSizes{{2, 3}}));
        EXPECT_EQ(asked->strides, (TensorSizes{{3, 1}}));
        EXPECT_EQ(asked->dtype, dtype_by_name("float32"));
    }
    ASSERT_TRUE(profiled_operator(graph, several));
    EXPECT_FALSE(profiled_operator(graph, several)->dtype);
    EXPECT_FALSE(profiled_operator(graph, of_several));
    EXPECT_FALSE(profiled_operator(graph, number));
}

TEST(ProfiledNodes, SizesThatOnlyTheRunningJobKnowsAreNotAsked) {
    GraphSketch sketch;
    const auto with_extra = [&](const std::string& name, const std::string& extra) {
        NodeMetadata metadata;
        metadata.extra_json = sketch.builder().intern(extra);
        const TensorMeta tensor = sketch.tensor("float32", {16});
        const NodeId source = sketch.input(name + "_source", tensor);
        return sketch.builder().call(name, "aten.mul.Tensor", GraphSketch::values({source}), {&tensor, 1}, metadata);
    };
    const std::vector<std::pair<std::string, bool>> cases = {{"{}", true},
                                                             {R"({"symbolic_shapes": [["s0"]]})", true},
                                                             {R"({"symbolic_shapes": [["full"]]})", true},
                                                             {R"({"symbolic_shapes": [["u"]]})", true},
                                                             {R"({"symbolic_shapes": [["sum"]]})", true},
                                                             {R"({"symbolic_shapes": [["s0 + u1"]]})", false},
                                                             {R"({"symbolic_shapes": [["u0"]]})", false}};
    std::vector<NodeId> readers, reductions;
    for (const auto& [extra, known] : cases) {
        const std::string number = std::to_string(readers.size());
        const NodeId node = with_extra("n" + number, extra);
        readers.push_back(sketch.call("reader" + number, "aten.relu.default", {Value::of_node(node)},
                                      {sketch.tensor("float32", {16})}));
        // A collective without a value of its own has the sizes of what it reads.
        reductions.push_back(sketch.call("reduction" + number, "_c10d_functional.all_reduce.default",
                                         {Value::of_node(node), sketch.text("sum"), sketch.text("0")}, {}));
    }
    const Graph graph = sketch.finish();
    const ProfileTables tables = one_collective();
    const ProfileGuidedEstimator estimator(graph, tables);
    for (std::size_t index = 0; index < cases.size(); ++index) {
        EXPECT_EQ(profiled_operator(graph, readers[index]).has_value(), cases[index].second) << cases[index].first;
        EXPECT_EQ(estimator.time_ms(reductions[index]), cases[index].second ? std::optional(0.04) : std::nullopt)
            << cases[index].first;
    }
}

TEST(ProfiledNodes, CollectivesNeedAListedGroupAndATensor) {
    GraphSketch sketch;
    const NodeId x = sketch.input("x", sketch.tensor("float32", {16}));
    const auto reduced = [&](const std::string& name, Value input, const std::string& group,
                             std::vector<TensorMeta> outputs) {
        return sketch.call(name, "_c10d_functional.all_reduce.default", {input, sketch.text("sum"), sketch.text(group)},
                           std::move(outputs));
    };
    const TensorMeta tensor = sketch.tensor("float32", {16});
    const NodeId known = reduced("known", Value::of_node(x), "0", {tensor});
    const NodeId elsewhere = reduced("elsewhere", Value::of_node(x), "9", {tensor});
    const NodeId nothing = reduced("nothing", Value::of_integer(0), "0", {});
    const NodeId no_input = sketch.call("no_input", "_c10d_functional.all_reduce.default", {}, {});
    const NodeId of_nothing = reduced("of_nothing", Value::of_node(nothing), "0", {});
    const Graph graph = sketch.finish();
    const ProfileTables tables = one_collective();
    const ProfileGuidedEstimator estimator(graph, tables);
    EXPECT_EQ(estimator.time_ms(known), 0.04);
    EXPECT_EQ(estimator.time_ms(known, 0), std::nullopt);
    for (const NodeId node : {x, elsewhere, nothing, no_input, of_nothing}) {
        EXPECT_EQ(estimator.time_ms(node), std::nullopt) << graph.name(node);
    }
}

}  // namespace
}  // namespace overlap::test
