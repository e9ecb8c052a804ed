// Operators that work element by element: broadcasting, promotion of dtypes, strides in the order of the inputs
// (aten/src/ATen/TensorIterator.cpp).

#include <algorithm>
#include <array>

#include "core/imports/operators/shape_rules.h"

namespace overlap {
namespace {

/// What an operator makes of the dtype that its inputs promote to.
enum class ResultDtype { same, floating, boolean };

/// Tensors with dimensions decide before those without, those before numbers; of different kinds the higher one wins.
struct Promotion {
    std::optional<Dtype> with_dimensions, without_dimensions;
    std::optional<DtypeCategory> number;

    static void merge(std::optional<Dtype>& known, Dtype dtype) {
        if (!known) {
            known = dtype;
            return;
        }
        known = promote_dtypes(*known, dtype);
        if (!known) throw UnknownShape{"torch does not promote these dtypes"};
    }

    void add(const KnownTensor& tensor) {
        merge(tensor.rank() == 0 ? without_dimensions : with_dimensions, tensor.dtype);
    }

    void add_number(const Value& value) {
        if (!value.is(ValueKind::boolean) && !value.is(ValueKind::integer) && !value.is(ValueKind::floating) &&
            !value.is(ValueKind::special_float)) {
            throw UnknownShape{"an argument is neither a tensor nor a number"};
        }
        const DtypeCategory category = value.is(ValueKind::boolean)   ? DtypeCategory::boolean
                                       : value.is(ValueKind::integer) ? DtypeCategory::integral
                                                                      : DtypeCategory::floating;
        if (!number || category > *number) number = category;
    }

    Dtype result() const {
        std::optional<Dtype> dtype = with_dimensions;
        if (without_dimensions && (!dtype || dtype_category(*without_dimensions) > dtype_category(*dtype))) {
            if (dtype && dtype_category(*dtype) == DtypeCategory::floating) {
                throw UnknownShape{"a complex tensor without dimensions meets another dtype"};
            }
            // A zero-dimensional tensor of a higher kind brings its own dtype, as torch's result_type has it.
            dtype = without_dimensions;
        }
        if (!dtype) throw UnknownShape{"it has no tensor argument"};
        if (number && *number > dtype_category(*dtype)) {
            return *dtype_by_name(*number == DtypeCategory::integral ? "int64" : "float32");
        }
        return *dtype;
    }
};

/// Strides of a tensor for the dimensions of a shape that it is broadcast to.
Sizes broadcast_strides(const KnownTensor& tensor, const Sizes& shape) {
    Sizes strides(shape.size(), 0);
    const std::size_t front = shape.size() - tensor.rank();
    for (std::size_t dimension = 0; dimension < tensor.rank(); ++dimension) {
        const bool spread = tensor.shape[dimension] == 1 && shape[front + dimension] != 1;
        strides[front + dimension] = spread ? 0 : tensor.stride[dimension];
    }
    return strides;
}

Sizes iterator_strides(const Sizes& shape, std::span<const KnownTensor* const> inputs) {
    bool same_shape = true;
    bool all_contiguous = true;
    bool all_channels_last = true;
    bool all_dense_alike = true;
    for (const KnownTensor* input : inputs) {
        same_shape = same_shape && input->shape == shape;
        all_contiguous = all_contiguous && input->is_contiguous();
        all_channels_last = all_channels_last && input->is_channels_last() && input->is_dense();
        all_dense_alike = all_dense_alike && input->is_dense() && input->stride == inputs[0]->stride;
    }
    if (same_shape && all_contiguous) return contiguous_strides(shape);
    if (same_shape && !all_channels_last && all_dense_alike) return inputs[0]->stride;
    std::vector<Sizes> operands;
    for (const KnownTensor* input : inputs) operands.push_back(broadcast_strides(*input, shape));
    return strides_in_order_of(shape, operands);
}

/// The device of the first tensor with dimensions, else of the first tensor.
StringId common_device(std::span<const KnownTensor* const> inputs) {
    for (const KnownTensor* input : inputs) {
        if (input->rank() > 0) return input->device;
    }
    return inputs[0]->device;
}

void elementwise(ShapeCall& call, std::size_t operands, ResultDtype result) {
    std::vector<const KnownTensor*> inputs;
    std::vector<Sizes> shapes;
    Promotion promotion;
    if (call.positional().size() < operands) throw UnknownShape{"its operands are not given by position"};
    for (const Value& value : call.positional().first(operands)) {
        if (value.is(ValueKind::none)) continue;
        if (!value.is(ValueKind::node)) {
            promotion.add_number(value);
            continue;
        }
        inputs.push_back(&call.tensor_of(value));
        shapes.push_back(inputs.back()->shape);
        promotion.add(*inputs.back());
    }
    if (inputs.empty()) throw UnknownShape{"it has no tensor argument"};
    const std::optional<Sizes> shape = broadcast(shapes);
    if (!shape) throw UnknownShape{"its inputs cannot be broadcast together"};
    Dtype dtype = promotion.result();
    if (result == ResultDtype::boolean) dtype = *dtype_by_name("bool");
    if (result == ResultDtype::floating && dtype_category(dtype) < DtypeCategory::floating) {
        dtype = *dtype_by_name("float32");
    }
    call.returns(call.fresh(dtype, *shape, common_device(inputs), iterator_strides(*shape, inputs)));
}

void unary(ShapeCall& call) {
    elementwise(call, 1, ResultDtype::same);
}
/// Magnitudes of complex numbers are real.
void magnitude(ShapeCall& call) {
    if (dtype_category(call.tensor(0, "self").dtype) == DtypeCategory::complex) {
        throw UnknownShape{"its input is complex"};
    }
    unary(call);
}

/// `square` is `pow(self, 2)`, which makes integers of booleans.
void square(ShapeCall& call) {
    if (dtype_category(call.tensor(0, "self").dtype) == DtypeCategory::boolean) {
        throw UnknownShape{"its input is boolean"};
    }
    unary(call);
}

/// Bounds that are numbers take part in promotion: of those of a higher kind than the input nothing is said.
void clamp(ShapeCall& call) {
    const DtypeCategory category = dtype_category(call.tensor(0, "self").dtype);
    for (const Value* bound : {call.argument(1, "min"), call.argument(2, "max")}) {
        if (!bound || bound->is(ValueKind::none)) continue;
        const bool is_integer = bound->is(ValueKind::integer) && category >= DtypeCategory::integral;
        if (!is_integer && category != DtypeCategory::floating) throw UnknownShape{"its bounds change its dtype"};
    }
    unary(call);
}

void unary_floating(ShapeCall& call) {
    elementwise(call, 1, ResultDtype::floating);
}
void unary_boolean(ShapeCall& call) {
    elementwise(call, 1, ResultDtype::boolean);
}
void binary(ShapeCall& call) {
    elementwise(call, 2, ResultDtype::same);
}
void binary_floating(ShapeCall& call) {
    elementwise(call, 2, ResultDtype::floating);
}
void binary_boolean(ShapeCall& call) {
    elementwise(call, 2, ResultDtype::boolean);
}
void ternary(ShapeCall& call) {
    elementwise(call, 3, ResultDtype::same);
}

/// Division that rounds keeps integers.
void division(ShapeCall& call) {
    elementwise(call, 2, call.is_given(2, "rounding_mode") ? ResultDtype::same : ResultDtype::floating);
}

void where(ShapeCall& call) {
    const KnownTensor& condition = call.tensor(0, "condition");
    const KnownTensor& left = call.tensor(1, "self");
    const KnownTensor& right = call.tensor(2, "other");
    const std::array inputs{&condition, &left, &right};
    const std::optional<Sizes> shape = broadcast(std::array{condition.shape, left.shape, right.shape});
    if (!shape) throw UnknownShape{"its inputs cannot be broadcast together"};
    Promotion promotion;
    promotion.add(left);
    promotion.add(right);
    call.returns(call.fresh(promotion.result(), *shape, common_device(inputs), iterator_strides(*shape, inputs)));
}

/// `masked_fill(self, mask, value)`: the dtype is that of `self`, the result contiguous.
void masked_fill(ShapeCall& call) {
    const std::array inputs{&call.tensor(0, "self"), &call.tensor(1, "mask")};
    const std::optional<Sizes> shape = broadcast(std::array{inputs[0]->shape, inputs[1]->shape});
    if (!shape) throw UnknownShape{"its inputs cannot be broadcast together"};
    if (*shape != inputs[0]->shape) throw UnknownShape{"its mask is larger than its input"};
    call.returns(call.fresh(inputs[0]->dtype, *shape, inputs[0]->device));
}

Sizes strides_of_format(const KnownTensor& tensor, std::string_view format) {
    if (format.empty() || format == "preserve_format") return preserved_strides(tensor);
    if (format == "contiguous_format") return contiguous_strides(tensor.shape);
    throw UnknownShape{"its memory format is " + std::string(format)};
}

void clone(ShapeCall& call) {
    const KnownTensor& input = call.tensor(0, "self");
    const Sizes stride = strides_of_format(input, call.text(1, "memory_format"));
    call.returns(call.fresh(input.dtype, input.shape, input.device, stride));
}

void to_copy(ShapeCall& call) {
    const KnownTensor& input = call.tensor(0, "self");
    const Sizes stride = strides_of_format(input, call.text(6, "memory_format"));
    const Dtype dtype = call.dtype_or(1, "dtype", input.dtype);
    call.returns(call.fresh(dtype, input.shape, call.device_or(input.device), stride));
}

void convert_element_type(ShapeCall& call) {
    const KnownTensor& input = call.tensor(0, "a");
    const Dtype dtype = call.dtype_or(1, "dtype", input.dtype);
    call.returns(call.fresh(dtype, input.shape, input.device, preserved_strides(input)));
}

constexpr std::array pointwise = std::to_array<NamedShapeRule>({
    {"aten.abs", magnitude},
    {"aten.add", binary},
    {"aten.addcmul", ternary},
    {"aten.bitwise_and", binary},
    {"aten.bitwise_not", unary},
    {"aten.bitwise_or", binary},
    {"aten.bitwise_xor", binary},
    {"aten.ceil", unary},
    {"aten.clamp.Tensor", ternary},
    {"aten.clamp.default", clamp},
    {"aten.clamp_max.Tensor", binary},
    {"aten.clamp_max.default", clamp},
    {"aten.clamp_min.Tensor", binary},
    {"aten.clamp_min.default", clamp},
    {"aten.clone", clone},
    {"aten.cos", unary_floating},
    {"aten.div", division},
    {"aten.div.Scalar_mode", division},
    {"aten.div.Tensor_mode", division},
    {"aten.eq", binary_boolean},
    {"aten.erf", unary_floating},
    {"aten.exp", unary_floating},
    {"aten.floor", unary},
    {"aten.floor_divide", binary},
    {"aten.ge", binary_boolean},
    {"aten.gelu", unary},
    {"aten.gelu_backward", binary},
    {"aten.gt", binary_boolean},
    {"aten.isinf", unary_boolean},
    {"aten.isnan", unary_boolean},
    {"aten.le", binary_boolean},
    {"aten.log", unary_floating},
    {"aten.log1p", unary_floating},
    {"aten.logical_and", binary_boolean},
    {"aten.logical_not", unary_boolean},
    {"aten.logical_or", binary_boolean},
    {"aten.lt", binary_boolean},
    {"aten.masked_fill", masked_fill},
    {"aten.maximum", binary},
    {"aten.minimum", binary},
    {"aten.mul", binary},
    {"aten.ne", binary_boolean},
    {"aten.neg", unary},
    {"aten.pow.Tensor_Scalar", binary},
    {"aten.pow.Tensor_Tensor", binary},
    {"aten.reciprocal", unary_floating},
    {"aten.relu", unary},
    {"aten.remainder", binary},
    {"aten.round", unary},
    {"aten.round.decimals", unary},
    {"aten.rsqrt", unary_floating},
    {"aten.rsub", binary},
    {"aten.sigmoid", unary_floating},
    {"aten.sigmoid_backward", binary},
    {"aten.sign", unary},
    {"aten.silu", unary},
    {"aten.silu_backward", binary},
    {"aten.sin", unary_floating},
    {"aten.sqrt", unary_floating},
    {"aten.square", square},
    {"aten.sub", binary},
    {"aten.tanh", unary_floating},
    {"aten.tanh_backward", binary},
    {"aten.threshold_backward", binary},
    {"aten.true_divide", binary_floating},
    {"aten.where.self", where},
    {"aten._to_copy", to_copy},
    {"prims.convert_element_type", convert_element_type},
});

}  // namespace

std::span<const NamedShapeRule> pointwise_rules() {
    return pointwise;
}

}  // namespace overlap
