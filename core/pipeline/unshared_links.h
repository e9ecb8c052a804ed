#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/problem.h"
#include "core/pipeline/time_source.h"

namespace overlap {

/// A step in which process groups over one link share it, where its figures take each group to have a link of its own.
struct SharedLinkStep {
    double step_ms = 0;
    double exposed_ms = 0;                        ///< Simulation::exposed_ms of this step
    std::vector<std::vector<std::string>> links;  ///< names of the process groups on each link that several use
};

/// The one step of a plan that is told, in its name for example: the one with links shared where that is longer by what
/// is worth a line, else the one of the figures. It is that of step_with_links_shared().
double told_step_ms(double step_ms, double shared_step_ms);

/// The step that links allow, for figures that do not share them: as if every group had a card of its own, a plan gains
/// from each further group what no card carries.
/// @param simulation of the graph with these times by sourced_simulation().
/// @param source of the times; may be null.
/// @returns nothing where sharing changes nothing, where links are shared already or the cost model says which are,
/// and for measured times, which have been slowed already.
std::optional<SharedLinkStep> step_on_shared_links(const Graph& graph, std::span<const double> times_ms,
                                                   const Simulation& simulation, const TimeSource* source,
                                                   const SimulationOptions& options = {}, std::stop_token stop = {});

/// Says that figures are faster than links allow, and by how much.
Problem unshared_links_problem(const SharedLinkStep& shared, double step_ms);

}  // namespace overlap
