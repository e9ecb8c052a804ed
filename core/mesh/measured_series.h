#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/mesh/collective_times.h"

namespace overlap {

/// One measurement of a collective.
struct MeasuredTime {
    std::int64_t bytes = 0;  ///< the larger of what a rank passes in and gets out
    double time_us = 0.0;
};

/// Measurements of one kind of collective on one communicator.
struct MeasuredSeries {
    StepKind kind = StepKind::all_gather;
    std::vector<int> mesh_dims;        ///< of the communicator, ascending
    std::vector<MeasuredTime> points;  ///< ascending bytes
};

/// @throws InputError unless there is a point, bytes ascend and times are finite and not negative.
void validate(const MeasuredSeries& series);

/// Linear between points, constant below the first, beyond the last one at the rate between the last two; in proportion
/// where there is one point only.
double interpolated_us(std::span<const MeasuredTime> points, double bytes);

/// Larger of input and output of a collective over `ranks` ranks, of which each holds `local_bytes` before.
double collective_bytes(StepKind kind, double local_bytes, std::int64_t ranks);

/// Times from measurements, by kind and communicator; `otherwise` prices what was not measured.
/// @param otherwise must outlive the result.
/// @throws InputError for a series that validate() refuses.
std::unique_ptr<CollectiveTimes> measured_times(const DeviceMesh& mesh, std::vector<MeasuredSeries> series,
                                                const CollectiveTimes& otherwise);

}  // namespace overlap
