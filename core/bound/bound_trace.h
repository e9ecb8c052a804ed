#pragma once

#include <cstdint>
#include <vector>

#include "core/bound/lower_bound.h"
#include "core/bound/step_work.h"

namespace overlap {

/// A place of the work that has a time: a node, or, behind all nodes, a collective.
using WorkPoint = std::uint32_t;

/// What holds a point back.
struct Hold {
    enum class Kind : std::uint8_t {
        none,
        point,    ///< another point, until it has ended
        machine,  ///< compute or a link, which does not stand still since a job of it
        memory,   ///< heavy compute that has to end before there is room
    };
    Kind kind = Kind::none;
    std::uint32_t machine = 0;  ///< 0 for compute, else the link after that
    WorkPoint point = 0;        ///< the other point, or the job
};

/// The stretches that lead to `end_ms`: each begins where what holds its first point ends.
/// @param start_ms, holds of each point.
/// @returns the last stretch first.
std::vector<BoundStep> stretches_back(const StepWork& work, const std::vector<double>& start_ms,
                                      const std::vector<Hold>& holds, double end_ms, Hold hold);

/// Stretches of compute that follow one another become one.
void join_compute(std::vector<BoundStep>& chain);

}  // namespace overlap
