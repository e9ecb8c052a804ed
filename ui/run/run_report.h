#pragma once

#include <QString>

#include "core/calibrate/run_differences.h"
#include "core/graph/compilation.h"
#include "ui/run/run_result.h"

namespace overlap::ui {

/// A result for display, as rich text in the current theme: what was run where, memory, groups, times. Every figure can
/// be selected and copied.
/// @param sums of what was measured by class and process group; empty of a dry check.
/// @param compiled what the job compiles by the window's figures, which the runner does not; none: nothing.
QString runReport(const RunResult& result, const std::vector<DifferenceSum>& sums = {},
                  std::optional<CompiledScope> compiled = {});

/// The result in one sentence, for the log and the status bar.
QString runSentence(const RunResult& result);

}  // namespace overlap::ui
