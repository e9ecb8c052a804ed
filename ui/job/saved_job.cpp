#include "ui/job/saved_job.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include "core/io/plan/plan_file.h"
#include "core/job/document/files_of_job.h"
#include "core/job/document/job_file.h"
#include "ui/files/write_file.h"
#include "ui/job/job_source.h"

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
        const QString name = QFileInfo(there).fileName();
        QFile embedded(there);
        if (embedded.open(QIODevice::ReadOnly)) copy(folder_.filePath(name), embedded.readAll());
        return name.toStdString();
    }

    std::string plan(std::size_t stage, const Plan& plan) {
        const QString file = planFileBeside(path_, stage);
        if (problem_.isEmpty()) problem_ = writeFile(file, bytesOf(write_plan_text(plan)), OlderVersion::kept);
        return QFile::encodeName(QFileInfo(file).fileName()).toStdString();
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

QString planFileBeside(const QString& path, std::size_t stage) {
    QString name = QFileInfo(path).fileName();
    for (const QString& end : {QStringLiteral(".job.json"), QStringLiteral(".json")}) {
        if (!name.endsWith(end)) continue;
        name.chop(end.size());
        break;
    }
    return QFileInfo(path).absoluteDir().filePath(
        QStringLiteral("%1.stage%2.plan.json").arg(name).arg(static_cast<qulonglong>(stage)));
}

QString writeJob(const QString& path, const QString& from, const job::JobDocument& changed, const StagePlans& plans) {
    for (const std::string& file : job::files_of_job(changed, QFile::encodeName(folderOfJob(from)).toStdString()))
        if (QFileInfo(QFile::decodeName(QByteArray::fromStdString(file))) == QFileInfo(path))
            return QStringLiteral("%1 is a file that the job reads; choose another name").arg(path);
    Writer writer(path, from);
    job::JobDocument job = changed;
    for (std::size_t i = 0; i < job.stages.size(); ++i) {
        job::StageSpec& stage = job.stages[i];
        for (std::string* file : job::graph_files(stage)) *file = writer.moved(*file);
        stage.plan = i < plans.size() && plans[i] ? writer.plan(i, *plans[i]) : writer.moved(stage.plan);
    }
    job.schedule.file = writer.moved(job.schedule.file);
    // The document comes last: it names nothing that is not there.
    if (writer.problem().isEmpty()) writer.document(job);
    return writer.problem();
}

}  // namespace overlap::ui
