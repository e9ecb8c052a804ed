#include "core/calibrate/plan_prediction.h"

#include <cmath>
#include <map>

#include "core/calibrate/prediction.h"
#include "core/cost/compute_class.h"
#include "core/cost/with_cost_model.h"
#include "core/pipeline/evaluation.h"

namespace overlap {
namespace {

/// Milliseconds of the step: of a class all its time, of a process group what is exposed.
double part_of_step_ms(const Graph& graph, const Prediction& prediction, const CalibrationRow& row) {
    double part_ms = 0;
    if (row.kind == CalibrationRow::Kind::process_group) {
        for (const GroupTiming& group : prediction.simulation.groups)
            if (group.process_group == row.name) part_ms += group.exposed_ms;
        return part_ms;
    }
    if (row.kind == CalibrationRow::Kind::host_link) return prediction.simulation.transfer_exposed_ms;
    const std::vector<ComputeClass> classes = compute_classes(graph);
    for (NodeId node = 0; node < graph.node_count(); ++node)
        if (compute_class_name(classes[node]) == row.name) part_ms += prediction.times_ms[node];
    return part_ms;
}

std::optional<double> expected_error(const Calibration& calibration, const Graph& graph, const Prediction& prediction) {
    std::optional<double> error = error_of_steps(calibration);
    if (!error || prediction.step_ms <= 0) return std::nullopt;
    for (const CalibrationRow& row : calibration.rows)
        if (row.held_out) *error += *row.held_out * part_of_step_ms(graph, prediction, row) / prediction.step_ms;
    return error;
}

}  // namespace

std::optional<double> error_of_steps(const Calibration& calibration) {
    double sum = 0;
    int steps = 0;
    for (const CalibratedStep& step : calibration.steps) {
        if (!step.measured_ms || *step.measured_ms <= 0) continue;
        sum += std::abs(step.after_ms / *step.measured_ms - 1);
        ++steps;
    }
    return steps > 0 ? std::optional(sum / steps) : std::nullopt;
}

PlanPrediction predict_plan(const Calibration& calibration, const std::shared_ptr<const Graph>& graph, const Plan* plan,
                            std::string name, const std::optional<Compilation>& compilation) {
    PlanPrediction result;
    result.plan = std::move(name);
    const std::shared_ptr<const Graph> modelled = with_cost_model(graph, calibration.model).graph;
    std::shared_ptr<const Graph> planned = modelled;
    if (plan) {
        const std::optional<Execution> execution = execute(resolve(modelled, *plan), {});
        if (execution->refusal) {
            result.refusal = execution->refusal->problem();
            return result;
        }
        planned = execution->graph;
        result.problems = execution->problems;
    }
    const Prediction prediction = predict(planned, compilation);
    result.step_ms = prediction.step_ms;
    result.exposed_ms = prediction.exposed_ms;
    result.expected_error = expected_error(calibration, *planned, prediction);
    return result;
}

}  // namespace overlap
