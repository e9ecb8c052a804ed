#include "ui/document/program_question.h"

#include <QFileInfo>
#include <QProcess>
#include <QTimer>
#include <utility>

namespace overlap::ui {
namespace {

constexpr int patience_ms = 10000;  ///< a driver that wakes devices up takes seconds
constexpr int closing_ms = 200;

}  // namespace

ProgramQuestion::ProgramQuestion(QObject* parent) : QObject(parent) {}

ProgramQuestion::~ProgramQuestion() {
    if (!process_) return;
    process_->disconnect(this);
    process_->kill();
    process_->waitForFinished(closing_ms);
}

void ProgramQuestion::ask(const QString& program, const QStringList& arguments) {
    const QString name = QFileInfo(program).fileName();
    process_ = new QProcess(this);
    connect(process_, &QProcess::errorOccurred, this, [this, name](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) answer({}, tr("%1 is not installed").arg(name));
    });
    connect(process_, &QProcess::finished, this, [this, name](int status) {
        if (status == 0) return answer(process_->readAllStandardOutput());
        // A library that is missing is told by the loader: `overlap-runner: error while loading shared libraries: …`.
        const QString said = QString::fromUtf8(process_->readAllStandardError()).trimmed().section(u'\n', 0, 0);
        answer({}, said.isEmpty() ? tr("%1 ended with status %2").arg(name).arg(status) : said);
    });
    QTimer::singleShot(patience_ms, process_, [this, name] {
        process_->kill();
        answer({}, tr("%1 gives no answer").arg(name));
    });
    process_->start(program, arguments);
}

void ProgramQuestion::answer(const QByteArray& output, const QString& failure) {
    if (!process_) return;
    QProcess* process = std::exchange(process_, nullptr);
    process->disconnect(this);
    process->deleteLater();
    emit answered(output, failure);
}

}  // namespace overlap::ui
