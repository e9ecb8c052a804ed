#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/problem.h"
#include "core/calibrate/calibration.h"
#include "core/plan/plan.h"

namespace overlap {

/// What a calibrated model says of a plan that was not measured.
struct PlanPrediction {
    std::string plan;
    std::string refusal;            ///< why the plan has no figures; else empty
    std::vector<Problem> problems;  ///< what is remarkable about a plan that has figures
    double step_ms = 0, exposed_ms = 0;
    /// The share by which the step may be off, as far as the runs tell it; none where no run has a step's time.
    std::optional<double> expected_error;
};

/// By which share the model misses the steps that it was fitted to, on average: what it leaves out, such as gaps
/// between kernels, it leaves out of other plans too. Nothing where no run has a step's time.
std::optional<double> error_of_steps(const Calibration& calibration);

/// The step of a graph by the calibrated model.
///
/// Its expected error is error_of_steps(), plus for each class of compute and each process group the share by which
/// sums that the fit has not seen were off (CalibrationRow::held_out) times its part of the step: all time of a class,
/// and of a group what is exposed. These add up as if all were off in one direction.
/// @param graph before passes. @param plan null for the graph as it is. @param compilation of the job.
PlanPrediction predict_plan(const Calibration& calibration, const std::shared_ptr<const Graph>& graph, const Plan* plan,
                            std::string name, const std::optional<Compilation>& compilation);

}  // namespace overlap
