// Functional collectives, which return new tensors, and bucketing operators of torch's passes.

#include <array>

#include "core/imports/operators/shape_rules.h"

namespace overlap {
namespace {

KnownTensor gathered(ShapeCall& call, const KnownTensor& input, std::int64_t group_size) {
    if (input.rank() == 0 || group_size <= 0) throw UnknownShape{"its input has no dimension to gather"};
    Sizes shape = input.shape;
    if (__builtin_mul_overflow(shape[0], group_size, &shape[0])) throw UnknownShape{"its sizes are impossible"};
    return call.fresh(input.dtype, std::move(shape), input.device);
}

KnownTensor scattered(ShapeCall& call, const KnownTensor& input, std::int64_t group_size) {
    if (input.rank() == 0 || group_size <= 0 || input.shape[0] % group_size != 0) {
        throw UnknownShape{"its input cannot be divided among the group"};
    }
    Sizes shape = input.shape;
    shape[0] /= group_size;
    return call.fresh(input.dtype, std::move(shape), input.device);
}

void all_gather(ShapeCall& call) {
    call.returns(gathered(call, call.tensor(0, "input"), call.integer(1, "group_size")));
}

void all_gather_out(ShapeCall& call) {
    call.returns(call.tensor(3, "out"));
}

void all_gather_coalesced(ShapeCall& call) {
    call.returns_tuple();
    for (const KnownTensor* input : call.tensors(0, "inputs")) {
        call.returns(gathered(call, *input, call.integer(1, "group_size")));
    }
}

void reduce_scatter(ShapeCall& call) {
    call.returns(scattered(call, call.tensor(0, "input"), call.integer(2, "group_size")));
}

void reduce_scatter_coalesced(ShapeCall& call) {
    call.returns_tuple();
    for (const KnownTensor* input : call.tensors(0, "inputs")) {
        call.returns(scattered(call, *input, call.integer(2, "group_size")));
    }
}

void like_input(ShapeCall& call) {
    call.returns(call.fresh_like(call.tensor(0, "input")));
}

void like_inputs(ShapeCall& call) {
    call.returns_tuple();
    for (const KnownTensor* input : call.tensors(0, "inputs")) call.returns(call.fresh_like(*input));
}

void in_place(ShapeCall& call) {
    call.returns(call.tensor(0, "input"));
}

void in_place_coalesced(ShapeCall& call) {
    call.returns_tuple();
    for (const KnownTensor* input : call.tensors(0, "inputs")) call.returns(*input);
}

void all_to_all(ShapeCall& call) {
    const KnownTensor& input = call.tensor(0, "input");
    if (input.rank() == 0) throw UnknownShape{"its input has no dimension to exchange"};
    Sizes shape = input.shape;
    if (call.is_given(1, "output_split_sizes")) {
        shape[0] = 0;
        for (const std::int64_t size : call.integers(1, "output_split_sizes")) shape[0] += size;
    }
    call.returns(call.fresh(input.dtype, std::move(shape), input.device));
}

/// The dtype of a place in torch's alphabetical list: those in which parameters are gathered.
std::optional<Dtype> dtype_by_torch_index(std::int64_t index) {
    for (const std::string_view name :
         {"bfloat16", "float16", "float32", "float64", "float8_e4m3fn", "float8_e5m2", "uint8", "int32", "int64"}) {
        const std::optional<Dtype> dtype = dtype_by_name(name);
        if (dtype_info(*dtype).torch_index == index) return dtype;
    }
    return std::nullopt;
}

/// `_pre_bucket_all_gather(inputs, group_size, dtype, dtypes, rank)`: one flat tensor for all of the group.
void bucketed_all_gather(ShapeCall& call) {
    const std::vector<const KnownTensor*> inputs = call.tensors(0, "ag_ins");
    const Sizes dtypes = call.integers(3, "out_dtype_ints");
    if (inputs.empty() || dtypes.size() != inputs.size()) throw UnknownShape{"its dtypes do not fit its inputs"};
    const Dtype dtype = call.dtype_or(2, "dtype", inputs[0]->dtype);
    std::int64_t elements = 0;
    for (std::size_t index = 0; index < inputs.size(); ++index) {
        const std::optional<Dtype> converted = dtype_by_torch_index(dtypes[index]);
        if (!converted) throw UnknownShape{"its dtype is none in which parameters are gathered"};
        elements += element_count(inputs[index]->shape) * dtype_info(*converted).bytes / dtype_info(dtype).bytes;
    }
    Sizes shape{elements};
    if (__builtin_mul_overflow(elements, call.integer(1, "group_size"), &shape[0]) || shape[0] < 0) {
        throw UnknownShape{"its sizes are impossible"};
    }
    call.returns(call.fresh(dtype, std::move(shape), inputs[0]->device));
}

/// `_pre_bucket_reduce_scatter(inputs, group_size)`: its inputs one behind the other, flat.
void bucketed_reduce_scatter(ShapeCall& call) {
    const std::vector<const KnownTensor*> inputs = call.tensors(0, "rs_ins");
    if (inputs.empty()) throw UnknownShape{"it has no inputs"};
    if (call.is_given(2, "unpadded_input_indices")) throw UnknownShape{"some of its inputs are not padded"};
    std::int64_t elements = 0;
    for (const KnownTensor* input : inputs) elements += element_count(input->shape);
    call.returns(call.fresh(inputs[0]->dtype, {elements}, inputs[0]->device));
}

void nothing(ShapeCall& call) {
    call.returns_none();
}

constexpr std::array collectives = std::to_array<NamedShapeRule>({
    {"_c10d_functional.all_gather_into_tensor", all_gather},
    {"_c10d_functional.all_gather_into_tensor_coalesced", all_gather_coalesced},
    {"_c10d_functional.all_gather_into_tensor_out", all_gather_out},
    {"_c10d_functional.all_reduce", like_input},
    {"_c10d_functional.all_reduce_", in_place},
    {"_c10d_functional.all_reduce_coalesced", like_inputs},
    {"_c10d_functional.all_reduce_coalesced_", in_place_coalesced},
    {"_c10d_functional.all_to_all_single", all_to_all},
    {"_c10d_functional.broadcast", like_input},
    {"_c10d_functional.broadcast_", in_place},
    {"_c10d_functional.reduce_scatter_tensor", reduce_scatter},
    {"_c10d_functional.reduce_scatter_tensor_coalesced", reduce_scatter_coalesced},
    {"_c10d_functional.wait_tensor", like_input},
    {"bucketing._pre_bucket_all_gather", bucketed_all_gather},
    {"bucketing._pre_bucket_reduce_scatter", bucketed_reduce_scatter},
    {"aten.split_with_sizes_copy.out", nothing},
    {"aten._assert_async", nothing},
    {"aten._assert_async.msg", nothing},
    {"aten._assert_scalar", nothing},
    {"aten._assert_tensor_metadata", nothing},
    {"aten.sym_constrain_range_for_size", nothing},
});

}  // namespace

std::span<const NamedShapeRule> collective_rules() {
    return collectives;
}

}  // namespace overlap
