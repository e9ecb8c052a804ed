#pragma once

#include <QString>

#include "ui/job/job_evaluator.h"

namespace overlap::ui {

/// Writes a job into `path`: the document with its changes, whose files are named as they lie from there. Plans that
/// stages have in place of their files' are written beside it, and so are graphs that only the program has.
/// @param from the file that it was read from. @returns an empty text, or one sentence on what could not be written.
QString writeJob(const QString& path, const QString& from, const job::JobDocument& changed, const StagePlans& plans);

/// Where writeJob() writes the plan of a stage.
QString planFileBeside(const QString& path, std::size_t stage);

}  // namespace overlap::ui
