#pragma once

#include <vector>

#include "core/pipeline/evaluation.h"

namespace overlap {

/// Collectives of an evaluation's input that a step of its plan took away without making others in their place, such as
/// a parameter's second gather: they do not run. Ascending; empty where the plan is refused.
/// Decided for a whole step: where one makes any collective, what it makes stands for all that it takes away.
std::vector<NodeId> removed_collectives(const Evaluation& evaluation);

}  // namespace overlap
