#pragma once

#include <QString>
#include <memory>

#include "core/graph/graph.h"
#include "core/job/document/job_document.h"

namespace overlap::ui {

// Files of jobs, on the disk or embedded in the program (`:/…`).

/// The sample that the program has: eight stages of a llama3-8B on 512 ranks.
QString sampleJob();
bool isEmbeddedFile(const QString& path);

/// @throws InputError with file and place.
job::JobDocument readJob(const QString& path);
/// @throws InputError with file and place.
std::shared_ptr<const Graph> readGraphOfStage(const std::string& path);

/// The folder that paths of a job's document are relative to.
QString folderOfJob(const QString& path);
/// A file that a job names, as an absolute path; empty where it names none.
QString fileOfJob(const QString& job, const std::string& file);

}  // namespace overlap::ui
