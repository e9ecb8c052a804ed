#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// Distinct nodes that each node mentions, in order of first appearance in args, then kwargs, as index ranges:
/// those of node n are inputs[offsets[n] .. offsets[n+1]).
void collect_inputs(const std::vector<NodeRecord>& records, const std::vector<Value>& values,
                    std::vector<std::uint32_t>& offsets, std::vector<NodeId>& inputs);

/// The reverse of `collect_inputs`, users in graph order.
void collect_users(const std::vector<std::uint32_t>& input_offsets, const std::vector<NodeId>& inputs,
                   std::vector<std::uint32_t>& offsets, std::vector<NodeId>& users);

}  // namespace overlap
