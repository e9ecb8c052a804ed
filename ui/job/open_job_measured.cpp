// Measured traces that lie over the open job's step.

#include <QUndoCommand>

#include "core/base/wording.h"
#include "ui/job/open_job.h"

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
            return setMeasured(traces);
        }
        const std::string ranks = counted(traces.job->ranks.size(), "rank");
        undo_.push(
            new MeasuredChange(*this, traces, tr("Open measured traces of %1").arg(QString::fromStdString(ranks))));
    });
    connect(&measured_reader_, &MeasuredTraceReader::failed, this, [this](const QString& reason) {
        const bool again = !measured_again_.isEmpty();
        measured_again_.clear();
        emit failed(again ? tr("measured traces of the last session are left out: %1").arg(reason) : reason);
        if (again) emit changed();
    });
}

void OpenJob::openMeasured(const QStringList& files) {
    if (!isOpen() || files.isEmpty()) return;
    measured_again_.clear();
    if (!answer_.picture || !answer_.picture->evaluation->result.step_ms)
        return emit failed(tr("the job has no step that measured traces could lie over"));
    measured_reader_.read(files, answer_.picture->evaluation, job::UnfitRanks::refused);
}

void OpenJob::closeMeasured() {
    if (measured_.job) undo_.push(new MeasuredChange(*this, {}, tr("Close measured traces")));
}

void OpenJob::setMeasured(const MeasuredTraces& traces) {
    measured_ = traces;
    emit changed();
    evaluate();
}

void OpenJob::readMeasuredAgain() {
    if (measured_again_.isEmpty() || measured_reader_.busy() || !answer_.picture) return;
    // What is tried may be what they don't fit: they come back when it is undone.
    if (answer_.picture->evaluation->result.step_ms)
        measured_reader_.read(measured_again_, answer_.picture->evaluation, job::UnfitRanks::kept);
}

QStringList OpenJob::measuredFiles() const {
    return measured_again_.isEmpty() ? measured_.files : measured_again_;
}

}  // namespace overlap::ui
