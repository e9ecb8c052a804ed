#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/base/problem.h"
#include "core/graph/module_tree.h"
#include "core/plan/plan.h"

namespace overlap {

/// A plan with a bucket for each block of the model.
inline Plan block_plan(const Graph& graph) {
    Plan plan = make_plan(graph, "Plan A");
    plan.buckets = one_bucket_per_block(ModuleTree(graph, preferred_module_source(graph)), &graph);
    return plan;
}

/// How many problems are of a kind.
inline std::size_t problem_count(const std::vector<Problem>& problems, ProblemKind kind) {
    return static_cast<std::size_t>(std::ranges::count(problems, kind, &Problem::kind));
}

}  // namespace overlap
