#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/calibrate/calibration_run.h"
#include "core/cost/named_cost_model.h"

namespace overlap {

/// Relative errors `|predicted - measured| / measured` over the samples of a row.
struct RelativeError {
    double median = 0, ninetieth = 0;  ///< the median and the 90th percentile
};

/// What was fitted for one class of compute, one process group or the link to the host, and how far predictions are
/// off.
struct CalibrationRow {
    enum class Kind : std::uint8_t { compute_class, process_group, host_link };
    Kind kind = Kind::compute_class;
    std::string name;  ///< of the class or the process group; `host` of the link to the host
    std::uint32_t samples = 0;
    RelativeError before, after;
    std::string note;  ///< what the data could not determine; a clause, may be empty
    /// By which share sums are off that the fit has not seen, see held_out_error(); none: too few samples, or kernels
    /// that are known as a sum.
    std::optional<double> held_out{};
};

/// One run predicted as a whole.
struct CalibratedStep {
    std::string run;
    std::optional<double> measured_ms, measured_exposed_ms;
    double before_ms = 0, before_exposed_ms = 0;
    double after_ms = 0, after_exposed_ms = 0;
};

/// A fitted cost model with its errors. Nothing uses it before the user has accepted it.
struct Calibration {
    NamedCostModel model;
    std::vector<CalibrationRow> rows;
    std::vector<CalibratedStep> steps;  ///< one a run, in order
    std::vector<std::string> notes;     ///< what could not be determined; sentences without full stop
};

/// What a calibration starts from.
struct CalibrationBase {
    /// Rates of the device, and everything that the runs do not determine.
    NamedCostModel model;
    /// Errors before are those of the graphs' own times; false: of `model`.
    bool graphs_own_times = false;
};

/// Fits a cost model to runs.
///
/// Of each class of compute, efficiency and overhead by `time = overhead + work / efficiency`, and of each process
/// group latency and bandwidth by `time = latency + bytes / bandwidth`; see fit_line(). The link to the host has all
/// bytes that were copied in the time that all copies took. Samples that ran alone count
/// first; those that ran beside others then determine the factors of contention, where there are at least
/// `samples_needed` of both kinds. What runs do not determine stays as the base has it, factors of contention are left
/// out, and notes say so; they also say where compute was not determined and what becomes of it (keep_classes()), and
/// which step is predicted worse than before. Work and predictions are those of the job as each run compiled it.
/// @param name of the model that results.
/// @throws InputError where there is no run, or nothing in the runs can be fitted.
Calibration calibrate(std::span<const CalibrationRun> runs, const CalibrationBase& base, std::string name);

}  // namespace overlap
