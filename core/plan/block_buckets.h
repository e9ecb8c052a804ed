#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/module_tree.h"
#include "core/plan/plan.h"

namespace overlap {

/// How many numbered blocks a model has; 0 where it has no stack of them.
std::size_t block_count(const ModuleTree& tree);

/// As one_bucket_per_blocks(), with another number of blocks in each bucket.
/// @param sizes of the buckets of blocks in their order, none of them 0; the last one repeats.
std::vector<BucketEntry> buckets_of_blocks(const ModuleTree& tree, std::span<const std::size_t> sizes,
                                           const Graph* graph = nullptr);

}  // namespace overlap
