#pragma once

#include <string>

#include "core/pipeline/evaluation.h"
#include "core/simulate/issue_order.h"

namespace overlap {

/// One sentence without full stop on why a collective is exposed and what would help, see Simulation::explain(). What
/// would help is what the plan allows: with its other overlaps by hand, and the order of process groups if it keeps it.
/// @param collective index of Simulation::collectives.
std::string why_exposed(const Evaluation& evaluation, std::size_t collective);

/// How much less of that collective would be exposed by what why_exposed() says would help, see could_hide_ms() of
/// core/simulate/issue_order.h.
double could_hide_ms(const Evaluation& evaluation, std::size_t collective);

/// Where that collective could be waited for later, with the plan's other overlaps by hand.
LaterWait later_wait(const Evaluation& evaluation, std::size_t collective);

}  // namespace overlap
