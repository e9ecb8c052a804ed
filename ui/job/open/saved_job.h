#pragma once

#include <QString>

#include "ui/job/open/job_evaluator.h"

namespace overlap::ui {

/// The files of a stage, as absolute paths.
struct StageFile {
    QString graph;  ///< empty where the stage has times or two graphs
    QString plan;   ///< empty for none

    bool operator==(const StageFile&) const = default;
};
using StageFiles = std::vector<StageFile>;

/// The files that a document names.
/// @param file that it was read from.
StageFiles filesOfStages(const job::JobDocument& document, const QString& file);

/// Writes a job into `path`: the document with its changes, whose files are named as they lie from there. Graphs that
/// only the program has are written beside it.
/// @param from the file that the document was read from. @param files of the stages; a plan is written into its file,
/// and where there is none the file is named alone. @returns an empty text, or one sentence on what could not be
/// written.
QString writeJob(const QString& path, const QString& from, const job::JobDocument& changed, const StageFiles& files,
                 const StagePlans& plans);

/// Where the plan of a stage is written beside a job.
/// @param other 0; more where that name is taken.
QString planFileBeside(const QString& path, std::size_t stage, int other = 0);
/// Where a graph of a stage is once the job is in that file: an embedded one beside it, any other where it was.
QString graphFor(const QString& path, const QString& graph);

}  // namespace overlap::ui
