#pragma once

#include <string>
#include <vector>

#include "core/pipeline/evaluation.h"

namespace overlap {

/// What becomes of a tensor between the forward and the backward pass, as sentences without full stops: what tag the
/// memory policy or a rule of the plan gives it; whether it is computed or gathered again, by which node and in what
/// time; whether it goes to the host and what brings it back; from which node to which its memory is held, how many
/// bytes for how long, and whether that includes the peak.
/// @param node of `evaluation.input`, or of `evaluation.graph` where the name is not one of the input.
/// @returns nothing for a node that returns no tensor.
std::vector<std::string> explain_memory(const Evaluation& evaluation, std::string_view node);

}  // namespace overlap
