#pragma once

#include <cstdint>
#include <string_view>

#include "core/graph/graph.h"

namespace overlap {

/// Shapes of formula by which torch's flop counter counts an operator (torch/utils/flop_counter.py, torch 2.15).
enum class FlopFormula : std::uint8_t {
    none,
    matrix_multiply,      ///< mm, bmm, _scaled_mm: the first two arguments
    matrix_multiply_add,  ///< addmm, baddbmm: the second and third argument
    convolution,
    convolution_backward,
    attention,           ///< _scaled_dot_product_*: query, key, value
    attention_backward,  ///< _scaled_dot_product_*_backward: gradient, query, key, value
    flash_attention,     ///< _flash_attention_forward: heads and sequence swapped, or jagged
    flash_attention_backward,
    efficient_attention,  ///< _efficient_attention_forward: dense or jagged
    efficient_attention_backward,
    flex_attention,           ///< higher_order.flex_attention: causal half, as docs/formats.md counts it
    flex_attention_backward,  ///< five halves of the forward
};

/// The formula of an operator such as `aten.mm.default`; overloads do not matter.
FlopFormula flop_formula(std::string_view target);

/// Floating-point operations of `node` by `formula`, the tensor arguments being the positional ones from
/// `first_argument` on. Exact as long as the count is below 2^64, then rounded to double.
/// @throws InputError where torch's formula raises: a tensor that is missing, has another rank or does not fit.
double count_flops(const Graph& graph, NodeId node, FlopFormula formula, std::size_t first_argument = 0);

}  // namespace overlap
