#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/pipeline/evaluation.h"

namespace overlap {

/// A single change of a plan that a pass refused.
struct Remedy {
    std::string label;  ///< what it does, in words: `switch off auto_overlap_bucketing`
    Plan plan;
};

/// The changes that may mend the plan that `refused` is of, the ones that take least of it away first: options as they
/// are by default, steps before it that are switched off, another place for the step that was refused, and at last to
/// do without it.
std::vector<Remedy> possible_remedies(const Plan& plan, const Evaluation& refused);

/// The first of them after which the plan has no error, found by running it.
/// @returns nothing where none helps, or when stopped.
std::optional<Remedy> find_remedy(const Plan& plan, const Evaluation& refused, std::stop_token stop = {});

}  // namespace overlap
