// What becomes of single operators: whether a kernel runs for one, over which elements, and what more it moves.

#include "core/predict/kernel_operators.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/cost/graph_sketch.h"
#include "tests/support/call_with.h"

namespace overlap::test {
namespace {

/// A call of `target` in a graph of its own.
class OneCall {
  public:
    GraphSketch sketch;

    NodeId input(std::vector<std::int64_t> sizes, std::string_view dtype = "float32") {
        return sketch.input("x" + std::to_string(sketch.builder().node_count()), sketch.tensor(dtype, sizes));
    }
    Value integers(std::initializer_list<std::int64_t> numbers) {
        std::vector<Value> items;
        for (const std::int64_t number : numbers) items.push_back(Value::of_integer(number));
        return sketch.list(items);
    }
    KernelOperator made(std::string_view target, std::vector<Value> arguments, std::vector<TensorMeta> outputs) {
        const NodeId node = sketch.call("call", target, std::move(arguments), std::move(outputs));
        return kernel_operator(sketch.finish(), node);
    }
};

KernelRole role_of(std::string_view target, std::string_view input = "float32", std::string_view output = "float32") {
    OneCall call;
    const NodeId x = call.input({4, 6}, input);
    return call.made(target, {Value::of_node(x)}, {call.sketch.tensor(output, {4, 6})}).role;
}

TEST(KernelOperators, RunAKernelOrNone) {
    for (const char* target : {"aten.view.default", "operator.getitem", "_c10d_functional.wait_tensor.default",
                               "aten.empty_like.default", "aten.new_empty_strided.default"})
        EXPECT_EQ(role_of(target), KernelRole::none) << target;
    for (const char* target :
         {"_c10d_functional.all_gather_into_tensor.default", "_c10d_functional.all_reduce.default"})
        EXPECT_EQ(role_of(target), KernelRole::collective) << target;
    // Fused by Inductor, cheap, or decomposed into such.
    for (const char* target :
         {"aten.mul.Tensor", "aten.add_.Tensor", "aten.cat.default", "aten._to_copy.default",
          "aten.nll_loss_forward.default", "aten.masked_fill_.Scalar", "aten.gelu_backward.default"})
        EXPECT_EQ(role_of(target), KernelRole::pointwise) << target;
    for (const char* target :
         {"aten.sum.default", "aten.cumsum.default", "aten._log_softmax.default", "aten.native_layer_norm.default"})
        EXPECT_EQ(role_of(target), KernelRole::reduction) << target;
    for (const char* target :
         {"aten.mm.default", "aten._scaled_dot_product_flash_attention.default", "aten.topk.default",
          "aten.sort.default", "aten.index_put.default", "house.unknown.default", "unknown"})
        EXPECT_EQ(role_of(target), KernelRole::library) << target;
}

TEST(KernelOperators, OfComplexNumbersAreALibrarys) {
    EXPECT_EQ(role_of("aten.mul.Tensor", "complex64", "complex64"), KernelRole::library);
    EXPECT_EQ(role_of("aten.mul.Tensor", "complex64", "float32"), KernelRole::library);
    EXPECT_EQ(role_of("aten.mul.Tensor", "float32", "complex128"), KernelRole::library);
}

TEST(KernelOperators, WithoutATensorRunNone) {
    OneCall call;
    const NodeId x = call.input({4});
    EXPECT_EQ(call.made("aten.mul.Tensor", {Value::of_node(x)}, {TensorMeta{}}).role, KernelRole::none);
    GraphSketch sketch;
    const NodeId input = sketch.input("x", sketch.tensor("float32", {4}));
    EXPECT_EQ(kernel_operator(sketch.finish({input}), input).role, KernelRole::none);
}

TEST(KernelOperators, CopyOnlyATensorThatLiesOtherwiseThanAsked) {
    for (const bool lies_so : {true, false}) {
        OneCall call;
        const TensorMeta asked = call.sketch.tensor("float32", {4, 6});
        TensorMeta other = asked;
        const std::array<std::int64_t, 2> sizes{4, 6}, strides{1, 4};
        other.first_dimension = call.sketch.builder().dimensions(sizes, strides);
        const NodeId x = call.sketch.input("x", lies_so ? asked : other);
        EXPECT_EQ(call.made("prims.inductor_force_stride_order.default", {Value::of_node(x)}, {asked}).role,
                  lies_so ? KernelRole::none : KernelRole::pointwise);
    }
    OneCall call;  // of what is not known it cannot be told how it lies
    EXPECT_NE(call.made("prims.inductor_force_stride_order.default", {}, {call.sketch.tensor("float32", {4})}).role,
              KernelRole::none);
}

TEST(KernelOperators, ThatArePointwiseRunOverWhatTheyReturn) {
    OneCall call;
    const NodeId x = call.input({3, 1});
    const KernelOperator made =
        call.made("aten.add.Tensor", {Value::of_node(x)}, {call.sketch.tensor("bfloat16", {3, 5})});
    EXPECT_EQ(made.loops, (KernelLoops{15, 1, false}));
    EXPECT_EQ(made.loops.elements(), 15);
    EXPECT_FALSE(made.has_statistics || made.reduces_weight_gradient || made.writes_argument || made.fills ||
                 made.scatters || made.extra_bytes > 0);
}

struct Reduced {
    const char* description;
    std::initializer_list<std::int64_t> dimensions;
    KernelLoops loops;
};

TEST(KernelOperators, ReduceTheDimensionsThatAreNamed) {
    for (const Reduced& reduced : {Reduced{"none of them named: all", {}, {1, 30, false}},
                                   {"the last", {2}, {6, 5, false}},
                                   {"the last, from the end", {-1}, {6, 5, false}},
                                   {"the first", {0}, {15, 2, true}},
                                   {"the first, from the end", {-3}, {15, 2, true}},
                                   {"the middle", {1}, {10, 3, true}},
                                   {"the first and the last", {0, 2}, {3, 10, false}},
                                   {"one that it has not", {3}, {30, 1, true}},
                                   {"one before its first", {-4}, {30, 1, true}}}) {
        OneCall call;
        const NodeId x = call.input({2, 3, 5});
        const Value dimensions = call.integers(reduced.dimensions);
        const KernelOperator made =
            call.made("aten.sum.dim_IntList", {Value::of_node(x), dimensions}, {call.sketch.tensor("float32", {1})});
        EXPECT_EQ(made.role, KernelRole::reduction);
        EXPECT_EQ(made.loops, reduced.loops) << reduced.description;
    }
}

TEST(KernelOperators, ReduceADimensionThatIsANumberOrAKeyword) {
    OneCall call;
    const NodeId x = call.input({2, 3, 5});
    EXPECT_EQ(call.made("aten.amax.default", {Value::of_node(x), Value::of_integer(1)},
                        {call.sketch.tensor("float32", {2, 5})})
                  .loops,
              (KernelLoops{10, 3, true}));
    GraphSketch sketch;
    const NodeId y = sketch.input("y", sketch.tensor("float32", {2, 3, 5}));
    const NodeId node = test::call_with(sketch.builder(), "argmax", "aten.argmax.default", {Value::of_node(y)},
                                        {{"dim", Value::of_integer(-1)}}, {sketch.tensor("int64", {2, 3})});
    EXPECT_EQ(kernel_operator(sketch.finish(), node).loops, (KernelLoops{6, 5, false}));
}

TEST(KernelOperators, ReduceNothingOfATensorWithoutElements) {
    OneCall call;
    const NodeId x = call.input({4, 0});
    const Value dimensions = call.integers({1});
    EXPECT_EQ(
        call.made("aten.sum.dim_IntList", {Value::of_node(x), dimensions}, {call.sketch.tensor("float32", {4})}).loops,
        (KernelLoops{0, 0, false}));
}

TEST(KernelOperators, ThatNormaliseGoOverRows) {
    struct Case {
        const char* target;
        std::vector<std::int64_t> sizes;
        KernelLoops loops;
        bool has_statistics, reduces_weight_gradient;
    };
    for (const Case& one : {Case{"aten._softmax.default", {2, 3, 5}, {6, 5}, true, false},
                            {"aten._fused_rms_norm.default", {4, 6}, {4, 6}, true, false},
                            {"aten._softmax_backward_data.default", {4, 6}, {4, 6}, false, false},
                            {"aten._fused_rms_norm_backward.default", {4, 6}, {4, 6}, false, true},
                            {"aten.native_layer_norm_backward.default", {4, 6}, {4, 6}, false, true},
                            {"aten._softmax.default", {}, {1, 1}, true, false},
                            {"aten._softmax.default", {4, 0}, {0, 1}, true, false}}) {
        OneCall call;
        const NodeId x = call.input(one.sizes);
        const KernelOperator made =
            call.made(one.target, {Value::of_node(x)}, {call.sketch.tensor("float32", one.sizes)});
        EXPECT_EQ(made.role, KernelRole::reduction) << one.target;
        EXPECT_EQ(made.loops, one.loops) << one.target;
        EXPECT_EQ(made.has_statistics, one.has_statistics) << one.target;
        EXPECT_EQ(made.reduces_weight_gradient, one.reduces_weight_gradient) << one.target;
    }
}

TEST(KernelOperators, SayWhatTheyWriteInto) {
    struct Case {
        const char* target;
        bool writes_argument, fills, scatters;
    };
    for (const Case& one : {Case{"aten.add_.Tensor", true, false, false},
                            {"aten.zeros_like.default", false, true, false},
                            {"aten.full.default", false, true, false},
                            {"aten.scatter_add.default", false, false, true},
                            {"aten.index_put.default", false, false, true},
                            {"aten.mul.Tensor", false, false, false}}) {
        OneCall call;
        const NodeId x = call.input({4, 6});
        const KernelOperator made = call.made(one.target, {Value::of_node(x)}, {call.sketch.tensor("float32", {4, 6})});
        EXPECT_EQ(made.writes_argument, one.writes_argument) << one.target;
        EXPECT_EQ(made.fills, one.fills) << one.target;
        EXPECT_EQ(made.scatters, one.scatters) << one.target;
    }
}

TEST(KernelOperators, MakeTheGradientOfAnEmbeddingInFloat32) {
    for (const std::int64_t rows : {2, 50}) {
        OneCall call;
        const NodeId gradient = call.input({rows, 4}, "bfloat16");
        const KernelOperator made = call.made("aten.embedding_dense_backward.default", {Value::of_node(gradient)},
                                              {call.sketch.tensor("bfloat16", {10, 4})});
        // The table is filled and converted; what is added to it is no more than the table.
        EXPECT_EQ(made.extra_bytes, 2 * 160 + std::min<std::int64_t>(160, rows * 16));
    }
}

}  // namespace
}  // namespace overlap::test
