#pragma once

#include <QObject>
#include <QStringList>
#include <memory>

#include "core/job/measured/measured_job.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

/// Measured traces that lie over a job's step, one a rank.
struct MeasuredTraces {
    QStringList files;
    std::shared_ptr<const job::MeasuredJob> job;  ///< null where none are open

    bool operator==(const MeasuredTraces&) const = default;
};

/// Reads traces of a job's ranks in the background, and matches them with the job.
class MeasuredTraceReader : public QObject {
    Q_OBJECT

  public:
    explicit MeasuredTraceReader(QObject* parent = nullptr);

    /// @param evaluation of the job as it is now; it has run.
    /// @param unfit where these are kept, so are traces of which others cannot be read: leftOut() tells which.
    void read(const QStringList& files, std::shared_ptr<const job::JobEvaluation> evaluation, job::UnfitRanks unfit);
    void cancel() { task_.cancel(); }
    bool busy() const { return task_.busy(); }

  signals:
    void done(const overlap::ui::MeasuredTraces& traces);
    /// Before done(): one sentence for each file that could not be read.
    void leftOut(const QStringList& reasons);
    /// One sentence with the file: it cannot be read, or is not of this job where that is refused.
    void failed(const QString& reason);
    void busyChanged();

  private:
    LatestTask task_;
};

}  // namespace overlap::ui
