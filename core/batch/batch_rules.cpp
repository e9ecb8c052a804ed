#include "core/batch/batch_rules.h"

#include <initializer_list>
#include <map>
#include <string_view>

#include "core/batch/compute_rules.h"
#include "core/batch/element_rules.h"
#include "core/batch/part_rules.h"
#include "core/batch/rule_call.h"

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
                          "aten.bernoulli.p",
                          "aten.bernoulli_.float",
                          "aten.bitwise_and.Tensor",
                          "aten.bitwise_not.default",
                          "aten.bitwise_or.Tensor",
                          "aten.clamp.default",
                          "aten.clamp_max.default",
                          "aten.clamp_min.default",
                          "aten.clone.default",
                          "aten.copy_.default",
                          "aten.cos.default",
                          "aten.cumsum.default",
                          "aten.detach.default",
                          "aten.div.Scalar",
                          "aten.div.Tensor",
                          "aten.div_.Scalar",
                          "aten.div_.Tensor",
                          "aten.empty_like.default",
                          "aten.eq.Scalar",
                          "aten.eq.Tensor",
                          "aten.erf.default",
                          "aten.exp.default",
                          "aten.expand.default",
                          "aten.expm1.default",
                          "aten.fill.Scalar",
                          "aten.fill_.Scalar",
                          "aten.flip.default",
                          "aten.floor.default",
                          "aten.full_like.default",
                          "aten.ge.Scalar",
                          "aten.ge.Tensor",
                          "aten.gelu.default",
                          "aten.gelu_backward.default",
                          "aten.gt.Scalar",
                          "aten.gt.Tensor",
                          "aten.isnan.default",
                          "aten.le.Scalar",
                          "aten.le.Tensor",
                          "aten.leaky_relu.default",
                          "aten.lift_fresh_copy.default",
                          "aten.log.default",
                          "aten.log1p.default",
                          "aten.logical_and.default",
                          "aten.logical_not.default",
                          "aten.logical_or.default",
                          "aten.lt.Scalar",
                          "aten.lt.Tensor",
                          "aten.masked_fill.Scalar",
                          "aten.masked_fill.Tensor",
                          "aten.masked_fill_.Scalar",
                          "aten.maximum.default",
                          "aten.minimum.default",
                          "aten.mse_loss_backward.default",
                          "aten.mul.Scalar",
                          "aten.mul.Tensor",
                          "aten.mul_.Scalar",
                          "aten.mul_.Tensor",
                          "aten.native_dropout.default",
                          "aten.native_dropout_backward.default",
                          "aten.ne.Scalar",
                          "aten.ne.Tensor",
                          "aten.neg.default",
                          "aten.ones_like.default",
                          "aten.pow.Tensor_Scalar",
                          "aten.pow.Tensor_Tensor",
                          "aten.rand_like.default",
                          "aten.randn_like.default",
                          "aten.reciprocal.default",
                          "aten.relu.default",
                          "aten.remainder.Scalar",
                          "aten.rsqrt.default",
                          "aten.rsub.Scalar",
                          "aten.sigmoid.default",
                          "aten.sigmoid_backward.default",
                          "aten.sign.default",
                          "aten.silu.default",
                          "aten.silu_backward.default",
                          "aten.sin.default",
                          "aten.softplus.default",
                          "aten.sqrt.default",
                          "aten.sub.Scalar",
                          "aten.sub.Tensor",
                          "aten.sub_.Scalar",
                          "aten.sub_.Tensor",
                          "aten.tanh.default",
                          "aten.tanh_backward.default",
                          "aten.threshold_backward.default",
                          "aten.tril.default",
                          "aten.triu.default",
                          "aten.where.self",
                          "aten.xlogy.Tensor",
                          "aten.zero_.default",
                          "aten.zeros_like.default",
                          "_c10d_functional.all_reduce.default",
                          "_c10d_functional.all_reduce_.default",
                          "_c10d_functional.wait_tensor.default",
                          "prims.convert_element_type.default"});
        put(normalization, {"aten._fused_rms_norm.default", "aten._fused_rms_norm_backward.default",
                            "aten.native_layer_norm.default", "aten.native_layer_norm_backward.default"});
        put(view, {"aten._unsafe_view.default", "aten.reshape.default", "aten.view.default"});
        put(complex_view, {"aten.view_as_complex.default", "aten.view_as_real.default"});
        put(transpose, {"aten.t.default", "aten.transpose.int"});
        put(permute, {"aten.permute.default"});
        put(unsqueeze, {"aten.unsqueeze.default"});
        put(squeeze, {"aten.squeeze.dim", "aten.squeeze.dims"});
        put(reduction, {"aten.amax.default", "aten.amin.default", "aten.any.default", "aten.any.dim",
                        "aten.argmax.default", "aten.logsumexp.default", "aten.mean.default", "aten.mean.dim",
                        "aten.sum.default", "aten.sum.dim_IntList"});
        put(select, {"aten.select.int"});
        put(matrix_product, {"aten.bmm.default", "aten.mm.default"});
        put(added_product, {"aten.addmm.default", "aten.baddbmm.default"});
        put(concatenation, {"aten.cat.default"});
        put(parts, {"aten.split.Tensor", "aten.split_with_sizes.default"});
        put(stack, {"aten.stack.default"});
        put(roll, {"aten.roll.default"});
        put(pad, {"aten.constant_pad_nd.default"});
        put(slice, {"aten.slice.Tensor"});
        put(slice_backward, {"aten.slice_backward.default"});
        put(select_backward, {"aten.select_backward.default"});
        put(embedding, {"aten.embedding.default"});
        put(embedding_backward, {"aten.embedding_dense_backward.default"});
        put(index, {"aten.index.Tensor"});
        put(index_put, {"aten.index_put.default", "aten.index_put_.default"});
        put(index_select, {"aten.index_select.default"});
        put(scatter, {"aten.scatter.src", "aten.scatter.value", "aten.scatter_.src", "aten.scatter_.value",
                      "aten.scatter_add.default"});
        put(gather, {"aten.gather.default"});
        put(loss, {"aten.nll_loss2d_forward.default", "aten.nll_loss_forward.default"});
        put(loss_backward, {"aten.nll_loss2d_backward.default", "aten.nll_loss_backward.default"});
        put(loss_of_elements, {"aten.binary_cross_entropy_with_logits.default", "aten.mse_loss.default"});
        put(attention,
            {"aten._scaled_dot_product_cudnn_attention.default", "aten._scaled_dot_product_flash_attention.default",
             "aten._scaled_dot_product_flash_attention_for_cpu.default"});
        put(attention_backward, {"aten._scaled_dot_product_cudnn_attention_backward.default",
                                 "aten._scaled_dot_product_flash_attention_backward.default",
                                 "aten._scaled_dot_product_flash_attention_for_cpu_backward.default"});
        put(collective,
            {"_c10d_functional.all_gather_into_tensor.default", "_c10d_functional.reduce_scatter_tensor.default"});
        put(item_of_tuple, {"operator.getitem"});
        put(free_of_inputs, {"aten.arange.default", "aten.empty.memory_format", "aten.full.default",
                             "aten.new_empty.default", "aten.new_full.default", "aten.new_zeros.default",
                             "aten.ones.default", "aten.scalar_tensor.default", "aten.zeros.default"});
        return made;
    }();
    return table;
}

}  // namespace

bool relate_dimensions(DimensionClasses& classes, NodeId node) {
    classes.visit(node);
    const Graph& graph = classes.graph();
    if (graph.op(node) != NodeOp::call_function) return graph.op(node) != NodeOp::call_module;
    const auto rule = rules().find(graph.target(node));
    const bool known = rule != rules().end() && rule->second(OperatorCall(classes, node));
    return !classes.take_unfit() && known;
}

bool has_batch_rule(std::string_view target) {
    return rules().contains(target);
}

bool has_free_sizes(std::string_view target) {
    const auto rule = rules().find(target);
    return target == "aten.expand.default" || (rule != rules().end() && rule->second == &free_of_inputs);
}

}  // namespace overlap
