#include "core/run/attention.h"

#include <cmath>
#include <string_view>

namespace overlap {

namespace {

constexpr std::int8_t none = -1;

/// Where an operator has its arguments (torch 2.15, native_functions.yaml and higher_order_ops/flex_attention.py).
struct Signature {
    std::string_view name;  ///< without overload
    bool backward = false;
    std::int8_t query = 0;      ///< key and value stand behind it
    std::int8_t output = none;  ///< arguments of the backward pass
    std::int8_t statistics = none;
    std::int8_t output_gradient = none;
    std::int8_t bias = none;
    std::int8_t dropout = none;
    std::int8_t causal = none;
    std::int8_t scale = none;  ///< where it is no keyword
};

constexpr Signature signatures[] = {
    {"aten._scaled_dot_product_flash_attention", false, 0, none, none, none, none, 3, 4, none},
    {"aten._scaled_dot_product_flash_attention_backward", true, 1, 4, 5, 0, none, 10, 11, none},
    {"aten._scaled_dot_product_cudnn_attention", false, 0, none, none, none, 3, 5, 6, none},
    {"aten._scaled_dot_product_cudnn_attention_backward", true, 1, 4, 5, 0, 8, 13, 14, none},
    {"aten._scaled_dot_product_efficient_attention", false, 0, none, none, none, 3, 5, 6, none},
    {"aten._scaled_dot_product_efficient_attention_backward", true, 1, 5, 6, 0, 4, 9, 11, none},
    {"higher_order.flex_attention", false, 0, none, none, none, none, none, none, 5},
    {"higher_order.flex_attention_backward", true, 0, 3, 4, 5, none, none, none, 10},
};

const Signature* signature_of(std::string_view operation) {
    const bool is_aten = operation.starts_with("aten.");
    const std::string_view name = is_aten ? operation.substr(0, operation.find('.', 5)) : operation;
    for (const Signature& signature : signatures) {
        if (signature.name == name) return &signature;
    }
    return nullptr;
}

class AttentionReader {
  public:
    AttentionReader(const Graph& graph, NodeId node, const Signature& signature, std::size_t first_argument)
        : graph_(graph), node_(node), signature_(signature), first_(first_argument) {
        work_.shape.backward = signature.backward;
    }

    std::optional<AttentionWork> read() {
        if (!is_plain()) return std::nullopt;
        const bool backward = signature_.backward;
        bool complete = take(AttentionRole::query, signature_.query) &&
                        take(AttentionRole::key, signature_.query + 1) &&
                        take(AttentionRole::value, signature_.query + 2);
        if (backward) {
            complete = complete && take(AttentionRole::output, signature_.output) &&
                       take(AttentionRole::statistics, signature_.statistics) &&
                       take(AttentionRole::output_gradient, signature_.output_gradient) &&
                       give(AttentionRole::query_gradient, 0) && give(AttentionRole::key_gradient, 1) &&
                       give(AttentionRole::value_gradient, 2);
        } else {
            complete = complete && give(AttentionRole::output, 0) && give(AttentionRole::statistics, 1);
        }
        if (!complete || !fits()) return std::nullopt;
        work_.mask_assumed = signature_.causal == none;
        work_.shape.causal = work_.mask_assumed || truth(signature_.causal);
        work_.shape.scale = scale();
        return work_;
    }

  private:
    const Value* argument(std::int8_t index) const {
        return index == none ? nullptr : graph_.argument(node_, first_ + static_cast<std::size_t>(index));
    }

    bool truth(std::int8_t index) const {
        const Value* value = argument(index);
        return value && value->is(ValueKind::boolean) && value->boolean;
    }

    static std::optional<double> number(const Value* value) {
        if (value && value->is(ValueKind::floating)) return value->floating;
        if (value && value->is(ValueKind::integer)) return static_cast<double>(value->integer);
        return std::nullopt;
    }

    /// Without dropout and without a bias.
    bool is_plain() const {
        const Value* bias = argument(signature_.bias);
        return number(argument(signature_.dropout)).value_or(0) == 0 && (!bias || bias->is(ValueKind::none));
    }

    double scale() const {
        std::optional<double> given = number(argument(signature_.scale));
        if (!given) given = number(graph_.keyword(node_, "scale"));
        return given.value_or(1 / std::sqrt(static_cast<double>(work_.shape[AttentionRole::query].sizes[3])));
    }

    bool take(AttentionRole role, int index) {
        const Value* value = argument(static_cast<std::int8_t>(index));
        return value && value->is(ValueKind::node) && set(role, {value->node, 0});
    }

    bool give(AttentionRole role, std::uint32_t output) { return set(role, {node_, output}); }

    bool set(AttentionRole role, AttentionPlace place) {
        const std::span<const TensorMeta> outputs = graph_.outputs(place.node);
        if (place.output >= outputs.size() || !outputs[place.output].is_tensor) return false;
        const TensorMeta& meta = outputs[place.output];
        AttentionTensor& tensor = work_.shape[role];
        const std::span<const std::int64_t> sizes = graph_.shape(meta), strides = graph_.stride(meta);
        const std::string_view type = dtype_info(meta.dtype).name;
        if (role == AttentionRole::statistics) {
            // One number a query, with or without a dimension for it.
            if (type != "float32" || sizes.size() < 3 || sizes.size() > 4) return false;
        } else {
            if (role == AttentionRole::query) work_.shape.dtype = meta.dtype;
            if (sizes.size() != 4 || meta.dtype != work_.shape.dtype) return false;
            if (type != "bfloat16" && type != "float16") return false;
        }
        for (std::size_t dimension = 0; dimension < 4; ++dimension) {
            const bool known = dimension < sizes.size();
            tensor.sizes[dimension] = known ? sizes[dimension] : 1;
            tensor.strides[dimension] = known ? strides[dimension] : 1;
        }
        work_.places[index_of(role)] = place;
        return tensor.elements() > 0;
    }

    bool fits() const {
        const AttentionShape& shape = work_.shape;
        const auto& query = shape[AttentionRole::query].sizes;
        const auto& key = shape[AttentionRole::key].sizes;
        const auto& value = shape[AttentionRole::value].sizes;
        const std::array<std::int64_t, 4> output{query[0], query[1], query[2], value[3]};
        const std::array<std::int64_t, 4> statistics{query[0], query[1], query[2], 1};
        bool right = key[0] == query[0] && value[0] == query[0] && key[1] == value[1] && query[1] % key[1] == 0 &&
                     key[2] == value[2] && key[3] == query[3] && shape[AttentionRole::output].sizes == output &&
                     shape[AttentionRole::statistics].sizes == statistics;
        if (shape.backward) {
            right = right && shape[AttentionRole::output_gradient].sizes == output &&
                    shape[AttentionRole::query_gradient].sizes == query &&
                    shape[AttentionRole::key_gradient].sizes == key &&
                    shape[AttentionRole::value_gradient].sizes == value;
        }
        return right;
    }

    const Graph& graph_;
    NodeId node_;
    const Signature& signature_;
    std::size_t first_;
    AttentionWork work_;
};

}  // namespace

std::int64_t AttentionTensor::extent() const {
    std::int64_t last = 0;
    for (std::size_t dimension = 0; dimension < sizes.size(); ++dimension) {
        last += (sizes[dimension] - 1) * strides[dimension];
    }
    return last + 1;
}

bool AttentionShape::has_grouped_heads() const {
    return (*this)[AttentionRole::query].sizes[1] != (*this)[AttentionRole::key].sizes[1];
}

AttentionAccumulators attention_accumulators(const AttentionShape& shape) {
    AttentionAccumulators accumulators;
    if (!shape.backward) return accumulators;
    constexpr std::int64_t alignment = 256, single = 4;
    const auto place = [&](std::int64_t& offset, std::int64_t bytes) {
        offset = accumulators.bytes;
        accumulators.bytes += (bytes + alignment - 1) / alignment * alignment;
    };
    const AttentionTensor& query = shape[AttentionRole::query];
    const AttentionTensor& key = shape[AttentionRole::key];
    place(accumulators.sums, query.sizes[0] * query.sizes[1] * query.sizes[2] * single);
    place(accumulators.query_gradient, query.elements() * single);
    if (!shape.has_grouped_heads()) return accumulators;
    const std::int64_t element = dtype_info(shape.dtype).bytes;
    const std::int64_t places = query.sizes[0] * query.sizes[1] * key.sizes[2];
    place(accumulators.key_gradient, places * key.sizes[3] * element);
    place(accumulators.value_gradient, places * shape[AttentionRole::value].sizes[3] * element);
    return accumulators;
}

std::optional<AttentionWork> attention_of(const Graph& graph, NodeId node, std::string_view operation,
                                          std::size_t first_argument) {
    const Signature* signature = signature_of(operation);
    if (!signature) return std::nullopt;
    return AttentionReader(graph, node, *signature, first_argument).read();
}

}  // namespace overlap
