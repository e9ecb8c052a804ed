#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/pipeline/evaluation.h"

namespace overlap {

/// What the moves do that the explanation of an exposed collective names (see why_exposed()), a sentence each: such as
/// `Evaluated: all_gather starts before mm_3: the step takes 10 ms less, ...`, without full stop. An explanation tells
/// of the compute that there is; what the job does then is known of an evaluated plan alone. Evaluates a plan for each
/// move, so it belongs on a worker thread. Empty where there is no advice, see advice_for(), and when stopped.
/// @param collective index of Simulation::collectives.
std::vector<std::string> evaluated_moves(const std::shared_ptr<const Evaluation>& evaluation, std::size_t collective,
                                         std::stop_token stop = {});

}  // namespace overlap
