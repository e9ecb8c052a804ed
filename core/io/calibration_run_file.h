#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/calibrate/calibration_run.h"
#include "core/pipeline/evaluation.h"

namespace overlap {

/// What a result of overlap-runner has measured of an evaluation's result.
/// @throws InputError with the file: cannot be read, or of another graph.
CalibrationRun read_runner_run(const std::string& file, const std::shared_ptr<const Evaluation>& ran);

/// What traces of a job's profiler, which do not say what ran, have measured of an evaluation's result. Those of ranks
/// of one job are one run, see run_of_ranks(); else each is a run of its own.
/// @throws InputError with the file: cannot be read, or of another job.
std::vector<CalibrationRun> read_calibration_traces(std::span<const std::string> files,
                                                    const std::shared_ptr<const Evaluation>& ran);

}  // namespace overlap
