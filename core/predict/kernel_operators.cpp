#include "core/predict/kernel_operators.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/cost/compute_class.h"

namespace overlap {
namespace {

/// `sum` of `aten.sum.dim_IntList`.
std::string_view operator_name(std::string_view target) {
    const std::size_t first = target.find('.');
    if (first == std::string_view::npos) return target;
    const std::string_view rest = target.substr(first + 1);
    return rest.substr(0, rest.find('.'));
}

template <std::size_t count>
bool is_one_of(std::string_view name, const std::array<std::string_view, count>& names) {
    return std::ranges::find(names, name) != names.end();
}

/// Reduce the dimensions of argument 1, all without it.
constexpr auto reductions_over_dimensions =
    std::to_array<std::string_view>({"sum", "mean", "amax", "amin", "argmax", "argmin", "any", "all", "prod", "var",
                                     "std", "var_mean", "logsumexp", "linalg_vector_norm", "norm", "cumsum"});
/// Reduce the last dimension, and have a value for each element.
constexpr auto normalisations = std::to_array<std::string_view>(
    {"_softmax", "_log_softmax", "_softmax_backward_data", "_log_softmax_backward_data", "_fused_rms_norm",
     "_fused_rms_norm_backward", "native_layer_norm", "native_layer_norm_backward"});
constexpr auto with_statistics =
    std::to_array<std::string_view>({"_softmax", "_log_softmax", "_fused_rms_norm", "native_layer_norm"});
constexpr auto with_weight_gradient =
    std::to_array<std::string_view>({"_fused_rms_norm_backward", "native_layer_norm_backward"});
/// Inductor has no lowering of these as operators, but decomposes them into pointwise ones.
constexpr auto decomposed = std::to_array<std::string_view>(
    {"nll_loss_forward", "nll_loss_backward", "_to_copy", "embedding", "embedding_dense_backward", "masked_fill_",
     "masked_fill", "arange", "silu_backward", "gelu_backward", "ones_like", "zeros_like", "full_like", "new_zeros",
     "new_ones", "_unsafe_view"});
/// Of what they take only the shape counts.
constexpr auto fillings = std::to_array<std::string_view>(
    {"ones_like", "zeros_like", "full_like", "new_zeros", "new_ones", "new_full", "full", "zeros", "ones"});
constexpr auto scatterings =
    std::to_array<std::string_view>({"index_put", "index_put_", "scatter", "scatter_", "scatter_add", "scatter_add_"});
/// Lowered by Inductor to kernels of a library, or to ones that fuse with nothing.
constexpr auto libraries = std::to_array<std::string_view>({"topk", "sort", "index_put_", "index_put"});
/// Memory that nothing is written to.
constexpr auto allocations =
    std::to_array<std::string_view>({"empty", "new_empty", "empty_like", "empty_strided", "new_empty_strided"});

const TensorMeta* first_tensor(std::span<const TensorMeta> tensors) {
    const auto found = std::ranges::find_if(tensors, [](const TensorMeta& tensor) { return tensor.is_tensor; });
    return found == tensors.end() ? nullptr : &*found;
}

const TensorMeta* first_input(const Graph& graph, NodeId node) {
    for (const NodeId input : graph.inputs(node)) {
        if (const TensorMeta* tensor = first_tensor(graph.outputs(input))) return tensor;
    }
    return nullptr;
}

bool touches_complex(const Graph& graph, NodeId node) {
    return has_complex_output(graph, node) ||
           std::ranges::any_of(graph.inputs(node), [&](NodeId input) { return has_complex_output(graph, input); });
}

/// The dimensions that argument 1 names, from the front; none: all of them.
std::optional<std::vector<std::int64_t>> reduced_dimensions(const Graph& graph, NodeId node, std::int64_t rank) {
    const Value* named = graph.argument(node, 1);
    if (!named) named = graph.keyword(node, "dim");
    if (!named) return std::nullopt;
    std::vector<std::int64_t> dimensions;
    const auto add = [&](const Value& value) {
        if (value.is(ValueKind::integer))
            dimensions.push_back(value.integer < 0 ? value.integer + rank : value.integer);
    };
    if (named->is(ValueKind::integer)) {
        add(*named);
    } else if (named->is(ValueKind::list)) {
        for (const Value& value : graph.children(*named)) add(value);
    }
    if (dimensions.empty()) return std::nullopt;
    return dimensions;
}

KernelLoops reduction_loops(const Graph& graph, NodeId node, const TensorMeta& input) {
    const std::int64_t elements = graph.element_count(input);
    const std::span<const std::int64_t> shape = graph.shape(input);
    const auto dimensions = reduced_dimensions(graph, node, input.rank);
    KernelLoops loops{1, elements};
    if (!dimensions) return loops;
    loops.inner = 1;
    for (const std::int64_t dimension : *dimensions) {
        if (dimension >= 0 && dimension < input.rank) loops.inner *= shape[static_cast<std::size_t>(dimension)];
    }
    loops.outer = loops.inner > 0 ? elements / loops.inner : 0;
    loops.columns = std::ranges::find(*dimensions, input.rank - 1) == dimensions->end();
    return loops;
}

KernelLoops row_loops(const Graph& graph, const TensorMeta& input) {
    const std::span<const std::int64_t> shape = graph.shape(input);
    const std::int64_t inner = shape.empty() ? 1 : std::max<std::int64_t>(1, shape.back());
    return {graph.element_count(input) / inner, inner};
}

/// The gradient of an embedding is made in float32: filled with zeros, rows added to it, and converted at last.
std::int64_t scattering_bytes(const Graph& graph, const TensorMeta& gradient, const TensorMeta& output) {
    constexpr std::int64_t float32_bytes = 4;
    const std::int64_t table_bytes = graph.element_count(output) * float32_bytes;
    return 2 * table_bytes + std::min(table_bytes, graph.element_count(gradient) * float32_bytes);
}

/// Inductor copies only a tensor that does not lie as it is asked to.
bool lies_as_asked(const Graph& graph, NodeId node, const TensorMeta& output) {
    const TensorMeta* input = first_input(graph, node);
    return input && std::ranges::equal(graph.stride(*input), graph.stride(output));
}

}  // namespace

bool has_complex_output(const Graph& graph, NodeId node) {
    return std::ranges::any_of(graph.outputs(node), [](const TensorMeta& tensor) {
        return tensor.is_tensor && dtype_info(tensor.dtype).name.starts_with("complex");
    });
}

bool only_allocates(const Graph& graph, NodeId node) {
    return graph.op(node) == NodeOp::call_function && is_one_of(operator_name(graph.target(node)), allocations);
}

KernelOperator kernel_operator(const Graph& graph, NodeId node) {
    KernelOperator found;
    if (graph.op(node) != NodeOp::call_function) return found;
    const ComputeClass compute = compute_class(graph, node);
    if (compute == ComputeClass::nothing) return found;
    if (compute == ComputeClass::communication) return {.role = KernelRole::collective, .loops = {}};
    const TensorMeta* output = first_tensor(graph.outputs(node));
    const std::string_view name = operator_name(graph.target(node));
    if (!output || only_allocates(graph, node)) return found;
    if (name == "inductor_force_stride_order" && lies_as_asked(graph, node, *output)) return found;
    if (compute != ComputeClass::memory || touches_complex(graph, node) || is_one_of(name, libraries)) {
        found.role = KernelRole::library;
        found.scatters = is_one_of(name, scatterings);
        return found;
    }
    found.writes_argument = name.ends_with('_');
    found.fills = is_one_of(name, fillings);
    found.scatters = is_one_of(name, scatterings);
    const OperatorTraits& traits = graph.target_info(node).traits;
    const TensorMeta* input = first_input(graph, node);
    if (input && is_one_of(name, reductions_over_dimensions)) {
        found.role = KernelRole::reduction;
        found.loops = reduction_loops(graph, node, *input);
    } else if (input && is_one_of(name, normalisations)) {
        found.role = KernelRole::reduction;
        found.loops = row_loops(graph, *input);
        found.has_statistics = is_one_of(name, with_statistics);
        found.reduces_weight_gradient = is_one_of(name, with_weight_gradient);
    } else if (traits.fusible || traits.cheap || is_one_of(name, decomposed)) {
        found.role = KernelRole::pointwise;
        found.loops = {graph.element_count(*output), 1};
    } else {
        found.role = KernelRole::library;
    }
    if (name == "embedding_dense_backward" && input) found.extra_bytes = scattering_bytes(graph, *input, *output);
    return found;
}

}  // namespace overlap
