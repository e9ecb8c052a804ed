#include "ui/diagnostics/companion_versions.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "core/base/byte_units.h"
#include "ui/files/companion_program.h"
#include "ui/files/program_question.h"

namespace overlap::ui {
namespace {

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
                         .arg(device.value("memory_bytes").toDouble() / bytes_per_gib, 0, 'f', 1));
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

CompanionVersions::CompanionVersions(QObject* parent) : QObject(parent), answers_(2) {
    ask(0, QStringLiteral("overlap-layout"), {QStringLiteral("--version")}, firstLine);
    ask(1, QStringLiteral("overlap-runner"), {QStringLiteral("--devices")}, runnerLines);
}

void CompanionVersions::ask(std::size_t place, const QString& program, const QStringList& arguments,
                            QStringList (*read)(const QByteArray& answer)) {
    ++waiting_;
    auto* question = new ProgramQuestion(this);
    connect(question, &ProgramQuestion::answered, this,
            [this, place, read](const QByteArray& output, const QString& failure) {
                answers_[place] = failure.isEmpty() ? read(output) : QStringList(failure);
                --waiting_;
                emit changed();
            });
    question->ask(companionProgram(program), arguments);
}

QStringList CompanionVersions::lines() const {
    QStringList all;
    for (const QStringList& answer : answers_) all += answer;
    return all;
}

}  // namespace overlap::ui
