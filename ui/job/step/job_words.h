#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/job/view/job_timeline.h"
#include "ui/job/open/open_job.h"
#include "ui/timeline/drawing/timeline_overlay.h"

namespace overlap::ui {

/// What a reference of a job's timeline is waited for by: of a standstill whose message or collective it waits for, of
/// an action what it stood still for before; of measured waiting the measured action. Nothing where it waited for
/// nobody.
std::optional<quint32> awaitedBy(const job::JobPicture& picture, quint32 reference);

/// What there is to say of a reference, as rich text of a few lines: what it is, when, how long it waited for a peer
/// and how long for what was on its way, who came last. Links are `node:REFERENCE`.
QString describedReference(const job::JobPicture& picture, quint32 reference);
/// The same in short, for a tool tip that has name and time already.
QString hintOf(const job::JobPicture& picture, quint32 reference);

/// Messages to and from an action, and who came last to a collective, as arrows.
std::vector<TimelineArrow> arrowsOf(const job::JobPicture& picture, quint32 reference);

/// The stage of a reference; -1 for programs.
int stageOf(const job::JobPicture& picture, quint32 reference);

/// `step 4 123 ms (−12.1 ms), bubble 23.4 % …`, each with its difference to the job as it was opened.
QStringList figureTexts(const JobFigures& figures, const std::optional<JobFigures>& opened);

/// The problems of a job that cannot run, or its refusal; empty where it runs.
QString problemText(const OpenJob& job);

}  // namespace overlap::ui
