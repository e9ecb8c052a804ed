#pragma once

#include <memory>
#include <string>

#include "core/calibrate/calibration_run.h"
#include "core/pipeline/evaluation.h"

namespace overlap {

/// What a file has measured of an evaluation's result: a result of overlap-runner, or a trace of a job's profiler,
/// which does not say what ran.
/// @throws InputError with the file: cannot be read, or of another graph or job.
CalibrationRun read_calibration_run(const std::string& file, const std::shared_ptr<const Evaluation>& ran);

/// The same of a trace.
CalibrationRun read_calibration_trace(const std::string& file, const std::shared_ptr<const Evaluation>& ran);

}  // namespace overlap
