#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/pipeline/evaluation.h"

namespace overlap {

/// What becomes of moves that cannot be made: an explanation tells them with their reasons, the cause alone does not.
enum class RefusedMoves { left_out, told };

/// What the moves do that the explanation of an exposed collective names (see why_exposed()), a sentence each: such as
/// `Evaluated: all_gather is issued before mm_3: the step takes 10 ms less, ...`, without full stop. An explanation
/// tells of the compute that there is; what the job does then is known of an evaluated plan alone. Evaluates a plan for
/// each move, so it belongs on a worker thread. Empty where there is no advice, see advice_for(), and when stopped.
/// @param collective index of Simulation::collectives.
/// @param refused whether moves that cannot be made are told, such as `all_gather is issued before mm_3 cannot be:
/// ...`.
std::vector<std::string> evaluated_moves(const std::shared_ptr<const Evaluation>& evaluation, std::size_t collective,
                                         RefusedMoves refused, std::stop_token stop = {});

}  // namespace overlap
