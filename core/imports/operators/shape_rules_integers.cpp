// Sizes as values, and parts of tuples.

#include <array>

#include "core/imports/operators/shape_rules.h"

namespace overlap {
namespace {

void size_of(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    call.returns_value(self.shape[call.dimension(1, "dim", self.rank())]);
}

void element_count_of(ShapeCall& call) {
    call.returns_value(element_count(call.tensor(0, "self").shape));
}

void stride_of(ShapeCall& call) {
    const KnownTensor& self = call.tensor(0, "self");
    call.returns_value(self.stride[call.dimension(1, "dim", self.rank())]);
}

template <typename Combine>
void combined(ShapeCall& call, Combine&& combine) {
    std::int64_t result = 0;
    if (!combine(call.integer(0, "a"), call.integer(1, "b"), &result)) throw UnknownShape{"it has no integer value"};
    call.returns_value(result);
}

void sum(ShapeCall& call) {
    combined(call, [](auto left, auto right, auto* result) { return !__builtin_add_overflow(left, right, result); });
}

void difference(ShapeCall& call) {
    combined(call, [](auto left, auto right, auto* result) { return !__builtin_sub_overflow(left, right, result); });
}

void product(ShapeCall& call) {
    combined(call, [](auto left, auto right, auto* result) { return !__builtin_mul_overflow(left, right, result); });
}

void quotient(ShapeCall& call) {
    combined(call, [](auto left, auto right, auto* result) {
        if (right <= 0 || left < 0) return false;
        *result = left / right;
        return true;
    });
}

void remainder(ShapeCall& call) {
    combined(call, [](auto left, auto right, auto* result) {
        if (right <= 0 || left < 0) return false;
        *result = left % right;
        return true;
    });
}

constexpr std::array integers = std::to_array<NamedShapeRule>({
    {"aten.sym_numel", element_count_of},
    {"aten.sym_size.int", size_of},
    {"aten.sym_stride.int", stride_of},
    {"operator.add", sum},
    {"operator.floordiv", quotient},
    {"operator.mod", remainder},
    {"operator.mul", product},
    {"operator.sub", difference},
});

}  // namespace

std::span<const NamedShapeRule> integer_rules() {
    return integers;
}

}  // namespace overlap
