#pragma once

#include <QString>

#include "ui/run/run_result.h"

namespace overlap::ui {

/// A result for people, as rich text in the current theme: what was run where, memory, groups, times. Every figure can
/// be selected and copied.
QString runReport(const RunResult& result);

/// The result in one sentence, for the log and the status bar.
QString runSentence(const RunResult& result);

}  // namespace overlap::ui
