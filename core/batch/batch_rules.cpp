#include "core/batch/batch_rules.h"

#include <initializer_list>
#include <map>
#include <string_view>

#include "core/batch/compute_rules.h"
#include "core/batch/rule_call.h"
#include "core/batch/shape_rules.h"

namespace overlap {
namespace {

/// Of operators that make tensors of sizes alone: what reads them decides.
bool free_of_inputs(const OperatorCall&) {
    return true;
}

const std::map<std::string_view, BatchRule>& rules() {
    using namespace batch_rules;
    static const std::map<std::string_view, BatchRule> table = [] {
        std::map<std::string_view, BatchRule> made;
        const auto put = [&](BatchRule rule, std::initializer_list<std::string_view> targets) {
            for (const std::string_view target : targets) made[target] = rule;
        };
        put(elementwise, {"aten._conj.default",
                          "aten._fused_rms_norm.default",
                          "aten._fused_rms_norm_backward.default",
                          "aten._log_softmax.default",
                          "aten._log_softmax_backward_data.default",
                          "aten._softmax.default",
                          "aten._softmax_backward_data.default",
                          "aten._to_copy.default",
                          "aten.abs.default",
                          "aten.add.Scalar",
                          "aten.add.Tensor",
                          "aten.add_.Scalar",
                          "aten.add_.Tensor",
                          "aten.alias.default",
                          "aten.bitwise_and.Tensor",
                          "aten.bitwise_not.default",
                          "aten.bitwise_or.Tensor",
                          "aten.clamp.default",
                          "aten.clone.default",
                          "aten.copy_.default",
                          "aten.cos.default",
                          "aten.detach.default",
                          "aten.div.Scalar",
                          "aten.div.Tensor",
                          "aten.eq.Scalar",
                          "aten.exp.default",
                          "aten.expand.default",
                          "aten.full_like.default",
                          "aten.ge.Scalar",
                          "aten.gelu.default",
                          "aten.gelu_backward.default",
                          "aten.gt.Scalar",
                          "aten.le.Scalar",
                          "aten.log.default",
                          "aten.logical_not.default",
                          "aten.lt.Scalar",
                          "aten.masked_fill.Scalar",
                          "aten.masked_fill_.Scalar",
                          "aten.mul.Scalar",
                          "aten.mul.Tensor",
                          "aten.native_layer_norm.default",
                          "aten.native_layer_norm_backward.default",
                          "aten.ne.Scalar",
                          "aten.neg.default",
                          "aten.ones_like.default",
                          "aten.pow.Tensor_Scalar",
                          "aten.reciprocal.default",
                          "aten.relu.default",
                          "aten.rsqrt.default",
                          "aten.sigmoid.default",
                          "aten.silu.default",
                          "aten.silu_backward.default",
                          "aten.sin.default",
                          "aten.sqrt.default",
                          "aten.sub.Scalar",
                          "aten.sub.Tensor",
                          "aten.tanh.default",
                          "aten.threshold_backward.default",
                          "aten.where.self",
                          "aten.zeros_like.default",
                          "prims.convert_element_type.default",
                          "_c10d_functional.all_reduce.default",
                          "_c10d_functional.wait_tensor.default"});
        put(view, {"aten._unsafe_view.default", "aten.reshape.default", "aten.view.default"});
        put(complex_view, {"aten.view_as_complex.default", "aten.view_as_real.default"});
        put(transpose, {"aten.t.default", "aten.transpose.int"});
        put(permute, {"aten.permute.default"});
        put(unsqueeze, {"aten.unsqueeze.default"});
        put(squeeze, {"aten.squeeze.dim", "aten.squeeze.dims"});
        put(reduction, {"aten.amax.default", "aten.mean.dim", "aten.sum.default", "aten.sum.dim_IntList"});
        put(select, {"aten.select.int"});
        put(matrix_product, {"aten.bmm.default", "aten.mm.default"});
        put(added_product, {"aten.addmm.default", "aten.baddbmm.default"});
        put(concatenation, {"aten.cat.default"});
        put(parts, {"aten.split.Tensor", "aten.split_with_sizes.default"});
        put(slice, {"aten.slice.Tensor"});
        put(embedding, {"aten.embedding.default"});
        put(embedding_backward, {"aten.embedding_dense_backward.default"});
        put(index, {"aten.index.Tensor"});
        put(index_put, {"aten.index_put.default", "aten.index_put_.default"});
        put(gather, {"aten.gather.default"});
        put(loss, {"aten.nll_loss_forward.default"});
        put(loss_backward, {"aten.nll_loss_backward.default"});
        put(attention,
            {"aten._scaled_dot_product_cudnn_attention.default", "aten._scaled_dot_product_flash_attention.default",
             "aten._scaled_dot_product_flash_attention_for_cpu.default"});
        put(attention_backward, {"aten._scaled_dot_product_cudnn_attention_backward.default",
                                 "aten._scaled_dot_product_flash_attention_backward.default",
                                 "aten._scaled_dot_product_flash_attention_for_cpu_backward.default"});
        put(collective,
            {"_c10d_functional.all_gather_into_tensor.default", "_c10d_functional.reduce_scatter_tensor.default"});
        put(item_of_tuple, {"operator.getitem"});
        put(free_of_inputs,
            {"aten.arange.default", "aten.empty.memory_format", "aten.full.default", "aten.new_empty.default",
             "aten.new_zeros.default", "aten.ones.default", "aten.scalar_tensor.default", "aten.zeros.default"});
        return made;
    }();
    return table;
}

}  // namespace

bool relate_dimensions(DimensionClasses& classes, NodeId node) {
    const Graph& graph = classes.graph();
    if (graph.op(node) != NodeOp::call_function) return graph.op(node) != NodeOp::call_module;
    const auto rule = rules().find(graph.target(node));
    const bool known = rule != rules().end() && rule->second(OperatorCall(classes, node));
    return !classes.take_unfit() && known;
}

}  // namespace overlap
