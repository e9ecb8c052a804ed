#pragma once

#include <cstdint>
#include <optional>

#include "core/cost/profile_tables.h"
#include "core/measure/measured_comparison.h"

namespace overlap {

/// How far predicted times of collectives are from measured ones.
struct PredictionError {
    std::uint32_t collectives = 0;  ///< that both sides have
    double mean_absolute_ms = 0;    ///< mean of |predicted - measured|
    double median_relative = 0;     ///< median of |predicted - measured| / measured, over those that took any time
};

/// The error of the evaluation's times, whatever their source.
PredictionError error_of_plan(const MeasuredComparison& comparison);

/// The error of the graph's own times: of the evaluation without a time source.
/// @throws InputError as node_times_ms().
PredictionError error_of_graph(const MeasuredComparison& comparison);

/// The error when times come from a profile: of its own trace, how well it describes itself; of another one, how well
/// it carries over. What the profile does not know keeps the evaluation's time.
struct ProfileError {
    PredictionError error;
    std::uint32_t from_profile = 0;  ///< collectives whose time the profile says
};
ProfileError error_of_profile(const MeasuredComparison& comparison, const ProfileTables& tables);

}  // namespace overlap
