#pragma once

#include <optional>
#include <string>

#include "core/graph/graph.h"

namespace overlap {

/// With what the cost model that a graph has was compared.
struct CheckedRuns {
    std::string with;       ///< the runs, a clause
    double within = 0;      ///< share by which a step's time was off at most; 0: not known
    bool built_in = false;  ///< the model is a built-in one, whose runs outside_checked_runs() knows
};

/// Of a built-in model, or what a user's document said when it was put into the graph. Nothing where it was compared
/// with no run, and of a model with the name of a built-in one whose device has been changed.
std::optional<CheckedRuns> checked_runs(const CostParameters& cost);

}  // namespace overlap
