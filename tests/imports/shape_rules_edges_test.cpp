// Calls at the edges of shape rules: what PyTorch 2.15 returns for fake tensors on the CPU, or "unknown".

#include <gtest/gtest.h>

#include <string>

#include "core/imports/fx/fx_text.h"

namespace overlap {
namespace {

ImportedGraph import_text(const std::string& text) {
    return read_fx_text(text, find_fx_functions(text).at(0), {});
}

std::string list_text(std::span<const std::int64_t> numbers) {
    std::string text = "[";
    for (const std::int64_t number : numbers) {
        if (text.size() > 1) text += ", ";
        text += std::to_string(number);
    }
    return text.append("]");
}

/// The first tensor that a call returns, as dtype, sizes and strides, and where it begins if that is not at its
/// memory's beginning; or "unknown".
std::string result_of(const std::string& call) {
    const std::string text = R"(class GraphModule(torch.nn.Module):
    def forward(self, a: "f32[4, 8][8, 1]cpu", at: "f32[4, 8][1, 4]cpu", bt: "f32[4, 8][1, 4]cpu", i: "i64[4, 8][8, 1]cpu", it: "i64[4, 8][1, 4]cpu", m: "b8[4, 8][8, 1]cpu", c: "c64[4, 8][8, 1]cpu", h: "bf16[4, 8][8, 1]cpu", g: "bf16[4, 8][8, 1]cuda:0", w: "bf16[8][1]cpu", v: "bf16[8][1]cuda:0", big: "f32[3, 4, 8][32, 8, 1]cpu", z: "f64[][]cpu", e: "f32[0][1]cpu", n: "i64[3][1]cpu", a3: "f32[3, 8][8, 1]cpu", u: "u8[4, 8][8, 1]cpu", q: "f32[1, 4][4, 1]cpu"):
        r = torch.ops.aten.)" +
                             call + R"(
        return (r,)
)";
    const ImportedGraph imported = import_text(text);
    const Graph& graph = *imported.graph;
    const auto outputs = graph.outputs(graph.find("r"));
    if (outputs.empty()) return "unknown";
    std::string result(dtype_info(outputs[0].dtype).name);
    result.append(" ").append(list_text(graph.shape(outputs[0])));
    result.append(" ").append(list_text(graph.stride(outputs[0])));
    if (outputs[0].storage_offset != 0) result.append(" from ").append(std::to_string(outputs[0].storage_offset));
    return result;
}

TEST(ShapeRulesAtEdges, OverloadsOfOtherMeaningHaveTheirOwnRules) {
    EXPECT_EQ(result_of("prod.default(i)"), "int64 [] []");
    EXPECT_EQ(result_of("prod.dim_int(a, 1)"), "float32 [4] [1]");
    EXPECT_EQ(result_of("prod.dim_int(i, -1, True)"), "int64 [4, 1] [1, 1]");
    EXPECT_EQ(result_of("clamp.Tensor(a, big, big)"), "float32 [3, 4, 8] [32, 8, 1]");
    EXPECT_EQ(result_of("clamp_min.Tensor(a, big)"), "float32 [3, 4, 8] [32, 8, 1]");
    EXPECT_EQ(result_of("clamp_max.Tensor(i, z)"), "float64 [4, 8] [8, 1]");
    EXPECT_EQ(result_of("add.out(a, h, out = a)"), "unknown");
    EXPECT_EQ(result_of("any.dims(a, [])"), "unknown");
}

TEST(ShapeRulesAtEdges, NumbersOfAHigherKindAreNotIgnored) {
    EXPECT_EQ(result_of("clamp.default(a, 0.5)"), "float32 [4, 8] [8, 1]");
    EXPECT_EQ(result_of("clamp.default(i, 1, 5)"), "int64 [4, 8] [8, 1]");
    EXPECT_EQ(result_of("clamp.default(i, 0.5)"), "unknown");  // float32
    EXPECT_EQ(result_of("clamp.default(i, max = 0.5)"), "unknown");
    EXPECT_EQ(result_of("clamp_min.default(i, 1.5)"), "unknown");
    EXPECT_EQ(result_of("clamp_max.default(i, max = 1.5)"), "unknown");
    EXPECT_EQ(result_of("mul.Tensor(a, other = big)"), "unknown");
}

TEST(ShapeRulesAtEdges, CopiesOfTransposedTensorsAreContiguous) {
    for (const char* call : {"masked_fill.Scalar(at, m, 0)", "scatter.src(at, 1, it, bt)",
                             "scatter.value(at, 1, it, 0)", "scatter_add.default(at, 1, it, bt)",
                             "index_add.default(at, 0, n, a3)", "tril.default(at)", "triu.default(at)"}) {
        EXPECT_EQ(result_of(call), "float32 [4, 8] [8, 1]") << call;
    }
    EXPECT_EQ(result_of("index_put.default(at, [n], a3)"), "float32 [4, 8] [1, 4]");
    EXPECT_EQ(result_of("_log_softmax_backward_data.default(at, bt, -1, torch.float32)"), "unknown");
}

TEST(ShapeRulesAtEdges, InPlaceOperatorsThatChangeSizesAreUnknown) {
    EXPECT_EQ(result_of("add_.Tensor(at, a)"), "float32 [4, 8] [1, 4]");
    for (const char* call : {"squeeze_.dim(q, 0)", "unsqueeze_.default(a, 0)", "t_.default(a)",
                             "transpose_.default(a, 0, 1)", "resize_.default(a, [2, 2])"}) {
        EXPECT_EQ(result_of(call), "unknown") << call;
    }
}

TEST(ShapeRulesAtEdges, DtypesOfOtherKinds) {
    EXPECT_EQ(result_of("square.default(i)"), "int64 [4, 8] [8, 1]");
    EXPECT_EQ(result_of("square.default(m)"), "unknown");  // int64
    EXPECT_EQ(result_of("abs.default(c)"), "unknown");     // float32
    EXPECT_EQ(result_of("cat.default([e, i])"), "float32 [4, 8] [8, 1]");
    EXPECT_EQ(result_of("cat.default([a, i], 1)"), "float32 [4, 16] [16, 1]");
    EXPECT_EQ(result_of("index.Tensor(a, [u])"), "unknown");  // a mask
}

TEST(ShapeRulesAtEdges, StatisticsOfLayerNormDependOnTheDevice) {
    EXPECT_EQ(result_of("native_layer_norm.default(h, [8], w, w, 1e-5)"), "unknown");
    EXPECT_EQ(result_of("native_layer_norm.default(g, [8], v, v, 1e-5)"), "bfloat16 [4, 8] [8, 1]");
}

TEST(ShapeRulesAtEdges, ImpossibleArgumentsAreNotTaken) {
    for (const char* call :
         {"repeat.default(a, [4611686018427387904, 1])", "repeat.default(a, [-1, 1])", "permute.default(a, [0, 0])",
          "topk.default(a, 1000)", "narrow.default(a, 1, 6, 4)", "sum.dim_IntList(a, [0, 0])",
          "as_strided.default(a, [4, 9], [9, 1])", "split_with_sizes.default(a, [9223372036854775807, 5], 1)",
          "slice.Tensor(a, 0, 0, 4, 4611686018427387904)", "arange.start(-9223372036854775807, 5)"}) {
        EXPECT_EQ(result_of(call), "unknown") << call;
    }
    EXPECT_EQ(result_of("narrow.default(a, 1, -2, 2)"), "float32 [4, 2] [8, 1] from 6");
    EXPECT_EQ(result_of("as_strided.default(a, [4, 8], [1, 4])"), "float32 [4, 8] [1, 4]");
}

TEST(ShapeRulesAtEdges, PartsAndCopiesHaveTheSizesThatAreAsked) {
    EXPECT_EQ(result_of("topk.default(a, 2)"), "float32 [4, 2] [2, 1]");
    EXPECT_EQ(result_of("topk.default(a, 2, 0)"), "float32 [2, 8] [8, 1]");
    EXPECT_EQ(result_of("split.Tensor(a, 1)"), "float32 [1, 8] [8, 1]");
    EXPECT_EQ(result_of("repeat.default(a, [3, 2])"), "float32 [12, 16] [16, 1]");
    EXPECT_EQ(result_of("repeat.default(a, [5, 0, 2])"), "float32 [5, 0, 16] [16, 16, 1]");
    EXPECT_EQ(result_of("_softmax_backward_data.default(a, a, -1, torch.bfloat16)"), "bfloat16 [4, 8] [8, 1]");
    EXPECT_EQ(result_of("_softmax_backward_data.default(a, a, -1)"), "float32 [4, 8] [8, 1]");
}

TEST(ShapeRulesAtEdges, ViewsBeginWhereTheirPartDoes) {
    EXPECT_EQ(result_of("as_strided.default(a, [2, 3], [8, 1], 9)"), "float32 [2, 3] [8, 1] from 9");
    EXPECT_EQ(result_of("slice.Tensor(a, 0, 1, 3)"), "float32 [2, 8] [8, 1] from 8");
    EXPECT_EQ(result_of("slice.Tensor(at, 1, 2)"), "float32 [4, 6] [1, 4] from 8");
    EXPECT_EQ(result_of("select.int(a, 1, 3)"), "float32 [4] [8] from 3");
}

TEST(ShapeRulesAtEdges, NewDimensionsAreInFrontAndRepeatWhereTheyAreLonger) {
    EXPECT_EQ(result_of("expand.default(a, [3, 4, 8])"), "float32 [3, 4, 8] [0, 8, 1]");
    EXPECT_EQ(result_of("expand.default(a, [2, -1, 8])"), "float32 [2, 4, 8] [0, 8, 1]");
    EXPECT_EQ(result_of("expand.default(a, [1, 4, 8])"), "float32 [1, 4, 8] [32, 8, 1]");
    EXPECT_EQ(result_of("expand.default(q, [3, 4])"), "float32 [3, 4] [0, 1]");
}

}  // namespace
}  // namespace overlap
