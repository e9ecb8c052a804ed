#include "core/cost/flop_formulas.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/error.h"

namespace overlap {

namespace {

/// Counts are products of sizes; a long double holds those below 2^64 exactly.
using Count = long double;
using Shape = std::span<const std::int64_t>;

struct NamedFormula {
    std::string_view operator_name;  ///< without overload
    FlopFormula formula;
};

constexpr std::array formulas = std::to_array<NamedFormula>({
    {"aten.mm", FlopFormula::matrix_multiply},
    {"aten.bmm", FlopFormula::matrix_multiply},
    {"aten._scaled_mm", FlopFormula::matrix_multiply},
    {"aten.addmm", FlopFormula::matrix_multiply_add},
    {"aten.baddbmm", FlopFormula::matrix_multiply_add},
    {"aten.convolution", FlopFormula::convolution},
    {"aten._convolution", FlopFormula::convolution},
    {"aten.cudnn_convolution", FlopFormula::convolution},
    {"aten.convolution_overrideable", FlopFormula::convolution},
    {"aten._slow_conv2d_forward", FlopFormula::convolution},
    {"aten.convolution_backward", FlopFormula::convolution_backward},
    {"aten._scaled_dot_product_efficient_attention", FlopFormula::attention},
    {"aten._scaled_dot_product_flash_attention", FlopFormula::attention},
    {"aten._scaled_dot_product_flash_attention_for_cpu", FlopFormula::attention},
    {"aten._scaled_dot_product_cudnn_attention", FlopFormula::attention},
    {"aten._scaled_dot_product_efficient_attention_backward", FlopFormula::attention_backward},
    {"aten._scaled_dot_product_flash_attention_backward", FlopFormula::attention_backward},
    {"aten._scaled_dot_product_flash_attention_for_cpu_backward", FlopFormula::attention_backward},
    {"aten._scaled_dot_product_cudnn_attention_backward", FlopFormula::attention_backward},
    {"aten._flash_attention_forward", FlopFormula::flash_attention},
    {"aten._flash_attention_backward", FlopFormula::flash_attention_backward},
    {"aten._efficient_attention_forward", FlopFormula::efficient_attention},
    {"aten._efficient_attention_backward", FlopFormula::efficient_attention_backward},
});

/// Reads the arguments of one node and complains in its name.
class Arguments {
  public:
    Arguments(const Graph& graph, NodeId node, std::size_t first) : graph_(graph), node_(node), first_(first) {}

    [[noreturn]] void refuse(const std::string& problem) const {
        throw InputError("node \"" + std::string(graph_.name(node_)) + "\"", problem);
    }

    const Value* value(std::size_t index) const { return graph_.argument(node_, first_ + index); }

    bool is_none(std::size_t index) const { return !value(index) || value(index)->is(ValueKind::none); }

    Shape shape(std::size_t index, std::size_t rank = 0) const {
        const Value* argument = value(index);
        if (argument && argument->is(ValueKind::node)) {
            const std::span<const TensorMeta> outputs = graph_.outputs(argument->node);
            if (!outputs.empty() && outputs[0].is_tensor) return checked(graph_.shape(outputs[0]), rank, index);
        }
        refuse("argument " + std::to_string(first_ + index) + " of " + std::string(graph_.target(node_)) +
               " is no tensor, so its floating-point operations cannot be counted");
    }

    Shape output_shape(std::size_t index) const {
        const std::span<const TensorMeta> outputs = graph_.outputs(node_);
        if (index >= outputs.size() || !outputs[index].is_tensor) {
            refuse("output " + std::to_string(index) + " of " + std::string(graph_.target(node_)) + " is no tensor");
        }
        return graph_.shape(outputs[index]);
    }

    bool truth(std::size_t index) const {
        const Value* argument = value(index);
        if (!argument) return false;
        if (argument->is(ValueKind::boolean)) return argument->boolean;
        return argument->is(ValueKind::integer) && argument->integer != 0;
    }

    std::int64_t integer(std::size_t index) const {
        const Value* argument = value(index);
        if (argument && argument->is(ValueKind::integer)) return argument->integer;
        if (argument && argument->is(ValueKind::symbol)) {
            const std::span<const Value> parts = graph_.children(*argument);
            if (parts.size() == 2 && parts[1].is(ValueKind::integer)) return parts[1].integer;
        }
        refuse("argument " + std::to_string(first_ + index) + " is no integer, so the longest sequence is not known");
    }

    const Graph& graph() const { return graph_; }

  private:
    Shape checked(Shape found, std::size_t rank, std::size_t index) const {
        if (rank != 0 && found.size() != rank) {
            refuse("argument " + std::to_string(first_ + index) + " of " + std::string(graph_.target(node_)) + " has " +
                   std::to_string(found.size()) + " dimensions, expected " + std::to_string(rank));
        }
        return found;
    }

    const Graph& graph_;
    NodeId node_;
    std::size_t first_;
};

Count product(Shape sizes) {
    Count result = 1;
    for (const std::int64_t size : sizes) result *= static_cast<Count>(size);
    return result;
}

/// Multiply-adds of batch matrix products count twice.
Count multiply(Count batch, std::int64_t rows, std::int64_t inner, std::int64_t columns) {
    return batch * static_cast<Count>(rows) * static_cast<Count>(columns) * 2 * static_cast<Count>(inner);
}

Count matrix_multiply(const Arguments& arguments, std::size_t first) {
    const Shape left = arguments.shape(first);
    const Shape right = arguments.shape(first + 1);
    const std::size_t rank = left.size();
    const bool batched = rank == 3;
    if ((rank != 2 && rank != 3) || right.size() != rank || left[rank - 1] != right[rank - 2] ||
        (batched && left[0] != right[0])) {
        arguments.refuse("the shapes of the two matrices do not fit one another");
    }
    return multiply(batched ? static_cast<Count>(left[0]) : 1, left[rank - 2], left[rank - 1], right[rank - 1]);
}

/// A shape of a convolution: batch and channels (or output and input channels), then spatial sizes.
struct ConvolutionShape {
    std::int64_t first, second;
    Shape spatial;

    ConvolutionShape swapped() const { return {second, first, spatial}; }
};

ConvolutionShape convolution_shape(const Arguments& arguments, Shape shape) {
    if (shape.size() < 2) arguments.refuse("a tensor of a convolution has fewer than 2 dimensions");
    return {shape[0], shape[1], shape.subspan(2)};
}

/// Each point of the output (of the input, when transposed) meets the whole filter.
Count convolve(const ConvolutionShape& input, const ConvolutionShape& weight, const ConvolutionShape& output,
               bool transposed) {
    const Shape points = transposed ? input.spatial : output.spatial;
    return product(points) * product(weight.spatial) * static_cast<Count>(input.first) *
           static_cast<Count>(weight.first) * static_cast<Count>(weight.second) * 2;
}

Count convolution(const Arguments& arguments) {
    return convolve(convolution_shape(arguments, arguments.shape(0)), convolution_shape(arguments, arguments.shape(1)),
                    convolution_shape(arguments, arguments.output_shape(0)), arguments.truth(6));
}

Count convolution_backward(const Arguments& arguments) {
    const ConvolutionShape gradient = convolution_shape(arguments, arguments.shape(0));
    const ConvolutionShape input = convolution_shape(arguments, arguments.shape(1));
    const ConvolutionShape weight = convolution_shape(arguments, arguments.shape(2));
    const bool transposed = arguments.truth(7);
    const Value* mask = arguments.value(10);
    const std::span<const Value> wanted = mask ? arguments.graph().children(*mask) : std::span<const Value>{};
    const auto is_wanted = [&](std::size_t index) {
        return index < wanted.size() && wanted[index].is(ValueKind::boolean) && wanted[index].boolean;
    };
    Count flops = 0;
    if (is_wanted(0)) {
        const ConvolutionShape input_gradient = convolution_shape(arguments, arguments.output_shape(0));
        flops += convolve(gradient, weight, input_gradient, !transposed);
    }
    if (is_wanted(1)) {
        const ConvolutionShape weight_gradient = convolution_shape(arguments, arguments.output_shape(1)).swapped();
        flops += transposed ? convolve(gradient.swapped(), input.swapped(), weight_gradient, false)
                            : convolve(input.swapped(), gradient.swapped(), weight_gradient, false);
    }
    return flops;
}

/// Sizes of one attention after heads and sequence are distinguished.
struct AttentionSizes {
    std::int64_t batch = 0, query_heads = 0, query_length = 0, query_width = 0;
    std::int64_t key_heads = 0, key_length = 0, key_width = 0;
    std::int64_t value_heads = 0, value_length = 0, value_width = 0;
};

AttentionSizes attention_sizes(const Arguments& arguments, std::size_t query, bool heads_after_sequence) {
    const Shape q = arguments.shape(query, 4);
    const Shape k = arguments.shape(query + 1, 4);
    const Shape v = arguments.shape(query + 2, 4);
    if (q[0] != k[0] || q[0] != v[0]) arguments.refuse("query, key and value have different batch sizes");
    const std::size_t heads = heads_after_sequence ? 2 : 1;
    const std::size_t length = heads_after_sequence ? 1 : 2;
    return {q[0], q[heads], q[length], q[3], k[heads], k[length], k[3], v[heads], v[length], v[3]};
}

Count attention(const Arguments& arguments, const AttentionSizes& sizes, bool backward) {
    if (sizes.key_heads != sizes.value_heads || sizes.query_width != sizes.key_width ||
        sizes.key_length != sizes.value_length || sizes.key_heads <= 0 || sizes.query_heads < sizes.key_heads ||
        sizes.query_heads % sizes.key_heads != 0) {
        arguments.refuse("the shapes of query, key and value do not fit one another");
    }
    const Count batch = static_cast<Count>(sizes.batch) * static_cast<Count>(sizes.query_heads);
    const Count scores = multiply(batch, sizes.query_length, sizes.query_width, sizes.key_length);
    const Count values = multiply(batch, sizes.query_length, sizes.key_length, sizes.value_width);
    // Backward: scores once more, then gradients of scores and value through the second product, of query and key
    // through the first.
    return backward ? 3 * scores + 2 * values : scores + values;
}

/// Jagged batches carry offsets; their values are not known, so each sequence counts with the longest length.
Count jagged_attention(const Arguments& arguments, std::size_t query, std::size_t offsets, bool backward) {
    const std::size_t rank = arguments.shape(query).size();
    if (rank != 3 && rank != 4) arguments.refuse("the query of a jagged attention has neither 3 nor 4 dimensions");
    const std::size_t leading = rank - 2;  // dimensions before heads: tokens, or batch too
    const auto heads_and_width = [&](std::size_t index) {
        const Shape shape = arguments.shape(index, leading + 2);
        return std::pair(shape[leading], shape[leading + 1]);
    };
    const Shape query_offsets = arguments.shape(offsets, 1);
    const Shape key_offsets = arguments.shape(offsets + 1, 1);
    if (query_offsets[0] != key_offsets[0]) arguments.refuse("the offsets of query and key have different lengths");
    AttentionSizes sizes;
    sizes.batch = 1;
    sizes.query_length = arguments.integer(offsets + 2);
    sizes.key_length = sizes.value_length = arguments.integer(offsets + 3);
    std::tie(sizes.query_heads, sizes.query_width) = heads_and_width(query);
    std::tie(sizes.key_heads, sizes.key_width) = heads_and_width(query + 1);
    std::tie(sizes.value_heads, sizes.value_width) = heads_and_width(query + 2);
    const Count sequences = static_cast<Count>(std::max<std::int64_t>(query_offsets[0] - 1, 0));
    return sequences * attention(arguments, sizes, backward);
}

Count flex_attention(const Arguments& arguments) {
    const Shape q = arguments.shape(0, 4);
    const Shape k = arguments.shape(1, 4);
    const Shape v = arguments.shape(2, 4);
    return static_cast<Count>(q[0]) * static_cast<Count>(q[1]) * static_cast<Count>(q[2]) * static_cast<Count>(k[2]) *
           (static_cast<Count>(q[3]) + static_cast<Count>(v[3]));
}

/// _flash_attention_* and _efficient_attention_*: `offsets` is the argument that makes the batch jagged.
Count kernel_attention(const Arguments& arguments, std::size_t query, std::size_t offsets, bool swap, bool backward) {
    if (!arguments.is_none(offsets)) return jagged_attention(arguments, query, offsets, backward);
    return attention(arguments, attention_sizes(arguments, query, swap), backward);
}

}  // namespace

FlopFormula flop_formula(std::string_view target) {
    if (target == "higher_order.flex_attention") return FlopFormula::flex_attention;
    if (target == "higher_order.flex_attention_backward") return FlopFormula::flex_attention_backward;
    if (!target.starts_with("aten.")) return FlopFormula::none;
    const std::string_view without_overload = target.substr(0, target.find('.', 5));
    for (const NamedFormula& entry : formulas) {
        if (entry.operator_name == without_overload) return entry.formula;
    }
    return FlopFormula::none;
}

double count_flops(const Graph& graph, NodeId node, FlopFormula formula, std::size_t first_argument) {
    const Arguments arguments(graph, node, first_argument);
    Count flops = 0;
    switch (formula) {
        case FlopFormula::none:
            break;
        case FlopFormula::matrix_multiply:
            flops = matrix_multiply(arguments, 0);
            break;
        case FlopFormula::matrix_multiply_add:
            flops = matrix_multiply(arguments, 1);
            break;
        case FlopFormula::convolution:
            flops = convolution(arguments);
            break;
        case FlopFormula::convolution_backward:
            flops = convolution_backward(arguments);
            break;
        case FlopFormula::attention:
            flops = attention(arguments, attention_sizes(arguments, 0, false), false);
            break;
        case FlopFormula::attention_backward:
            flops = attention(arguments, attention_sizes(arguments, 1, false), true);
            break;
        case FlopFormula::flash_attention:
            flops = kernel_attention(arguments, 0, 3, true, false);
            break;
        case FlopFormula::flash_attention_backward:
            flops = kernel_attention(arguments, 1, 6, true, true);
            break;
        case FlopFormula::efficient_attention:
            flops = kernel_attention(arguments, 0, 4, false, false);
            break;
        case FlopFormula::efficient_attention_backward:
            flops = kernel_attention(arguments, 1, 6, false, true);
            break;
        case FlopFormula::flex_attention:
            flops = flex_attention(arguments);
            break;
        case FlopFormula::flex_attention_backward:
            flops = flex_attention(arguments) * 5 / 2;
            break;
    }
    return static_cast<double>(flops);
}

}  // namespace overlap
