#pragma once

#include <QString>
#include <QStringList>

#include "core/job/view/job_timeline.h"

namespace overlap::ui {

/// Traces cannot tell smaller differences: they are shown as none.
inline constexpr double noticed_ms = 0.0005;

/// What there is to say of a measured event, as rich text of a few lines: what it is, on which rank and when, and how
/// much longer than predicted. Links are `node:REFERENCE`.
QString describedMeasured(const job::JobPicture& picture, const job::MeasuredSpan& span);
/// The same in short, for a tool tip that has name and time already.
QString hintOfMeasured(const job::JobPicture& picture, const job::MeasuredSpan& span);
/// What was measured of an action that is predicted: `measured 12 ms on rank 3 (+0.4 ms)`, with links; empty where
/// nothing was.
QString measuredOf(const job::JobPicture& picture, job::NodeIndex node);

/// `measured 4 123 ms (+31 ms, +0.8 %)` of the step, without differences where it is not compared; empty where nothing
/// lies over it.
QString measuredStepText(const job::JobPicture& picture);
/// Which step it is, how clocks were brought together, which ranks are left out, and why steps are not compared.
QStringList measuredNotes(const job::JobPicture& picture);

}  // namespace overlap::ui
