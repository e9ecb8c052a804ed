#pragma once

#include <QObject>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/job/job_changes.h"
#include "core/job/schedule_table.h"
#include "core/job/stages/graph_stages.h"
#include "core/job/view/job_timeline.h"
#include "core/job/view/stage_figures.h"
#include "core/job/what_if.h"
#include "core/plan/plan.h"
#include "ui/files/file_digest.h"
#include "ui/job/open/read_graphs.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

/// Plans that stages use in place of their files', by stage; null where a stage has what the document says.
using StagePlans = std::vector<std::shared_ptr<const Plan>>;

/// Times of a job's stages, for any thread. Of each stage the times of the newest plans are kept: where an edit and
/// what is still compared for the job before it ask in turn, neither is evaluated twice.
class StageTimes {
  public:
    /// @param folder that the document's paths are relative to.
    explicit StageTimes(const std::string& folder);

    /// Figures of stages with these plans. Keeps the object.
    static job::StageEvaluator evaluator(const std::shared_ptr<StageTimes>& times, StagePlans plans);
    /// Evaluations made so far.
    std::size_t evaluations() const;

  private:
    job::GraphStageTimes of(const job::StageSpec& stage, std::size_t number, const std::shared_ptr<const Plan>& plan);

    struct Known {
        std::shared_ptr<const Plan> plan;
        job::GraphStageTimes times;
    };
    mutable std::mutex mutex_;
    job::GraphStages stages_;
    std::map<std::size_t, std::list<Known>> of_plans_;  ///< of each stage with plans of its own, the newest first
};

/// What the system says of a file: its content, and whether it may be read.
struct JobFile {
    FileStamp stamp;
    bool readable = false;

    bool operator==(const JobFile&) const = default;
};
/// Others where a file has changed, has come or is gone.
using FileStamps = std::vector<JobFile>;
/// Of all files that a document names. May block as long as a folder does.
FileStamps stampsOfFiles(const job::JobDocument& job, const std::string& folder);

/// The job of which one step is shown; a thousand draws would be made for each edit.
job::JobDocument withoutDraws(const job::JobDocument& job);

/// What a job is evaluated with.
struct JobRequest {
    std::shared_ptr<const job::JobDocument> document;  ///< as it was opened
    job::JobChanges changes;
    StagePlans plans;
    std::shared_ptr<const job::MeasuredJob> measured;  ///< lies over it; may be null
    std::shared_ptr<StageTimes> times;
    std::string folder;
    std::string file;          ///< for messages
    QString read_from;         ///< the document
    bool asks_graphs = false;  ///< what files of graphs have is not known yet
};

/// What came of a request: a picture, or why there is none.
struct JobAnswer {
    std::shared_ptr<const job::JobPicture> picture;
    QString refusal;  ///< one sentence without full stop; empty where there is a picture
    /// Of a job that is refused: what each stage takes, as far as that is known.
    std::vector<std::optional<job::StageFigures>> stages;
    FileStamps files;         ///< those that the document names, before they were read
    ReadGraphs graphs;        ///< where the request asks for them
    double evaluated_ms = 0;  ///< how long it took
};

/// What takes longer than a step: it comes after the picture.
struct JobComparison {
    std::vector<job::ScheduleRow> schedules;  ///< all side by side; none for programs
    std::vector<job::WhatIf> what_ifs;        ///< none for programs, and where the job cannot run
    std::optional<double> step_ms;            ///< that they are compared with
    std::optional<job::StepSpread> spread;    ///< where the document asks for draws
};

/// Evaluates jobs in the background: the newest request wins, then all schedules side by side, what each thing costs,
/// and what draws give.
class JobEvaluator : public QObject {
    Q_OBJECT

  public:
    explicit JobEvaluator(QObject* parent = nullptr);

    void request(JobRequest request);
    void cancel();
    /// True until the newest request has been answered.
    bool busy() const { return task_.busy(); }
    /// True until its schedules are there, too.
    bool comparing() const { return busy() || table_task_.busy(); }

  signals:
    void answered(const overlap::ui::JobAnswer& answer);
    void compared(const overlap::ui::JobComparison& comparison);
    void busyChanged(bool busy);

  private:
    void compare(const JobRequest& request, std::optional<double> step_ms);

    LatestTask task_, table_task_;
};

}  // namespace overlap::ui
