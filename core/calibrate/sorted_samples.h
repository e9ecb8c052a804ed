#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/calibrate/calibration_run.h"
#include "core/calibrate/fitted_samples.h"
#include "core/cost/named_cost_model.h"

namespace overlap {

/// The kernels of one run that a compiler wrote: their mean.
struct MeanKernel {
    double kernels = 0;  ///< as the model counts them
    double work_ms = 0;  ///< of one, at the device's full rates
    double time_ms = 0;  ///< of one
};

/// The samples of all runs by class and by process group, each in the order of its step.
struct SortedSamples {
    std::map<std::string, std::vector<FittedSample>> classes, groups;
    std::vector<FittedSample> transfers;  ///< copies between device and host
    std::vector<MeanKernel> generated;    ///< of the class `memory`; one a run that has them
    std::map<std::string, std::int64_t> group_sizes;
};

/// @param device whose full rates work is counted by. @param known_ms for each run times of all nodes before.
SortedSamples sorted_samples(std::span<const CalibrationRun> runs, const NamedCostModel& device,
                             std::span<const std::vector<double>> known_ms);

/// Milliseconds of all nodes of a graph at the device's full rates. @param compilation none: as traced.
std::vector<double> work_at_full_rates(const std::shared_ptr<const Graph>& graph,
                                       const std::optional<Compilation>& compilation, const NamedCostModel& device);

/// The class or the process group that a sample counts for, with one of the prefixes `class ` and `group `; `link host`
/// for copies between device and host.
std::vector<std::string> rows_of_samples(const CalibrationRun& run);

}  // namespace overlap
