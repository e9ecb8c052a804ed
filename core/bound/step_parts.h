#pragma once

#include <vector>

#include "core/bound/step_work.h"
#include "core/pipeline/evaluation.h"

namespace overlap {

/// What an evaluated plan's step is made of, beside the work that every plan has.
struct StepParts {
    double step_ms = 0;           ///< of a job: with links shared
    double in_every_plan_ms = 0;  ///< compute of every plan, see compute_of_every_plan_ms()
    double beyond_ms = 0;         ///< compute that other plans save
    double waiting_ms = 0;        ///< the rest, in which compute stands still
    /// Nodes of the evaluation's graph that the compute beyond is of, the longest first, and how long it is of each.
    struct Beyond {
        NodeId node = no_node;
        double time_ms = 0;
    };
    std::vector<Beyond> beyond;
};

/// @param evaluation of a plan that does all of this work, see kept_work().
StepParts step_parts(const StepWork& work, const Evaluation& evaluation);

}  // namespace overlap
