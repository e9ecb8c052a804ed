#include "core/predict/compiled_times.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/rounding.h"
#include "core/cost/compute_class.h"
#include "core/cost/cost_model.h"
#include "core/cost/flop_rate.h"
#include "core/cost/fused_products.h"
#include "core/cost/fused_values.h"
#include "core/cost/host_transfers.h"
#include "core/predict/block_regions.h"
#include "core/predict/flex_attention.h"
#include "core/predict/matrix_products.h"

namespace overlap {
namespace {

constexpr double ms_per_s = 1e3;

/// Where an attention operator has the argument that makes it causal (torch 2.15, native_functions.yaml).
struct CausalArgument {
    std::string_view operator_name;  ///< without overload
    std::size_t index;               ///< of `is_causal`, or of `custom_mask_type`, which is 0 where nothing is masked
};

constexpr auto causal_arguments = std::to_array<CausalArgument>({
    {"aten._scaled_dot_product_flash_attention", 4},
    {"aten._scaled_dot_product_flash_attention_backward", 11},
    {"aten._scaled_dot_product_flash_attention_for_cpu", 4},
    {"aten._scaled_dot_product_flash_attention_for_cpu_backward", 7},
    {"aten._scaled_dot_product_cudnn_attention", 6},
    {"aten._scaled_dot_product_cudnn_attention_backward", 14},
    {"aten._scaled_dot_product_efficient_attention", 6},
    {"aten._scaled_dot_product_efficient_attention_backward", 11},
    {"aten._flash_attention_forward", 8},
    {"aten._flash_attention_backward", 11},
    {"aten._efficient_attention_forward", 9},
    {"aten._efficient_attention_backward", 14},
});

/// Other booleans, such as `compute_log_sumexp`, stand among the arguments too.
bool is_causal(const Graph& graph, NodeId node) {
    const std::string_view target = graph.target(node);
    const std::string_view name = target.substr(0, target.find('.', std::string_view("aten.").size()));
    const Value* given = graph.keyword(node, "is_causal");
    const auto known = std::ranges::find(causal_arguments, name, &CausalArgument::operator_name);
    if (!given && known != causal_arguments.end()) given = graph.argument(node, known->index);
    if (!given) return false;
    return given->is(ValueKind::boolean) ? given->boolean : given->is(ValueKind::integer) && given->integer != 0;
}

class KernelPricing {
  public:
    KernelPricing(const Graph& graph, const Compilation& compilation, const CostParameters& cost)
        : graph_(graph), compilation_(compilation), cost_(cost) {
        for (const ComputeClass computing : computing_classes)
            classes_[static_cast<std::size_t>(computing)] = overlap::class_cost(cost, computing);
    }

    /// @param bytes_read by the kernel.
    double time_ms(const FusedKernel& kernel, std::int64_t bytes_read) {
        if (kernel.role == KernelRole::collective) return analytic_time_ms(graph_, kernel.nodes.front());
        const double memory_ms = bytes_ms(bytes_read + kernel.bytes_written);
        if (kernel.role != KernelRole::library) return memory_ms + class_cost(ComputeClass::memory).overhead_ms;
        const NodeId node = kernel.nodes.front();
        if (const std::optional<MatrixProduct> product = matrix_product(graph_, node)) {
            const CostParameters::ClassCost& products = class_cost(ComputeClass::matrix_multiply);
            const double flops_per_s = product_peak(node) * products.efficiency;
            return std::max(memory_ms, product->flops() / flops_per_s * ms_per_s) + products.overhead_ms;
        }
        const CostParameters::ClassCost& of_class = class_cost(compute_class(graph_, node));
        const double flops = node_flops(graph_, node) * density(node);
        return std::max(memory_ms, flops / (peak(node) * of_class.efficiency) * ms_per_s) + of_class.overhead_ms;
    }

    double copy_ms(std::int64_t bytes) const { return bytes_ms(bytes) + class_cost(ComputeClass::memory).overhead_ms; }

  private:
    const CostParameters::ClassCost& class_cost(ComputeClass of_node) const {
        return classes_[static_cast<std::size_t>(of_node)];
    }

    double bytes_ms(std::int64_t bytes) const {
        const double rate = cost_.memory_bytes_per_s * class_cost(ComputeClass::memory).efficiency;
        return static_cast<double>(bytes) / rate * ms_per_s;
    }

    /// Of the flops that node_flops() counts. It counts flex attention's causal half already, and all of the others'.
    double density(NodeId node) const {
        if (compute_class(graph_, node) != ComputeClass::attention) return 1;
        constexpr double causal_half = 0.5;
        if (is_flex_attention(graph_, node)) return compilation_.attention_density / causal_half;
        return is_causal(graph_, node) ? causal_half : 1;
    }

    /// Of a product of 8-bit floats that of its factors, where the model knows it.
    double product_peak(NodeId node) const {
        if (graph_.target(node).starts_with("aten._scaled_mm.") && !graph_.inputs(node).empty()) {
            const std::span<const TensorMeta> factor = graph_.outputs(graph_.inputs(node).front());
            const auto rate = factor.empty() || !factor[0].is_tensor
                                  ? cost_.flops_per_s.end()
                                  : cost_.flops_per_s.find(std::string(dtype_info(factor[0].dtype).name));
            if (rate != cost_.flops_per_s.end()) return rate->second;
        }
        return peak(node);
    }

    double peak(NodeId node) const {
        const std::span<const TensorMeta> outputs = graph_.outputs(node);
        const auto output = std::ranges::find_if(outputs, [](const TensorMeta& tensor) { return tensor.is_tensor; });
        if (output == outputs.end()) return 1;
        return flop_rate(cost_, output->dtype);
    }

    const Graph& graph_;
    const Compilation& compilation_;
    const CostParameters& cost_;
    std::array<CostParameters::ClassCost, compute_class_count> classes_;
};

/// Gives each operator of a kernel a part of its time, by what it returns.
void share(const Graph& graph, const FusedKernel& kernel, double time_ms, std::vector<double>& times_ms) {
    const std::vector<double> parts = parts_of_kernel(graph, kernel.nodes);
    for (std::size_t index = 0; index < parts.size(); ++index)
        times_ms[kernel.nodes[index]] = round_to_six_decimals(time_ms * parts[index]);
}

/// What is read and written by a copy into tensors that it is given, as parts of a bucket's gather are copied out of
/// it (`split_with_sizes_copy.out`): it returns nothing, and estimates as traced take it for nothing.
std::optional<std::int64_t> bytes_of_copies_out(const Graph& graph, NodeId node) {
    const Value* given = graph.keyword(node, "out");
    if (!given || !graph.outputs(node).empty() || compute_class(graph, node) != ComputeClass::memory)
        return std::nullopt;
    std::int64_t written = 0;
    for_each_node(graph.values(), *given, [&](NodeId into) { written += graph.output_bytes(into); });
    return written > 0 ? std::optional(2 * written) : std::nullopt;
}

std::vector<bool> generated_nodes(const FusedKernels& kernels, const std::vector<std::int32_t>& regions) {
    std::vector<bool> generated(regions.size());
    for (std::size_t node = 0; node < regions.size(); ++node) {
        const std::int32_t kernel = kernels.kernel_of_node[node];
        const KernelRole role =
            kernel < 0 ? KernelRole::pointwise : kernels.kernels[static_cast<std::size_t>(kernel)].role;
        generated[node] =
            regions[node] != not_compiled && role != KernelRole::library && role != KernelRole::collective;
    }
    return generated;
}

}  // namespace

CompiledTimes compiled_times(const Graph& given, const Compilation& compilation) {
    const FusedValues values(given);
    const Graph& graph = values.graph();
    if (!graph.header().cost) {
        throw InputError("", "times of a compiled job follow from a cost model, and the graph has none",
                         ErrorCode::no_cost_model);
    }
    CompiledTimes result;
    result.times_ms.assign(graph.node_count(), 0);
    const std::vector<std::int32_t> regions = compiled_regions(graph, compilation.scope);
    result.kernels = fused_kernels(graph, regions);
    result.generated = generated_nodes(result.kernels, regions);
    KernelPricing pricing(graph, compilation, *graph.header().cost);
    result.without_reading_ms = result.times_ms;
    for (const FusedKernel& kernel : result.kernels.kernels) {
        share(graph, kernel, pricing.time_ms(kernel, kernel.bytes_read), result.times_ms);
        share(graph, kernel, pricing.time_ms(kernel, 0), result.without_reading_ms);
    }
    // The share of the matrix rate that built-in models have was fitted to compiled jobs without these copies.
    for (NodeId node = 0; compilation.scope == CompiledScope::eager && node < graph.node_count(); ++node) {
        if (const std::optional<std::int64_t> bytes = bytes_of_copies_out(graph, node))
            result.times_ms[node] = round_to_six_decimals(pricing.copy_ms(*bytes));
    }
    // A compiler leaves copies to the host and back as they are.
    for (std::vector<double>* times_ms : {&result.times_ms, &result.without_reading_ms})
        price_host_transfers(given, *times_ms);
    price_fused_products(given, false, result.times_ms);
    return result;
}

}  // namespace overlap
