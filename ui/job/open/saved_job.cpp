#include "ui/job/open/saved_job.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include "core/io/plan/plan_file.h"
#include "core/job/document/files_of_job.h"
#include "core/job/document/job_file.h"
#include "ui/files/write_file.h"
#include "ui/job/open/job_source.h"

namespace overlap::ui {
namespace {

QByteArray bytesOf(const std::string& text) {
    return QByteArray(text.data(), static_cast<qsizetype>(text.size()));
}

class Writer {
  public:
    Writer(const QString& path, const QString& from)
        : path_(path), from_(from), folder_(QFileInfo(path).absoluteDir()) {}

    /// A file that the document names, as it is named from the new place.
    std::string moved(const std::string& file) {
        if (file.empty()) return file;
        const QString there = fileOfJob(from_, file);
        if (!isEmbeddedFile(there)) return QFile::encodeName(folder_.relativeFilePath(there)).toStdString();
        QFile embedded(there);
        if (embedded.open(QIODevice::ReadOnly)) copy(graphFor(path_, there), embedded.readAll());
        return QFileInfo(there).fileName().toStdString();
    }

    std::string plan(const QString& file, const Plan* plan) {
        if (file.isEmpty()) return {};
        if (plan && problem_.isEmpty()) problem_ = writeFile(file, bytesOf(write_plan_text(*plan)), OlderVersion::kept);
        return QFile::encodeName(folder_.relativeFilePath(file)).toStdString();
    }

    void document(const job::JobDocument& job) {
        problem_ = exportFile(path_, bytesOf(job::write_job_text(job)), folder_patience, OlderVersion::kept);
    }
    const QString& problem() const { return problem_; }

  private:
    /// Another file of the user's by that name stays as it is.
    void copy(const QString& file, const QByteArray& bytes) {
        if (!problem_.isEmpty()) return;
        QFile there(file);
        if (!there.open(QIODevice::ReadOnly)) {
            problem_ = exportFile(file, bytes);
        } else if (there.readAll() != bytes) {
            problem_ =
                QStringLiteral("%1 is there already and is another graph; choose another folder for the job").arg(file);
        }
    }

    QString path_, from_;
    QDir folder_;
    QString problem_;
};

}  // namespace

StageFiles filesOfStages(const job::JobDocument& document, const QString& file) {
    StageFiles files;
    for (const job::StageSpec& stage : document.stages)
        files.push_back({fileOfJob(file, stage.graph), fileOfJob(file, stage.plan)});
    return files;
}

QString graphFor(const QString& path, const QString& graph) {
    return isEmbeddedFile(graph) && !isEmbeddedFile(path)
               ? QFileInfo(path).absoluteDir().filePath(QFileInfo(graph).fileName())
               : graph;
}

QString planFileBeside(const QString& path, std::size_t stage, int other) {
    QString name = QFileInfo(path).fileName();
    for (const QString& end : {QStringLiteral(".job.json"), QStringLiteral(".json")}) {
        if (!name.endsWith(end)) continue;
        name.chop(end.size());
        break;
    }
    return QFileInfo(path).absoluteDir().filePath(
        QStringLiteral("%1.stage%2%3.plan.json")
            .arg(name, QString::number(stage), other > 0 ? QStringLiteral("-%1").arg(other + 1) : QString()));
}

QString writeJob(const QString& path, const QString& from, const job::JobDocument& changed, const StageFiles& files,
                 const StagePlans& plans) {
    Writer writer(path, from);
    job::JobDocument job = changed;
    for (std::size_t i = 0; i < job.stages.size(); ++i) {
        job::StageSpec& stage = job.stages[i];
        for (std::string* file : job::graph_files(stage)) *file = writer.moved(*file);
        stage.plan = writer.plan(files[i].plan, plans[i].get());
    }
    job.schedule.file = writer.moved(job.schedule.file);
    // The document comes last: it names nothing that is not there.
    if (writer.problem().isEmpty()) writer.document(job);
    return writer.problem();
}

}  // namespace overlap::ui
