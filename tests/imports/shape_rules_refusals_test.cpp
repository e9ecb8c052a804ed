// Calls of which no shape is said: the reason that the import's notes give. PyTorch 2.15 raises an error for most of
// them, or returns what depends on values.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/imports/fx/fx_text.h"

namespace overlap {
namespace {

/// Why the tensor of a call is unknown, after the operator's name; empty where it is known.
std::string reason_of(const std::string& call) {
    const std::string text = R"(class GraphModule(torch.nn.Module):
    def forward(self, a: "f32[4, 8][8, 1]cpu", at: "f32[4, 8][1, 4]cpu", b: "f32[5, 8][8, 1]cpu", i: "i64[4, 8][8, 1]cpu", m: "b8[4, 8][8, 1]cpu", c: "c64[4, 8][8, 1]cpu", c0: "c64[][]cpu", h: "f16[4, 8][8, 1]cpu", f8: "f8e4m3fn[4, 8][8, 1]cpu", big: "f32[3, 4, 8][32, 8, 1]cpu", z: "f32[][]cpu", e: "f32[0][1]cpu", n: "i64[3][1]cpu", n4: "i64[4][1]cpu", x: "f32[2, 3, 4, 5][60, 20, 5, 1]cpu", y: "f32[3, 3, 4, 5][60, 20, 5, 1]cpu", k: "f32[2, 3, 4, 4][48, 1, 12, 3]cpu", what):
        pair = torch.ops.aten.topk.default(a, 2)
        r = torch.ops.)" + call +
                             R"(
        return (r, pair)
)";
    const ImportedGraph imported = read_fx_text(text, find_fx_functions(text).at(0), {});
    std::string reasons;
    for (const auto& [operation, count] : imported.typing.unknown_operators) {
        reasons.append(reasons.empty() ? "" : "; ").append(operation.substr(operation.find(": ") + 2));
        EXPECT_EQ(count, 1u) << call;
    }
    return reasons;
}

using Cases = std::vector<std::pair<std::string, std::string>>;

void expect_reasons(const Cases& cases) {
    for (const auto& [call, reason] : cases) EXPECT_EQ(reason_of(call), reason) << call;
}

TEST(ShapeRulesRefuse, ArgumentsOfAnotherKind) {
    expect_reasons({
        {"aten.nothing.default(a)", "no rule"},
        {"aten.neg.default(what)", "its input is unknown"},
        {"aten.detach.default(pair)", "an argument is no tensor"},
        {"aten.detach.default(3)", "an argument is no tensor"},
        {"aten.detach.default()", "argument 0 (self) is not given"},
        {"aten.cat.default(a)", "argument 0 (tensors) is no list"},
        {"aten.cat.default()", "argument 0 (tensors) is no list"},
        {"aten.view.default(a)", "argument 1 (size) is not given"},
        {"aten.view.default(a, [a, 8])", "a size is known only at run time"},
        {"aten.select.int(a, 0)", "argument 2 (index) is not given"},
        {"aten.zeros.default([2], device = 3)", "its device is not given"},
        {"aten.zeros.default([2], dtype = torch.no_dtype)", "its dtype is none that graphs have"},
        {"aten.zeros.default([2], dtype = None)", ""},
        {"aten.select.int(a, 2, 0)", "it names a dimension that its input does not have"},
        {"aten.select.int(a, -3, 0)", "it names a dimension that its input does not have"},
        {"aten.add.Tensor(a)", "its operands are not given by position"},
        {"aten.add.Tensor(a, 'x')", "an argument is neither a tensor nor a number"},
        {"aten.add.Tensor(1, 2)", "it has no tensor argument"},
    });
}

TEST(ShapeRulesRefuse, SizesBeyondAllMemory) {
    std::string many;
    for (int dimension = 0; dimension < 65; ++dimension) many += dimension == 0 ? "1" : ", 1";
    expect_reasons({
        {"aten.zeros.default([" + many + "])", "it has more than 64 dimensions"},
        {"aten.zeros.default([-1])", "a tensor has more than 2^56 elements or a negative size"},
        {"aten.zeros.default([4294967296, 4294967296])", "a tensor has more than 2^56 elements or a negative size"},
        {"aten.zeros.default([9223372036854775807, 9223372036854775807])",
         "a tensor has more than 2^56 elements or a negative size"},
        {"aten.empty_strided.default([4], [4611686018427387904])", "a tensor reaches further than 2^56 elements"},
    });
}

TEST(ShapeRulesRefuse, CallsWithoutADimensionThatTheyMustName) {
    expect_reasons({
        {"aten.transpose.int(a)", "argument 1 (dim0) is not given"},
        {"aten.transpose.int(a, 1)", "argument 2 (dim1) is not given"},
        {"aten.unsqueeze.default(a)", "argument 1 (dim) is not given"},
        {"aten.narrow.default(a, start = 0, length = 1)", "argument 1 (dim) is not given"},
        {"aten.select.int(a, index = 0)", "argument 1 (dim) is not given"},
        {"aten.index_select.default(a, index = n)", "argument 1 (dim) is not given"},
        {"aten.sym_size.int(a)", "argument 1 (dim) is not given"},
        {"aten.sym_stride.int(a)", "argument 1 (dim) is not given"},
    });
}

TEST(ShapeRulesRefuse, ViewsThatDoNotFit) {
    expect_reasons({
        {"aten.view.default(a, [-1, -1])", "its sizes are impossible"},
        {"aten.view.default(a, [9223372036854775807, 2])", "its sizes are impossible"},
        {"aten.view.default(a, [-1, 5])", "its sizes do not fit its input"},
        {"aten.view.default(e, [-1, 0])", "its sizes do not fit its input"},
        {"aten.view.default(a, [4, 7])", "its sizes do not fit its input"},
        {"aten.view.default(at, [32])", "its input cannot be viewed in these sizes"},
        {"aten.view.dtype(at, torch.float64)", "its last dimension is not contiguous"},
        {"aten.view.dtype(z, torch.float64)", "its last dimension is not contiguous"},
        {"aten.view.dtype(m, torch.complex128)", "its sizes do not fit the new dtype"},
        {"aten.permute.default(a, [0])", "its dimensions do not fit its input"},
        {"aten.permute.default(a, [0, 2])", "it names a dimension that its input does not have"},
        {"aten.permute.default(a, [0, -3])", "it names a dimension that its input does not have"},
        {"aten.permute.default(a, [1, -1])", "it names a dimension twice"},
        {"aten.expand.default(a, [8])", "it has fewer dimensions than its input"},
        {"aten.expand.default(a, [4, 9])", "its sizes do not fit its input"},
        {"aten.expand.default(a, [-1, 4, 8])", "its sizes do not fit its input"},
        {"aten.squeeze.dim(a, 2)", "it names a dimension that its input does not have"},
        {"aten.squeeze.dims(a, [0, -3])", "it names a dimension that its input does not have"},
        {"aten.slice.Tensor(a, 0, 0, 4, 0)", "its step is not positive"},
        {"aten.slice.Tensor(a, 0, 0, 4, 4611686018427387904)", "its step is impossible"},
        {"aten.narrow.default(a, 1, 9, 0)", "its part reaches outside of its input"},
        {"aten.narrow.default(a, 1, -9, 1)", "its part reaches outside of its input"},
        {"aten.narrow.default(a, 1, 0, -1)", "its part reaches outside of its input"},
        {"aten.select.int(a, 0, 4)", "its index is outside of its input"},
        {"aten.select.int(a, 0, -5)", "its index is outside of its input"},
        {"aten.split_with_sizes.default(a, [3], 1)", "its sizes do not fit its input"},
        {"aten.split_with_sizes.default(a, [9, -1], 1)", "its sizes do not fit its input"},
        {"aten.split.Tensor(a, 0)", "its sizes are impossible"},
        {"aten.chunk.default(a, 0)", "its sizes are impossible"},
        {"aten.as_strided.default(a, [4], [8, 1])", "its sizes and strides differ in number"},
        {"aten.as_strided.default(a, [-4], [8])", "it reaches outside of its input's memory"},
        {"aten.as_strided.default(a, [4], [-8])", "it reaches outside of its input's memory"},
        {"aten.as_strided.default(a, [4], [8], -1)", "it reaches outside of its input's memory"},
        {"aten.as_strided.default(a, [4], [8], 9223372036854775807)", "it reaches outside of its input's memory"},
        {"aten.as_strided.default(a, [5], [8])", "it reaches outside of its input's memory"},
        {"aten.view_as_real.default(a)", "its input is not complex"},
        {"aten.view_as_complex.default(a)", "its input is no list of pairs"},
        {"aten.view_as_complex.default(z)", "its input is no list of pairs"},
    });
}

TEST(ShapeRulesRefuse, ElementByElement) {
    expect_reasons({
        {"aten.add.Tensor(f8, h)", "torch does not promote these dtypes"},
        {"aten.add.Tensor(a, c0)", "a complex tensor without dimensions meets another dtype"},
        {"aten.add.Tensor(a, b)", "its inputs cannot be broadcast together"},
        {"aten.abs.default(c)", "its input is complex"},
        {"aten.square.default(m)", "its input is boolean"},
        {"aten.clamp.default(i, 0.5)", "its bounds change its dtype"},
        {"aten.where.self(m, a, b)", "its inputs cannot be broadcast together"},
        {"aten.masked_fill.Scalar(b, m, 0)", "its inputs cannot be broadcast together"},
        {"aten.masked_fill.Scalar(z, m, 0)", "its mask is larger than its input"},
        {"aten.clone.default(x, memory_format = torch.channels_last)", "its memory format is channels_last"},
        {"aten._to_copy.default(x, memory_format = torch.channels_last)", "its memory format is channels_last"},
        {"aten.zeros_like.default(x, memory_format = torch.channels_last)", "its memory format is channels_last"},
    });
}

TEST(ShapeRulesRefuse, NewTensors) {
    expect_reasons({
        {"aten.empty.memory_format([2], memory_format = torch.channels_last)", "its memory format is not contiguous"},
        {"aten.full.default([2], a)", "its value is no number"},
        {"aten.full.default([2])", "its value is no number"},
        {"aten.arange.default(end = 3)", "its bounds are not given by position"},
        {"aten.arange.start_step(0, 1, 1, 1)", "its bounds are not given by position"},
        {"aten.arange.default(2.5)", "its bounds are not whole numbers"},
        {"aten.arange.start_step(0, 4, 0)", "its bounds are impossible"},
        {"aten.arange.start_step(4, 0, 1)", "its bounds are impossible"},
        {"aten.arange.start(-9223372036854775807, 5)", "its bounds are impossible"},
    });
}

TEST(ShapeRulesRefuse, PiecesAndIndices) {
    expect_reasons({
        {"aten.cat.default([f8, h])", "torch does not promote these dtypes"},
        {"aten.cat.default([e, e])", "it concatenates nothing"},
        {"aten.cat.default([])", "it concatenates nothing"},
        {"aten.cat.default([a, big])", "its inputs differ in their dimensions"},
        {"aten.cat.default([x, k])", "an input is in the order channels_last"},
        {"aten.cat.default([a, b], 1)", "its inputs differ in their sizes"},
        {"aten.stack.default([])", "it stacks nothing"},
        {"aten.stack.default([a, b])", "its inputs differ"},
        {"aten.stack.default([a, i])", "its inputs differ"},
        {"aten.stack.default([k, k])", "an input is in the order channels_last"},
        {"aten.embedding.default(big, n)", "its table has not two dimensions"},
        {"aten.embedding_dense_backward.default(z, n, 10, -1, False)", "its gradient has no dimensions"},
        {"aten.index.Tensor(a, n)", "its indices are no list"},
        {"aten.index.Tensor(a)", "its indices are no list"},
        {"aten.index.Tensor(a, [n, n, n])", "it has more indices than dimensions"},
        {"aten.index.Tensor(a, [m])", "how many elements its mask selects is known only at run time"},
        {"aten.index.Tensor(a, [n, n4])", "its indices do not fit together"},
        {"aten.index.Tensor(a, [None])", "its indices do not fit together"},
        {"aten.index.Tensor(at, [n])", "its input is not contiguous"},
        {"aten.index.Tensor(x, [None, n, None, n])", "its indices are not side by side"},
        {"aten.index_select.default(a, 0, i)", "its indices have not one dimension"},
        {"aten.topk.default(a, 9)", "it wants more elements than there are"},
        {"aten.topk.default(a, -1)", "it wants more elements than there are"},
        {"aten.repeat_interleave.Tensor(n)", "its length is known only at run time"},
        {"aten.repeat.default(a, [2])", "it has fewer numbers than its input has dimensions"},
        {"aten.repeat.default(a, [-1, 1])", "its sizes are impossible"},
        {"aten.repeat.default(a, [4611686018427387904, 1])", "its sizes are impossible"},
    });
}

TEST(ShapeRulesRefuse, ProductsReductionsAndAttention) {
    expect_reasons({
        {"aten.mm.default(a, a)", "the shapes of its matrices do not fit"},
        {"aten.mm.default(a, big)", "the shapes of its matrices do not fit"},
        {"aten.bmm.default(a, big)", "the shapes of its matrices do not fit"},
        {"aten.mv.default(n, n)", "the shapes of its arguments do not fit"},
        {"aten._grouped_mm.default(a, at)", "the shapes of its matrices do not fit"},
        {"aten.sum.dim_IntList(a, [2])", "it names a dimension that its input does not have"},
        {"aten.sum.dim_IntList(a, [-3])", "it names a dimension that its input does not have"},
        {"aten.sum.dim_IntList(a, [1, -1])", "it names a dimension twice"},
        {"aten._softmax_backward_data.default(at, at, -1, torch.float32)", "its inputs are not contiguous"},
        {"aten._softmax_backward_data.default(a, at, -1, torch.float32)", "its inputs are not contiguous"},
        {"aten._fused_rms_norm.default(a, [3, 4, 8], None, 1e-5)", "it normalises more dimensions than its input has"},
        {"aten.native_layer_norm.default(h, [8], None, None, 1e-5)",
         "the dtype of its statistics depends on its device"},
        {"aten._fused_rms_norm_backward.default(a, a, [8], a, None, [True])", "its output mask does not fit"},
        {"aten.native_layer_norm_backward.default(a, a, [8], a, a, None, None, [True, True])",
         "its output mask does not fit"},
        {"aten._scaled_dot_product_flash_attention.default(a, x, x)", "its inputs have not four dimensions"},
        {"aten._scaled_dot_product_flash_attention.default(x, x, big)", "its inputs have not four dimensions"},
        {"aten._scaled_dot_product_flash_attention.default(x, x, x, 0.0, False, True)",
         "it returns a mask for debugging"},
        {"higher_order.flex_attention_backward(x, y, y)", "its batches differ"},
    });
}

TEST(ShapeRulesRefuse, Collectives) {
    const std::string float32 = std::to_string(dtype_info(*dtype_by_name("float32")).torch_index);
    expect_reasons({
        {"_c10d_functional.all_gather_into_tensor.default(z, 4, '0')", "its input has no dimension to gather"},
        {"_c10d_functional.all_gather_into_tensor.default(a, 0, '0')", "its input has no dimension to gather"},
        {"_c10d_functional.all_gather_into_tensor.default(a, 9223372036854775807, '0')", "its sizes are impossible"},
        {"_c10d_functional.reduce_scatter_tensor.default(a, 'sum', 3, '0')",
         "its input cannot be divided among the group"},
        {"_c10d_functional.reduce_scatter_tensor.default(z, 'sum', 3, '0')",
         "its input cannot be divided among the group"},
        {"_c10d_functional.reduce_scatter_tensor.default(a, 'sum', 0, '0')",
         "its input cannot be divided among the group"},
        {"_c10d_functional.all_to_all_single.default(z, None, None, '0')", "its input has no dimension to exchange"},
        {"bucketing._pre_bucket_all_gather.default([a], 2, torch.float32, [6, 6], 0)",
         "its dtypes do not fit its inputs"},
        {"bucketing._pre_bucket_all_gather.default([], 2, torch.float32, [], 0)", "its dtypes do not fit its inputs"},
        {"bucketing._pre_bucket_all_gather.default([a], 2, torch.float32, [999], 0)",
         "its dtype is none in which parameters are gathered"},
        {"bucketing._pre_bucket_all_gather.default([a], 9223372036854775807, torch.float32, [" + float32 + "], 0)",
         "its sizes are impossible"},
        {"bucketing._pre_bucket_all_gather.default([a], -1, torch.float32, [" + float32 + "], 0)",
         "its sizes are impossible"},
        {"bucketing._pre_bucket_reduce_scatter.default([], 2)", "it has no inputs"},
        {"bucketing._pre_bucket_reduce_scatter.default([a], 2, [0])", "some of its inputs are not padded"},
    });
}

TEST(ShapeRulesRefuse, IntegersWithoutAValue) {
    expect_reasons({
        {"aten.sym_size.int(a, 2)", "it names a dimension that its input does not have"},
        {"aten.sym_numel.default(what)", "its input is unknown"},
    });
}

}  // namespace
}  // namespace overlap
