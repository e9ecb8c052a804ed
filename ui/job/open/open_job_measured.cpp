// Measured traces that lie over the open job's step.

#include <QUndoCommand>

#include "core/base/wording.h"
#include "ui/job/open/open_job.h"

namespace overlap::ui {

/// Other traces over the job, before and after.
class OpenJob::MeasuredChange : public QUndoCommand {
  public:
    MeasuredChange(OpenJob& job, MeasuredTraces after, const QString& text)
        : QUndoCommand(text), job_(job), before_(job.measured_), after_(std::move(after)) {}

    void redo() override { job_.setMeasured(after_); }
    void undo() override { job_.setMeasured(before_); }

  private:
    OpenJob& job_;
    MeasuredTraces before_, after_;
};

void OpenJob::connectMeasured() {
    connect(&measured_reader_, &MeasuredTraceReader::busyChanged, this, &OpenJob::busyChanged);
    connect(&measured_reader_, &MeasuredTraceReader::done, this, [this](const MeasuredTraces& traces) {
        // What a session brings back is no change of the user's.
        if (!measured_again_.isEmpty()) {
            measured_again_.clear();
            setMeasured(traces);
            return readMeasured();
        }
        measured_asked_.clear();
        const std::string ranks = counted(traces.job->ranks.size(), "rank");
        undo_.push(
            new MeasuredChange(*this, traces, tr("Open measured traces of %1").arg(QString::fromStdString(ranks))));
    });
    connect(&measured_reader_, &MeasuredTraceReader::leftOut, this, [this](const QStringList& reasons) {
        emit failed(tr("of the measured traces that were open before are left out: %1")
                        .arg(reasons.join(QStringLiteral("; "))));
    });
    connect(&measured_reader_, &MeasuredTraceReader::failed, this, [this](const QString& reason) {
        if (measured_again_.isEmpty()) return refuseMeasured(reason);
        measured_again_.clear();
        emit failed(tr("measured traces that were open before are left out: %1").arg(reason));
        emit changed();
        readMeasured();
    });
}

void OpenJob::openMeasured(const QStringList& files) {
    if (!isOpen() || files.isEmpty()) return;
    if (measured_again_.isEmpty()) measured_reader_.cancel();
    measured_asked_ = files;
    readMeasured();
}

void OpenJob::refuseMeasured(const QString& reason) {
    measured_asked_.clear();
    emit failed(reason);
}

void OpenJob::closeMeasured() {
    if (measured_.job) undo_.push(new MeasuredChange(*this, {}, tr("Close measured traces")));
}

void OpenJob::setMeasured(const MeasuredTraces& traces) {
    measured_ = traces;
    emit changed();
    evaluate();
}

void OpenJob::readMeasured() {
    const bool answered = answer_.picture || !answer_.refusal.isEmpty();
    if (!answered || measured_reader_.busy()) return;
    const bool has_step = answer_.picture && answer_.picture->evaluation->result.step_ms;
    // Those of a session come first, so that undo brings them back.
    if (!measured_again_.isEmpty() && has_step) {
        // What is tried may be what they don't fit: they come back when it is undone.
        measured_reader_.read(measured_again_, answer_.picture->evaluation, job::UnfitRanks::kept);
    } else if (!measured_asked_.isEmpty()) {
        if (!has_step) return refuseMeasured(tr("the job has no step that measured traces could lie over"));
        measured_reader_.read(measured_asked_, answer_.picture->evaluation, job::UnfitRanks::refused);
    }
}

QStringList OpenJob::measuredFiles() const {
    return measured_again_.isEmpty() ? measured_.files : measured_again_;
}

}  // namespace overlap::ui
