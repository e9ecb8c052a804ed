// Attention: results lie in memory in the order of the query (torch/_meta_registrations.py,
// torch/_higher_order_ops/flex_attention.py).

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "core/imports/operators/shape_rules.h"

namespace overlap {
namespace {

Sizes strides_in(const std::vector<std::size_t>& order, const Sizes& shape) {
    Sizes stride(shape.size());
    std::int64_t next = 1;
    for (const std::size_t dimension : order) {
        stride[dimension] = next;
        next *= shape[dimension];
    }
    return stride;
}

/// Dense strides of `shape` with its dimensions in the order of `model`, smallest first and broadcast ones last.
Sizes matching_strides(const Sizes& shape, const Sizes& model) {
    std::vector<std::size_t> order(shape.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t index) {
        return model[index] == 0 ? std::numeric_limits<std::int64_t>::max() : model[index];
    });
    return strides_in(order, shape);
}

/// The same for flex attention: equal strides in descending order, and the last dimension side by side.
Sizes permuted_strides(const Sizes& shape, const Sizes& model) {
    std::vector<std::size_t> order(shape.size());
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t index) { return model[index]; });
    Sizes stride = strides_in(order, shape);
    if (stride.back() == 1) return stride;
    order.erase(std::ranges::find(order, shape.size() - 1));
    order.insert(order.begin(), shape.size() - 1);
    return strides_in(order, shape);
}

/// Query, key and value with batch, heads, positions and elements.
struct Attention {
    const KnownTensor& query;
    const KnownTensor& key;
    const KnownTensor& value;

    Attention(ShapeCall& call, std::size_t first)
        : query(call.tensor(first, "query")),
          key(call.tensor(first + 1, "key")),
          value(call.tensor(first + 2, "value")) {
        if (query.rank() != 4 || key.rank() != 4 || value.rank() != 4)
            throw UnknownShape{"its inputs have not four dimensions"};
    }

    Sizes output_shape() const { return {query.shape[0], query.shape[1], query.shape[2], value.shape[3]}; }
};

KnownTensor attention_output(ShapeCall& call, const Attention& attention) {
    Sizes shape = attention.output_shape();
    const KnownTensor& query = attention.query;
    Sizes stride = shape == query.shape ? preserved_strides(query) : matching_strides(shape, query.stride);
    return call.fresh(query.dtype, std::move(shape), query.device, std::move(stride));
}

void random_state(ShapeCall& call, std::string_view dtype, Sizes shape, StringId device) {
    call.returns(call.fresh(*dtype_by_name(dtype), std::move(shape), device));
}

void flash_attention(ShapeCall& call) {
    const Attention attention(call, 0);
    if (call.flag(5, "return_debug_mask", false)) throw UnknownShape{"it returns a mask for debugging"};
    const StringId device = attention.query.device;
    const Sizes& query = attention.query.shape;
    call.returns(attention_output(call, attention));
    call.returns(call.fresh(*dtype_by_name("float32"), {query[0], query[1], query[2]}, device));
    for (int nothing = 0; nothing < 4; ++nothing) call.returns_none();
    random_state(call, "uint64", {2}, device);
    random_state(call, "uint64", {}, device);
    call.returns(call.fresh(attention.query.dtype, {0}, device));
}

void cudnn_attention(ShapeCall& call) {
    const Attention attention(call, 0);
    const StringId device = attention.query.device;
    const Sizes& query = attention.query.shape;
    call.returns(attention_output(call, attention));
    call.returns(call.fresh(*dtype_by_name("float32"), {query[0], query[1], query[2], 1}, device));
    for (int nothing = 0; nothing < 4; ++nothing) call.returns_none();
    random_state(call, "int64", {}, device);
    random_state(call, "int64", {}, device);
    call.returns_none();
}

void attention_backward(ShapeCall& call) {
    const Attention attention(call, 1);
    call.returns(call.fresh_like(attention.query));
    call.returns(call.fresh_like(attention.key));
    call.returns(call.fresh_like(attention.value));
}

void flex_attention(ShapeCall& call) {
    const Attention attention(call, 0);
    const KnownTensor& query = attention.query;
    Sizes shape = attention.output_shape();
    Sizes stride = permuted_strides(shape, query.stride);
    call.returns(call.fresh(query.dtype, std::move(shape), query.device, std::move(stride)));
    for (int statistic = 0; statistic < 2; ++statistic) {
        call.returns(
            call.fresh(*dtype_by_name("float32"), {query.shape[0], query.shape[1], query.shape[2]}, query.device));
    }
}

void flex_attention_backward(ShapeCall& call) {
    const Attention attention(call, 0);
    for (const KnownTensor* of : {&attention.query, &attention.key, &attention.value}) {
        if (of->shape[0] != attention.query.shape[0]) throw UnknownShape{"its batches differ"};
        call.returns(call.fresh(of->dtype, of->shape, of->device, permuted_strides(of->shape, of->stride)));
    }
}

constexpr std::array attention_operators = std::to_array<NamedShapeRule>({
    {"aten._scaled_dot_product_cudnn_attention", cudnn_attention},
    {"aten._scaled_dot_product_cudnn_attention_backward", attention_backward},
    {"aten._scaled_dot_product_flash_attention", flash_attention},
    {"aten._scaled_dot_product_flash_attention_backward", attention_backward},
    {"higher_order.flex_attention", flex_attention},
    {"higher_order.flex_attention_backward", flex_attention_backward},
});

}  // namespace

std::span<const NamedShapeRule> attention_rules() {
    return attention_operators;
}

}  // namespace overlap
