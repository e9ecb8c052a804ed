#pragma once

#include <QString>

#include "core/calibrate/run_differences.h"
#include "core/graph/compilation.h"
#include "ui/run/run_result.h"

namespace overlap::ui {

/// What the window shows of the plan that is run.
struct ShownStep {
    double step_ms = 0, exposed_ms = 0;
    std::optional<CompiledScope> compiled{};  ///< what the job compiles by these figures; the runner may not
    /// Both are of a step in which each process group has a link of its own; the other views have another one.
    bool separate_links = false;
};

/// A result for display, as rich text in the current theme: what was run where, memory, groups, times. Every figure can
/// be selected and copied.
/// @param sums of what was measured by class and process group; empty of a dry check.
/// @param shown beside what the runner predicts, where both differ.
QString runReport(const RunResult& result, const std::vector<DifferenceSum>& sums = {}, const ShownStep& shown = {});

/// The result in one sentence, for the log and the status bar.
QString runSentence(const RunResult& result);

}  // namespace overlap::ui
