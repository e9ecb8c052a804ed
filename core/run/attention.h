#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>

#include "core/graph/graph.h"

namespace overlap {

/// What a tensor is to a scaled-dot-product attention. Statistics are the logarithms of the sums of exponentials of a
/// query's scores, which the backward pass reads.
enum class AttentionRole : std::uint8_t {
    query,
    key,
    value,
    output,
    statistics,
    output_gradient,
    query_gradient,
    key_gradient,
    value_gradient,
};

inline constexpr std::size_t attention_role_count = 9;

constexpr std::size_t index_of(AttentionRole role) {
    return static_cast<std::size_t>(role);
}

/// Sizes [batch, heads, length, width] and strides, in elements. Statistics have a width of 1.
struct AttentionTensor {
    std::array<std::int64_t, 4> sizes{}, strides{};

    /// From the first element to behind the last one.
    std::int64_t extent() const;
    std::int64_t elements() const { return sizes[0] * sizes[1] * sizes[2] * sizes[3]; }

    auto operator<=>(const AttentionTensor&) const = default;
};

/// All that decides which kernel an attention is: attentions of one shape share it.
struct AttentionShape {
    bool backward = false;
    bool causal = false;  ///< a query sees keys up to its own place
    double scale = 1;     ///< of scores, before the softmax
    Dtype dtype{};        ///< of all tensors but the statistics, which are float32
    std::array<AttentionTensor, attention_role_count> tensors{};

    const AttentionTensor& operator[](AttentionRole role) const { return tensors[index_of(role)]; }
    AttentionTensor& operator[](AttentionRole role) { return tensors[index_of(role)]; }
    bool has_grouped_heads() const;  ///< fewer heads of key and value than of the query

    auto operator<=>(const AttentionShape&) const = default;
};

/// What the backward pass accumulates beside its tensors: sums of a query's gradients, gradients of queries in float32
/// and, with grouped heads, gradients of key and value of all the query's heads. Offsets from the start.
struct AttentionAccumulators {
    std::int64_t sums = 0, query_gradient = 0, key_gradient = 0, value_gradient = 0;
    std::int64_t bytes = 0;  ///< of all; none in the forward pass
};
AttentionAccumulators attention_accumulators(const AttentionShape& shape);

/// A value of the graph: one of the tensors that a node returns.
struct AttentionPlace {
    NodeId node = no_node;
    std::uint32_t output = 0;
};

/// An attention of a graph, as one kernel that a library has.
struct AttentionWork {
    AttentionShape shape;
    std::array<AttentionPlace, attention_role_count> places{};  ///< no_node where it has no such tensor
    bool mask_assumed = false;  ///< flex attention, whose mask a graph does not tell: taken as causal
};

/// @param first_argument behind which the operator's own begin (a control_deps has others before).
/// @returns nothing where `operation` is no attention, or one that is more than a kernel of scores, causal mask and
/// softmax: dropout, a bias, tensors of other ranks or types.
std::optional<AttentionWork> attention_of(const Graph& graph, NodeId node, std::string_view operation,
                                          std::size_t first_argument);

}  // namespace overlap
