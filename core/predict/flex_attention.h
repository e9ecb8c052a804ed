#pragma once

#include <cstdint>
#include <optional>

#include "core/graph/graph.h"

namespace overlap {

/// Whether a node is flex attention, whose mask a graph does not tell.
bool is_flex_attention(const Graph& graph, NodeId node);

/// Tokens that one query of the graph's first flex attention may attend to, masks aside; nothing where it has none.
std::optional<std::int64_t> flex_attention_length(const Graph& graph);

/// The share of scores that a causal mask leaves of sequences of `length` tokens which consist of documents of
/// `document` tokens: one half for a single document. @pre both are at least 1.
double causal_density(std::int64_t document, std::int64_t length);

}  // namespace overlap
