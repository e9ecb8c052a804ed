#pragma once

#include <vector>

#include "core/plan/plan.h"

namespace overlap {

/// check_buckets() with the graph's own tree of modules, which is only made where something is wrong.
std::vector<Problem> check_buckets(const Graph& graph, ModuleSource source, const std::vector<BucketEntry>& buckets);

}  // namespace overlap
