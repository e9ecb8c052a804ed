// Sums, maxima, softmax, losses and norms.

#include <algorithm>
#include <array>

#include "core/imports/operators/shape_rules.h"

namespace overlap {
namespace {

/// The shape without the dimensions of argument 1; all of them where none are given.
Sizes reduced_shape(ShapeCall& call, const KnownTensor& self) {
    std::vector<bool> gone(self.rank(), true);
    if (call.is_given(1, "dim")) {
        const Sizes dimensions = call.integers(1, "dim");
        if (!dimensions.empty()) gone.assign(self.rank(), false);
        for (std::int64_t dimension : dimensions) {
            if (dimension < 0) dimension += static_cast<std::int64_t>(self.rank());
            if (dimension < 0 || dimension >= static_cast<std::int64_t>(self.rank())) {
                throw UnknownShape{"it names a dimension that its input does not have"};
            }
            if (gone[static_cast<std::size_t>(dimension)]) throw UnknownShape{"it names a dimension twice"};
            gone[static_cast<std::size_t>(dimension)] = true;
        }
    }
    const bool keeps = call.flag(2, "keepdim", false);
    Sizes shape;
    for (std::size_t index = 0; index < self.rank(); ++index) {
        if (!gone[index]) {
            shape.push_back(self.shape[index]);
        } else if (keeps) {
            shape.push_back(1);
        }
    }
    return shape;
}

void reduction(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    call.returns(call.fresh(self.dtype, reduced_shape(call, self), self.device));
}

void boolean_reduction(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    const bool is_bytes = dtype_info(self.dtype).name == "uint8";
    call.returns(call.fresh(is_bytes ? self.dtype : *dtype_by_name("bool"), reduced_shape(call, self), self.device));
}

/// Sums of integers are int64.
Dtype summed_dtype(ShapeCall& call, std::size_t index, Dtype dtype) {
    const Dtype result = dtype_category(dtype) < DtypeCategory::floating ? *dtype_by_name("int64") : dtype;
    return call.dtype_or(index, "dtype", result);
}

void sum(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    call.returns(call.fresh(summed_dtype(call, 1000, self.dtype), reduced_shape(call, self), self.device));
}

void sum_of_all(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    call.returns(call.fresh(summed_dtype(call, 1000, self.dtype), {}, self.device));
}

void mean(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    call.returns(call.fresh(call.dtype_or(1000, "dtype", self.dtype), reduced_shape(call, self), self.device));
}

void cumulative_sum(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    call.returns(call.fresh(summed_dtype(call, 1000, self.dtype), self.shape, self.device));
}

void softmax(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    const bool widens = call.flag(2, "half_to_float", false);
    call.returns(call.fresh(widens ? *dtype_by_name("float32") : self.dtype, self.shape, self.device));
}

void softmax_backward(ShapeCall& call) {
    const KnownTensor& gradient = call.tensor(0, "grad_output");
    if (!gradient.is_contiguous() || !call.tensor(1, "output").is_contiguous()) {
        throw UnknownShape{"its inputs are not contiguous"};
    }
    call.returns(call.fresh(call.dtype_or(3, "input_dtype", gradient.dtype), gradient.shape, gradient.device));
}

void nll_loss_forward(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    const bool reduces = call.integer(3, "reduction") != 0;
    Sizes shape;
    if (!reduces && self.rank() == 2) shape.push_back(self.shape[0]);
    call.returns(call.fresh(self.dtype, std::move(shape), self.device));
    call.returns(call.fresh(self.dtype, {}, self.device));
}

void nll_loss_backward(ShapeCall& call) {
    const KnownTensor& self = call.tensor(1, "self");
    call.returns(call.fresh(self.dtype, self.shape, self.device));
}

/// The dtype in which norms accumulate.
Dtype accumulated(Dtype dtype) {
    return dtype_info(dtype).bytes < 4 ? *dtype_by_name("float32") : dtype;
}

/// Sizes in front of the normalised ones, which are 1.
Sizes statistics_shape(const KnownTensor& input, std::size_t normalised) {
    if (normalised > input.rank()) throw UnknownShape{"it normalises more dimensions than its input has"};
    Sizes shape = input.shape;
    std::fill(shape.end() - static_cast<std::ptrdiff_t>(normalised), shape.end(), 1);
    return shape;
}

void rms_norm(ShapeCall& call) {
    const KnownTensor& input = call.tensor(0, "input");
    const std::size_t normalised = call.integers(1, "normalized_shape").size();
    call.returns(call.fresh(input.dtype, input.shape, input.device));
    call.returns(call.fresh(accumulated(input.dtype), statistics_shape(input, normalised), input.device));
}

void layer_norm(ShapeCall& call) {
    const KnownTensor& input = call.tensor(0, "input");
    const std::size_t normalised = call.integers(1, "normalized_shape").size();
    // On other devices than CUDA statistics of narrow dtypes are narrow on some (the CPU) and wide on others.
    if (accumulated(input.dtype) != input.dtype && input.device != call.device("cuda")) {
        throw UnknownShape{"the dtype of its statistics depends on its device"};
    }
    call.returns(call.fresh(input.dtype, input.shape, input.device));
    for (int statistic = 0; statistic < 2; ++statistic) {
        call.returns(call.fresh(accumulated(input.dtype), statistics_shape(input, normalised), input.device));
    }
}

void returns_gradient(ShapeCall& call, bool wanted, const KnownTensor* of) {
    if (wanted && of) {
        call.returns(call.fresh(of->dtype, of->shape, of->device));
    } else {
        call.returns_none();
    }
}

std::vector<bool> output_mask(ShapeCall& call, std::size_t index, std::size_t count) {
    const Sizes flags = call.integers(index, "output_mask");
    if (flags.size() != count) throw UnknownShape{"its output mask does not fit"};
    return {flags.begin(), flags.end()};
}

void rms_norm_backward(ShapeCall& call) {
    const std::vector<bool> mask = output_mask(call, 5, 2);
    returns_gradient(call, mask[0], &call.tensor(1, "input"));
    returns_gradient(call, mask[1], call.optional_tensor(4, "weight"));
}

void layer_norm_backward(ShapeCall& call) {
    const std::vector<bool> mask = output_mask(call, 7, 3);
    returns_gradient(call, mask[0], &call.tensor(1, "input"));
    returns_gradient(call, mask[1], call.optional_tensor(5, "weight"));
    returns_gradient(call, mask[2], call.optional_tensor(6, "bias"));
}

constexpr std::array reductions = std::to_array<NamedShapeRule>({
    {"aten._fused_rms_norm", rms_norm},
    {"aten._fused_rms_norm_backward", rms_norm_backward},
    {"aten._log_softmax", softmax},
    {"aten._log_softmax_backward_data", softmax_backward},
    {"aten._softmax", softmax},
    {"aten._softmax_backward_data", softmax_backward},
    {"aten.all", boolean_reduction},
    {"aten.all.dim", boolean_reduction},
    {"aten.amax", reduction},
    {"aten.amin", reduction},
    {"aten.any", boolean_reduction},
    {"aten.any.dim", boolean_reduction},
    {"aten.cumsum", cumulative_sum},
    {"aten.mean", mean},
    {"aten.mean.dim", mean},
    {"aten.native_layer_norm", layer_norm},
    {"aten.native_layer_norm_backward", layer_norm_backward},
    {"aten.nll_loss_backward", nll_loss_backward},
    {"aten.nll_loss_forward", nll_loss_forward},
    {"aten.prod.default", sum_of_all},
    {"aten.prod.dim_int", sum},
    {"aten.sum.default", sum_of_all},
    {"aten.sum.dim_IntList", sum},
});

}  // namespace

std::span<const NamedShapeRule> reduction_rules() {
    return reductions;
}

}  // namespace overlap
