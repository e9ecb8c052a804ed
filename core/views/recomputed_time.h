#pragma once

#include <vector>

#include "core/pipeline/evaluation.h"

namespace overlap {

/// Milliseconds of compute that each node of the evaluation's input takes once more, since the plan has it done again
/// in the backward pass. What the input itself does again is a node of its own there, and not counted. Empty where the
/// plan has nothing done again, or is refused.
std::vector<double> recomputed_ms_of_input(const Evaluation& evaluation);

}  // namespace overlap
