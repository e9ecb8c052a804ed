#include "core/measure/prediction_error.h"

#include <cmath>
#include <utility>
#include <vector>

#include "core/base/statistics.h"
#include "core/cost/profile_guided_times.h"

namespace overlap {

namespace {

/// @param predicted_ms says what is predicted for a row.
template <typename Predict>
PredictionError error_of(const MeasuredComparison& comparison, Predict predicted_ms) {
    PredictionError error;
    std::vector<double> relative;
    for (const CollectiveComparison& row : comparison.rows) {
        if (!row.is_matched()) continue;
        const double difference_ms = std::abs(predicted_ms(row) - row.measured_ms);
        ++error.collectives;
        error.mean_absolute_ms += difference_ms;
        if (row.measured_ms > 0) relative.push_back(difference_ms / row.measured_ms);
    }
    if (error.collectives > 0) error.mean_absolute_ms /= error.collectives;
    if (!relative.empty()) error.median_relative = median(std::move(relative));
    return error;
}

}  // namespace

PredictionError error_of_plan(const MeasuredComparison& comparison) {
    return error_of(comparison, [](const CollectiveComparison& row) { return row.planned_ms; });
}

PredictionError error_of_graph(const MeasuredComparison& comparison) {
    const Evaluation& evaluation = *comparison.evaluation;
    if (!evaluation.time_source || !evaluation.time_source->measured()) return error_of_plan(comparison);
    const auto own = own_time_source(*evaluation.graph);
    const std::vector<double> own_ms = sourced_times(*evaluation.graph, own.get()).times_ms;
    return error_of(comparison, [&](const CollectiveComparison& row) {
        return own_ms[evaluation.simulation.collectives[row.planned].start];
    });
}

ProfileError error_of_profile(const MeasuredComparison& comparison, const ProfileTables& tables) {
    const Evaluation& evaluation = *comparison.evaluation;
    const ProfileGuidedEstimator estimator(*evaluation.graph, tables);
    ProfileError result;
    result.error = error_of(comparison, [&](const CollectiveComparison& row) {
        const auto time_ms = estimator.time_ms(evaluation.simulation.collectives[row.planned].start);
        result.from_profile += time_ms ? 1 : 0;
        return time_ms.value_or(row.planned_ms);
    });
    return result;
}

}  // namespace overlap
