// Operators that make tensors from sizes, or from another tensor's.

#include <array>
#include <cmath>

#include "core/imports/operators/shape_rules.h"

namespace overlap {
namespace {

/// A new tensor in the given sizes; by torch's default a float32 on the CPU.
void of_sizes(ShapeCall& call) {
    const Dtype dtype = call.dtype_or(1000, "dtype", *dtype_by_name("float32"));
    const std::string_view format = call.text(1000, "memory_format");
    if (!format.empty() && format != "contiguous_format") throw UnknownShape{"its memory format is not contiguous"};
    call.returns(call.fresh(dtype, call.integers(0, "size"), call.device_or(call.device("cpu"))));
}

/// `full(size, value)`: without a dtype, that of the value.
void full(ShapeCall& call) {
    const Value* value = call.argument(1, "fill_value");
    std::string_view kind = "float32";
    const bool is_number = value && (value->is(ValueKind::boolean) || value->is(ValueKind::integer) ||
                                     value->is(ValueKind::floating) || value->is(ValueKind::special_float));
    if (!is_number && !call.is_given(1000, "dtype")) throw UnknownShape{"its value is no number"};
    if (value && value->is(ValueKind::boolean)) kind = "bool";
    if (value && value->is(ValueKind::integer)) kind = "int64";
    const Dtype dtype = call.dtype_or(1000, "dtype", *dtype_by_name(kind));
    call.returns(call.fresh(dtype, call.integers(0, "size"), call.device_or(call.device("cpu"))));
}

void scalar_tensor(ShapeCall& call) {
    const Dtype dtype = call.dtype_or(1000, "dtype", *dtype_by_name("float32"));
    call.returns(call.fresh(dtype, {}, call.device_or(call.device("cpu"))));
}

/// `new_zeros(self, size)` and its like.
void new_of_sizes(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    const Dtype dtype = call.dtype_or(1000, "dtype", self.dtype);
    call.returns(call.fresh(dtype, call.integers(1, "size"), call.device_or(self.device)));
}

void new_strided(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    const Dtype dtype = call.dtype_or(1000, "dtype", self.dtype);
    call.returns(call.fresh(dtype, call.integers(1, "size"), call.device_or(self.device), call.integers(2, "stride")));
}

void empty_strided(ShapeCall& call) {
    const Dtype dtype = call.dtype_or(1000, "dtype", *dtype_by_name("float32"));
    call.returns(
        call.fresh(dtype, call.integers(0, "size"), call.device_or(call.device("cpu")), call.integers(1, "stride")));
}

void like(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    const Dtype dtype = call.dtype_or(1000, "dtype", self.dtype);
    const std::string_view format = call.text(1000, "memory_format");
    const bool contiguous = format == "contiguous_format";
    if (!format.empty() && !contiguous && format != "preserve_format") {
        throw UnknownShape{"its memory format is " + std::string(format)};
    }
    call.returns(call.fresh(dtype, self.shape, call.device_or(self.device),
                            contiguous ? contiguous_strides(self.shape) : preserved_strides(self)));
}

void arange(ShapeCall& call) {
    const auto bounds = call.positional();
    if (bounds.empty() || bounds.size() > 3) throw UnknownShape{"its bounds are not given by position"};
    for (const Value& bound : bounds) {
        if (bound.is(ValueKind::floating)) throw UnknownShape{"its bounds are not whole numbers"};
    }
    const std::int64_t start = bounds.size() > 1 ? call.integer_of(bounds[0]) : 0;
    const std::int64_t end = call.integer_of(bounds.size() > 1 ? bounds[1] : bounds.front());
    const std::int64_t step = bounds.size() > 2 ? call.integer_of(bounds[2]) : 1;
    std::int64_t distance = 0;
    if (step == 0 || step == INT64_MIN || __builtin_sub_overflow(end, start, &distance) || distance == INT64_MIN ||
        (distance != 0 && (distance < 0) != (step < 0))) {
        throw UnknownShape{"its bounds are impossible"};
    }
    const std::int64_t count = distance / step + (distance % step != 0 ? 1 : 0);
    const Dtype dtype = call.dtype_or(1000, "dtype", *dtype_by_name("int64"));
    call.returns(call.fresh(dtype, {count}, call.device_or(call.device("cpu"))));
}

constexpr std::array creation = std::to_array<NamedShapeRule>({
    {"aten.arange", arange},
    {"aten.arange.start", arange},
    {"aten.arange.start_step", arange},
    {"aten.empty.memory_format", of_sizes},
    {"aten.empty_like", like},
    {"aten.empty_strided", empty_strided},
    {"aten.full", full},
    {"aten.full_like", like},
    {"aten.new_empty", new_of_sizes},
    {"aten.new_empty_strided", new_strided},
    {"aten.new_full", new_of_sizes},
    {"aten.new_ones", new_of_sizes},
    {"aten.new_zeros", new_of_sizes},
    {"aten.ones", of_sizes},
    {"aten.ones_like", like},
    {"aten.rand_like", like},
    {"aten.randn_like", like},
    {"aten.scalar_tensor", scalar_tensor},
    {"aten.zeros", of_sizes},
    {"aten.zeros_like", like},
});

}  // namespace

std::span<const NamedShapeRule> creation_rules() {
    return creation;
}

}  // namespace overlap
