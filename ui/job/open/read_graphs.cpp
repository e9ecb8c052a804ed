#include "ui/job/open/read_graphs.h"

#include <QFile>

#include "core/job/document/files_of_job.h"
#include "ui/job/open/job_source.h"
#include "ui/job/open/saved_job.h"

namespace overlap::ui {
ReadGraphs graphsAsTheyAre(const job::JobDocument& document, const QString& file) {
    ReadGraphs read;
    const auto add = [&](const std::string& name) {
        const QString path = fileOfJob(file, name);
        if (path.isEmpty() || read.contains(path)) return;
        // The stamp comes first: what is written after it is seen.
        const FileStamp stamp = fileStamp(path);
        read[path] = {stamp, fileDigest(path)};
    };
    for (job::StageSpec stage : document.stages)
        for (const std::string* graph : job::graph_files(stage)) add(*graph);
    add(document.schedule.file);
    return read;
}

std::vector<ChangedGraph> changedGraphs(const ReadGraphs& read, const QString& job) {
    std::vector<ChangedGraph> changed;
    for (const auto& [path, before] : read) {
        const QString file = graphFor(job, path);
        if (isEmbeddedFile(file) || (file == path && fileStamp(file) == before.stamp)) continue;
        QByteArray now = fileDigest(file);
        if (now != before.digest) changed.push_back({file, std::move(now)});
    }
    return changed;
}

job::JobDocument withCopiedGraphs(const job::JobDocument& document, const QString& read_from, const QString& job) {
    job::JobDocument copied = document;
    for (job::StageSpec& stage : copied.stages)
        for (std::string* graph : job::graph_files(stage))
            if (const QString path = fileOfJob(read_from, *graph); isEmbeddedFile(path))
                *graph = QFile::encodeName(graphFor(job, path)).toStdString();
    return copied;
}

}  // namespace overlap::ui
