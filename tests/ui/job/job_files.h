#pragma once

#include <QFile>
#include <QTemporaryDir>

#include "core/job/document/job_file.h"
#include "core/job/run_job.h"
#include "core/job/stages/graph_stages.h"
#include "ui/job/open/job_source.h"

namespace overlap::ui {

/// Writes a file of a job, and returns its path.
inline QString written(const QTemporaryDir& folder, const QString& name, const QByteArray& content) {
    QFile file(folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) qFatal("no file");
    return file.fileName();
}

/// What `overlap job simulate` computes of a job's file.
inline job::JobResult simulatedJob(const QString& file) {
    const std::string folder = QFile::encodeName(folderOfJob(file)).toStdString();
    job::GraphStages stages(folder);
    job::PipelineOptions options;
    options.folder = folder;
    options.evaluator = stages.evaluator();
    return job::run_job(job::read_job_file(QFile::encodeName(file).toStdString()), options);
}

}  // namespace overlap::ui
