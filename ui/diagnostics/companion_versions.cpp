#include "ui/diagnostics/companion_versions.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTimer>

#include "ui/document/companion_program.h"

namespace overlap::ui {
namespace {

constexpr int patience_ms = 10000;  ///< a driver that wakes devices up takes seconds

QStringList firstLine(const QByteArray& answer) {
    return {QString::fromUtf8(answer.trimmed().split('\n').front())};
}

}  // namespace

QStringList runnerLines(const QByteArray& answer) {
    const QJsonObject found = QJsonDocument::fromJson(answer).object();
    if (found.value("format").toString() != u"overlap-devices") return {QObject::tr("overlap-runner gave no answer")};
    QStringList lines;
    for (const QJsonValue& value : found.value("devices").toArray()) {
        const QJsonObject device = value.toObject();
        lines.append(QObject::tr("GPU %1: %2, %3 GiB")
                         .arg(device.value("index").toInt())
                         .arg(device.value("name").toString())
                         .arg(device.value("memory_bytes").toDouble() / (1 << 30), 0, 'f', 1));
    }
    if (const QString reason = found.value("reason").toString(); !reason.isEmpty())
        lines.append(QObject::tr("GPU: none. %1").arg(reason));
    const QJsonObject libraries = found.value("libraries").toObject();
    QStringList versions;
    for (auto library = libraries.begin(); library != libraries.end(); ++library)
        versions.append(library.key() + u' ' + library.value().toString());
    if (!versions.isEmpty()) lines.append(QObject::tr("Runner: %1").arg(versions.join(QStringLiteral(", "))));
    const QString mpi = found.value("mpi").toString();
    lines.append(mpi.isEmpty() ? QObject::tr("MPI: the runner was built without") : mpi);
    return lines;
}

CompanionVersions::CompanionVersions(QObject* parent) : QObject(parent), answers_(2), processes_(2) {
    ask(0, QStringLiteral("overlap-layout"), {QStringLiteral("--version")}, firstLine);
    ask(1, QStringLiteral("overlap-runner"), {QStringLiteral("--devices")}, runnerLines);
}

CompanionVersions::~CompanionVersions() {
    for (QProcess* process : processes_) {
        process->disconnect(this);
        process->kill();
        process->waitForFinished(200);
    }
}

void CompanionVersions::ask(std::size_t place, const QString& program, const QStringList& arguments,
                            QStringList (*read)(const QByteArray& answer)) {
    ++waiting_;
    auto* process = new QProcess(this);
    processes_[place] = process;
    auto answered = [this, place](const QStringList& lines) {
        if (!answers_[place].isEmpty()) return;
        answers_[place] = lines;
        --waiting_;
        emit changed();
    };
    connect(process, &QProcess::errorOccurred, this, [answered, program](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) answered({tr("%1 is not installed").arg(program)});
    });
    connect(process, &QProcess::finished, this,
            [answered, process, read] { answered(read(process->readAllStandardOutput())); });
    QTimer::singleShot(patience_ms, process, [answered, process, program] {
        answered({tr("%1 gives no answer").arg(program)});
        process->kill();
    });
    process->start(companionProgram(program), arguments);
}

QStringList CompanionVersions::lines() const {
    QStringList all;
    for (const QStringList& answer : answers_) all += answer;
    return all;
}

}  // namespace overlap::ui
