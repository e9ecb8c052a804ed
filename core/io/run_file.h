#pragma once

#include <string>
#include <string_view>

#include "core/calibrate/calibration_run.h"

namespace overlap {

/// Whether the file is a result of overlap-runner, by its `format`; a trace is none.
/// @throws InputError when it cannot be read.
bool is_run_file(const std::string& path);

/// Reads the times of a result of overlap-runner (core/run/run.h, run_json()).
/// @throws InputError with file and place; also for a dry run, which has no times.
RunnerTimes read_run_file(const std::string& path);
/// @param name stands for the file in messages.
RunnerTimes read_run_text(std::string_view text, const std::string& name);

}  // namespace overlap
