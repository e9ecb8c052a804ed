#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/module_tree.h"
#include "core/plan/plan.h"

namespace overlap {

/// For each entry of a plan the number of its hue, below bucket_hue_count. It follows from the entry's first module and
/// that module's place in the model, so an entry keeps its hue where others come, go and move, and has the same in all
/// plans for a graph. Neighbours differ: an entry whose hue would be that of the one before it gets another.
/// @param tree of the graph that the plan is for.
std::vector<std::uint32_t> bucket_hues(const ModuleTree& tree, const std::vector<BucketEntry>& entries);

}  // namespace overlap
