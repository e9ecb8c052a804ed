#pragma once

#include <vector>

#include "core/base/problem.h"
#include "core/pipeline/evaluation.h"

namespace overlap {

/// The collectives that are exposed longest, where that matters for the step: at most three, the longest first.
std::vector<Problem> exposed_problems(const Evaluation& evaluation);

}  // namespace overlap
