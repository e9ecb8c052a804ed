#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/problem.h"
#include "core/plan/plan.h"

namespace overlap {

/// Steps whose result PyTorch cannot make, because an option that they are given is not PyTorch's: a clause for each.
/// @param steps those that run, see lower().
std::vector<std::string> steps_of_own_options(const std::vector<PassStep>& steps);

/// A note that a job can apply the plan in mode `exact` only, because of such steps; nothing where both modes can.
std::optional<Problem> exact_mode_only(const std::vector<PassStep>& steps);

}  // namespace overlap
