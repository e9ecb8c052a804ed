#pragma once

#include <cstdint>
#include <vector>

#include "core/passes/pass.h"

namespace overlap {

/// Entry numbers of the nodes of a pass's result, taken over from those of its input; -1 for nodes that it made.
std::vector<std::int32_t> carry_bucket_marks(const std::vector<std::int32_t>& marks, const std::vector<NodeId>& origin);

/// Marks the nodes that a pass made for its buckets with their entries' numbers: each merged collective and its waits,
/// and from there all made nodes that are connected to them (packing and unpacking). Where two buckets' nodes touch,
/// the nearer bucket wins.
void mark_buckets(const Graph& graph, const std::vector<NodeId>& origin, const PassReport& report,
                  std::vector<std::int32_t>& marks);

}  // namespace overlap
