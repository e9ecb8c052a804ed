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
    std::optional<std::size_t> moved{};  ///< where the step is that it moves, which has to change something there
};

/// The changes that may mend the plan that `refused` is of, the ones that take least of it away first: the pass that a
/// mistyped name meant, options as they are by default, as the graph needs them or at another choice, steps before it
/// that are switched off or missing, buckets split, another place for the step that was refused, and at last to do
/// without it or without another step.
std::vector<Remedy> possible_remedies(const Plan& plan, const Evaluation& refused);

/// The first of them after which the plan has no error, found by running it.
/// @returns nothing where none helps, or when stopped.
std::optional<Remedy> find_remedy(const Plan& plan, const Evaluation& refused, std::stop_token stop = {});

}  // namespace overlap
