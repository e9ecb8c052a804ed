#include "ui/files/program_question.h"

#include <QFileInfo>
#include <QProcess>
#include <utility>

#include "ui/files/end_process.h"

namespace overlap::ui {
namespace {

constexpr int patience_ms = 10000;  ///< a driver that wakes devices up takes seconds

}  // namespace

ProgramQuestion::ProgramQuestion(QObject* parent) : QObject(parent) {
    patience_.setSingleShot(true);
    patience_.setInterval(patience_ms);
    connect(&patience_, &QTimer::timeout, this, [this] { answer({}, tr("%1 gives no answer").arg(name_)); });
}

ProgramQuestion::~ProgramQuestion() {
    if (process_) endProcess(*process_);
}

void ProgramQuestion::ask(const QString& program, const QStringList& arguments) {
    name_ = QFileInfo(program).fileName();
    process_ = new QProcess(this);
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) answer({}, tr("%1 is not installed").arg(name_));
    });
    connect(process_, &QProcess::finished, this, [this](int status) {
        if (status == 0) return answer(process_->readAllStandardOutput());
        // A library that is missing is reported by the loader: `overlap-runner: error while loading shared libraries:
        // …`.
        const QString said = QString::fromUtf8(process_->readAllStandardError()).trimmed().section(u'\n', 0, 0);
        answer({}, said.isEmpty() ? tr("%1 ended with status %2").arg(name_).arg(status) : said);
    });
    patience_.start();
    process_->start(program, arguments);
}

void ProgramQuestion::answer(const QByteArray& output, const QString& failure) {
    if (!process_) return;
    patience_.stop();  // the process may outlive its answer: below a dialog nothing is deleted
    endProcessLater(std::exchange(process_, nullptr));
    emit answered(output, failure);
}

}  // namespace overlap::ui
