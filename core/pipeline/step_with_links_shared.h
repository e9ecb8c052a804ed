#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include "core/pipeline/evaluation.h"

namespace overlap {

/// The step that a job can reach: with links shared where the figures take each process group to have a link of its
/// own, else the one of the figures. Plans are to be compared by it: a further group only seems to gain.
double step_with_links_shared(const Evaluation& evaluation);

/// The exposed time of that step.
double exposed_with_links_shared(const Evaluation& evaluation);

/// The evaluation with the step that a job can reach in place of the one of its figures: its simulation, its time
/// source and what is made of them are with links shared, and so are the exposed collectives among its problems. Other
/// problems stay those of the figures.
/// @returns the evaluation itself where both steps are the same; nullptr when `stop` was requested.
std::shared_ptr<const Evaluation> with_links_shared(std::shared_ptr<const Evaluation> evaluation,
                                                    std::stop_token stop = {});

/// The source whose times the figures are of, and null where it asks for contention that the cost model has no factors
/// of: what was simulated is without any then.
const TimeSource* applied_source(const Evaluation& evaluation);

/// step_on_shared_links() of a graph with other times, as simulated_like() simulates it.
/// @param simulation of the graph by simulated_like().
std::optional<SharedLinkStep> shared_links_like(const Evaluation& evaluation, const Graph& graph,
                                                std::span<const double> times_ms, const Simulation& simulation,
                                                std::stop_token stop = {});

}  // namespace overlap
