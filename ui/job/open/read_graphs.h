#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <map>
#include <vector>

#include "core/job/document/job_document.h"
#include "ui/files/file_digest.h"

namespace overlap::ui {

/// What a graph's file, or that of a schedule, had when a job read it.
struct ReadGraph {
    FileStamp stamp;
    QByteArray digest;  ///< of the content; empty where it could not be read
};

/// Of the graphs of all stages and of a schedule's list, by the files that the document names.
using ReadGraphs = std::map<QString, ReadGraph>;

/// Reads the files; may take long.
/// @param file that the document was read from.
ReadGraphs graphsAsTheyAre(const job::JobDocument& document, const QString& file);

/// A file that has something else than a job has read.
struct ChangedGraph {
    QString file;
    QByteArray digest;  ///< of what it has now; empty where it is gone
};

/// Those of `read` that changed, or are gone. May take long.
/// @param job the file that the job is in, beside which embedded graphs were copied.
std::vector<ChangedGraph> changedGraphs(const ReadGraphs& read, const QString& job);

/// The document with embedded graphs read from their copies beside a job.
job::JobDocument withCopiedGraphs(const job::JobDocument& document, const QString& read_from, const QString& job);

}  // namespace overlap::ui
