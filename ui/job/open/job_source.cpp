#include "ui/job/open/job_source.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include "core/base/error.h"
#include "core/imports/any_graph_file.h"
#include "core/io/graph_file.h"
#include "core/job/document/files_of_job.h"
#include "core/job/document/job_file.h"

namespace overlap::ui {
namespace {

std::string fileName(const QString& path) {
    return QFile::encodeName(path).toStdString();
}

std::string embeddedBytes(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) throw InputError(path.toStdString(), "", "there is no such embedded sample");
    return file.readAll().toStdString();
}

}  // namespace

QString sampleJob() {
    return QStringLiteral(":/samples/llama3_8b_pp8.job.json");
}

bool isEmbeddedFile(const QString& path) {
    return path.startsWith(u":/");
}

job::JobDocument readJob(const QString& path) {
    if (isEmbeddedFile(path)) return job::read_job_text(embeddedBytes(path), path.toStdString());
    return job::read_job_file(fileName(path));
}

std::shared_ptr<const Graph> readGraphOfStage(const std::string& path) {
    const QString name = QFile::decodeName(QByteArray::fromStdString(path));
    if (!isEmbeddedFile(name)) return read_any_graph_file(path).graph;
    return read_graph_text(embeddedBytes(name), path);
}

QString folderOfJob(const QString& path) {
    return path.section(u'/', 0, -2);
}

QString fileOfJob(const QString& job, const std::string& file) {
    if (file.empty()) return {};
    const std::string path = job::file_beside(fileName(folderOfJob(job)), file);
    const QString name = QFile::decodeName(QByteArray::fromStdString(path));
    return isEmbeddedFile(name) ? name : QDir::cleanPath(QFileInfo(name).absoluteFilePath());
}

}  // namespace overlap::ui
