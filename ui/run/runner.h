#pragma once

#include <QObject>
#include <QTemporaryDir>
#include <memory>

#include "core/graph/compilation.h"
#include "core/graph/graph.h"
#include "core/plan/plan.h"
#include "ui/run/run_nodes_model.h"
#include "ui/run/run_process.h"
#include "ui/run/run_result.h"
#include "ui/tasks/latest_task.h"

namespace overlap {
struct TimeSource;
}

namespace overlap::ui {

/// What is to be run: the plan as it is shown.
struct RunInput {
    QString name;                               ///< of graph and plan, for the files that stay
    std::shared_ptr<const Graph> graph;         ///< as opened, with its modules and times
    std::optional<Plan> plan;                   ///< nothing for the graph as it is
    std::shared_ptr<const Graph> rewritten;     ///< what the window shows
    std::shared_ptr<const TimeSource> times{};  ///< whose figures the window shows; null: as traced
};

/// The outcome of a run.
struct RunOutcome {
    QString failure{};  ///< one sentence; empty where the run went through
    bool cancelled = false;
    RunResult result{};
    /// Of a run on devices: they stay where the window keeps things. A trace for each rank, rank 0 first; none where
    /// kernels were not recorded.
    QString result_file{};
    QStringList trace_files{};
    std::shared_ptr<const MeasuredNodes> nodes{};  ///< of a run on devices
    std::optional<CompiledScope> compiled{};       ///< what the job compiles by the window's figures
};

/// Runs a plan by overlap-runner: writes graph and plan as files that only this user can read, follows the process,
/// ends it, and reads the result. Nothing here waits.
class Runner : public QObject {
    Q_OBJECT

  public:
    explicit Runner(QObject* parent = nullptr);

    /// The folder for results of runs on devices, created if needed; without it they are removed with the window.
    void keepResultsIn(const QString& folder) { keep_folder_ = folder; }

    bool busy() const { return files_.busy() || process_.running() || reading_.busy(); }
    bool ending() const { return cancelled_; }

    void start(const RunInput& input, RunMode mode, const RunSettings& settings, const RunEnvironment& environment);
    void cancel();

    /// The run's process; for tests.
    const RunProcess& process() const { return process_; }
    /// Folder of the files that are handed over; empty while there is none.
    QString folder() const { return folder_ ? folder_->path() : QString(); }

  signals:
    /// busy() or ending() has changed.
    void stateChanged();
    void progressed(int done, int of);
    void said(const QString& line);
    void finished(const overlap::ui::RunOutcome& outcome);

  private:
    RunFiles filesIn(const QString& folder) const;
    void launch(const RunFiles& files);
    /// What the runner is asked to compile: what the window's figures are of, where that is wanted.
    std::optional<CompiledScope> compiled() const;
    void readResult(int status);
    void finish(const RunOutcome& outcome);

    QString keep_folder_;
    RunInput input_;
    RunMode mode_ = RunMode::dry_check;
    RunSettings settings_;
    RunEnvironment environment_;
    std::unique_ptr<QTemporaryDir> folder_;
    std::vector<std::unique_ptr<QTemporaryDir>> kept_;  ///< with results that go with the window
    QStringList lines_;
    bool cancelled_ = false;
    RunProcess process_;
    LatestTask files_, reading_;
};

}  // namespace overlap::ui
