#pragma once

#include <span>
#include <string_view>

#include "core/pipeline/evaluation.h"

namespace overlap {

/// A way in which a cost model may be wrong, to see whether what a plan gains depends on it.
struct Disturbance {
    std::string_view name;     ///< such as `links 20 % slower`
    double compute = 1;        ///< factor on the time of the compute stream, but what of it is communication
    double communication = 1;  ///< factor on the time of collectives beyond their latency, also of those in products
    double latency = 1;        ///< factor on the latency that their links have
};

/// Links and compute a fifth slower and faster: wider than the errors of the published runs without experts that were
/// predicted (docs/predictions.md). Those of runs with experts are wider.
std::span<const Disturbance> usual_disturbances();

/// The step of an evaluation whose times are so wrong. Passes decided by the undisturbed ones, as those of a job do,
/// which knows no better than its estimator.
/// @param evaluation its times are known.
double disturbed_step_ms(const Evaluation& evaluation, const Disturbance& disturbance, std::stop_token stop = {});

}  // namespace overlap
