#pragma once

#include <QJsonObject>
#include <QObject>
#include <QUndoStack>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "ui/files/watched_files.h"
#include "ui/job/open/changed_files.h"
#include "ui/job/open/job_evaluator.h"
#include "ui/job/open/job_figures.h"
#include "ui/job/open/measured_traces.h"
#include "ui/job/open/saved_job.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

/// The tab of the document that a stage's plan is edited in.
struct FollowedTab {
    quint64 tab = 0;  ///< Variant::key(); 0 for none, unknown_tab for one of before, whose graph is not open

    bool operator==(const FollowedTab&) const = default;
};
constexpr quint64 unknown_tab = ~quint64{0};

/// A stage of a job that was written into another file.
struct SavedStage {
    QString graph_before, graph;       ///< the same but for a graph that was copied beside the job
    FollowedTab followed;              ///< whose plan was written
    std::shared_ptr<const Plan> plan;  ///< what the stage's file has; null where it has none
    QString plan_file;                 ///< empty where the stage has none
};

/// The job that is open: its document as it was read, what is tried with it, plans of its stages, and its newest
/// evaluation, made in the background. Changes can be undone; plans of stages are edited where all plans are, and this
/// only follows.
class OpenJob : public QObject {
    Q_OBJECT

  public:
    explicit OpenJob(QObject* parent = nullptr);
    ~OpenJob() override;

    bool isOpen() const { return document_ != nullptr; }
    /// True while a document is being read or evaluated, or schedules are compared.
    bool busy() const {
        return reading_.busy() || opened_task_.busy() || measured_reader_.busy() || evaluator_.comparing();
    }
    bool evaluating() const { return evaluator_.busy(); }
    /// True while schedules() are of before.
    bool comparing() const { return evaluator_.comparing(); }
    bool reading() const { return reading_.busy() || measured_reader_.busy(); }
    /// The file that it was opened from or saved into last.
    const QString& file() const { return file_; }
    /// The document's name, or its file's.
    QString name() const;
    /// As it was opened. Only where isOpen().
    const job::JobDocument& document() const { return *document_; }
    bool hasStages() const { return isOpen() && !document_->has_programs; }
    int stageCount() const { return isOpen() ? static_cast<int>(document_->stages.size()) : 0; }
    const job::JobChanges& changes() const { return changes_; }
    QUndoStack& undoStack() { return undo_; }

    /// Reads a document in the background; it takes the place of the open one once it is read, and only then. A job
    /// with changes that are in no file is kept, and comes back as it was when its file is opened again.
    void open(const QString& path);
    /// Looks in the background at the job's file and at those that it names: where the job is refused it is evaluated
    /// once more once one has changed, has come or is gone; else filesChanged() and documentChanged() tell of those
    /// that changed. That happens by itself where the system tells of changes, as in most folders. While the job is
    /// evaluated it waits.
    /// @param again tells also of those that were told of.
    void lookAtFiles(bool again = false);
    /// Evaluates the job with the graphs, plans and schedule that its files have now.
    void readFilesAgain();
    /// Opens the job's file as it is now; changes that are in no file are lost.
    void openAgain();
    /// Stops reading; what is open stays, and what it is evaluated for: figures are never of other controls.
    void cancel();
    /// One undoable change. @param merge changes in a row with one key other than -1 are undone together.
    void change(const QString& text, const job::JobChanges& changes, int merge = -1);

    /// The graph of a stage as an absolute path; empty where the stage has times or two graphs.
    QString graphOf(int stage) const;
    /// The file of a stage's plan, where the job's file names one.
    QString planFileOf(int stage) const;
    /// Whether the stage had a plan in a file when the job was opened.
    bool hadPlanFile(int stage) const;
    /// Whether the stage has what the job's file and its plan's file say.
    bool isPlanInFile(int stage) const;
    /// The plan that a stage has in place of its file's; null where there is none.
    std::shared_ptr<const Plan> planOf(int stage) const;
    /// What the stage's file had when the job was opened, or when it could be read first; null where there is none or
    /// it could not be read yet.
    std::shared_ptr<const Plan> filePlanOf(int stage) const;
    /// Gives a stage another plan, or with null what the document says. Not undoable here: the plan's edits are.
    void setPlan(int stage, std::shared_ptr<const Plan> plan);
    /// The file of a stage's plan has this plan now; null: that of when the job was opened.
    void setPlanInFile(int stage, std::shared_ptr<const Plan> plan);
    /// The same as a change that can be undone, with the tab that the stage follows from now on.
    void usePlan(int stage, std::shared_ptr<const Plan> plan, quint64 tab, const QString& text);
    FollowedTab followedBy(int stage) const;
    void follow(int stage, quint64 tab);
    /// Tells which tabs are open, where their files are watched; files of other stages' plans are watched here. Without
    /// it all tabs but unknown_tab count as open.
    void setOpenTabs(std::function<bool(quint64 tab)> isOpen) { is_tab_open_ = std::move(isOpen); }
    /// The stage whose graph was opened last, for the session; -1 for none.
    int lastStage() const { return last_stage_; }
    void setLastStage(int stage) { last_stage_ = stage; }

    /// Reads traces of ranks in the background; they take the place of those that lie over the step, as a change that
    /// can be undone. failed() tells why one is not of this job, and nothing has changed then. Of a job that is still
    /// being evaluated they are read afterwards.
    void openMeasured(const QStringList& files);
    /// Takes them away; can be undone.
    void closeMeasured();
    const MeasuredTraces& measured() const { return measured_; }
    /// Whether traces of a session are yet to be read.
    bool awaitsMeasured() const { return !measured_again_.isEmpty(); }

    /// The newest evaluation; null before the first and where the job is refused.
    const std::shared_ptr<const job::JobPicture>& picture() const { return answer_.picture; }
    const QString& refusal() const { return answer_.refusal; }
    /// What each stage takes, also where the job is refused; nothing where that is not known.
    std::vector<std::optional<job::StageFigures>> stageFigures() const;
    double evaluatedMs() const { return answer_.evaluated_ms; }
    /// Of the newest evaluation; nothing where there is none or the job cannot run.
    std::optional<JobFigures> figures() const;
    /// Of the job as it was opened.
    const std::optional<JobFigures>& openedFigures() const { return opened_; }
    const std::vector<job::ScheduleRow>& schedules() const { return comparison_.schedules; }
    /// Schedules side by side, what each thing costs, and steps of many draws, as they were compared last.
    const JobComparison& comparison() const { return comparison_; }
    /// Steps of many draws, where the document asks for them and they have been made.
    const std::optional<job::StepSpread>& spread() const { return comparison_.spread; }
    /// Evaluations of stages so far, to see that an edit of one evaluates no other.
    std::size_t stageEvaluations() const { return times_ ? times_->evaluations() : 0; }

    /// Whether anything differs from the document as it was opened.
    bool differs() const;
    /// Whether anything is not in the job's file, or in those that it names.
    bool modified() const;
    /// The same of the open job and of those that were open before.
    bool keepsChanges() const { return modified() || !kept_.empty() || pending_.contains("document"); }
    /// Writes the job as it is now, with the plans of its stages and embedded graphs beside it, and goes on in that
    /// file: nothing is written into those of before any more. Differences stay those to the job as it was opened.
    /// @returns an empty text, or one sentence on why it could not be written.
    QString save(const QString& path);

    /// What the session keeps, so that nothing is lost: the job, or the one that is being brought back, and `others`.
    QJsonObject state() const;
    void restore(const QJsonObject& state);

  signals:
    /// Another job is open.
    void opened();
    /// A document could not be read; one sentence with file and place.
    void failed(const QString& reason);
    /// All files of graphs, plans or a schedule that have something else than the job has read and shows; whenever they
    /// are others than were told, or one has changed once more. Plans that are edited in a tab are watched there.
    void filesChanged(const QStringList& files);
    /// After filesChanged(): all have again what the job has.
    void filesSettled();
    /// The job's own file has something else; once for each content that it gets.
    void documentChanged(const QString& file);
    /// After documentChanged(): the file has again what the job knows.
    void documentSettled();
    /// The job has read the files that it names again.
    void filesRead();
    /// What is tried, or a stage's plan, is another.
    void changed();
    /// A new evaluation, or a refusal in its place.
    void evaluated();
    /// The job is in another file, and so are its stages.
    void saved(const std::vector<overlap::ui::SavedStage>& stages);
    /// Schedules, or the spread, are others.
    void compared();
    void busyChanged();

  private:
    class Change;
    class PlanChange;
    class MeasuredChange;
    struct StagePlan {
        std::shared_ptr<const Plan> plan;
        FollowedTab followed;
    };

    void read(const QJsonObject& state);
    void readFile(const QJsonObject& state);
    void followAgain(const QJsonObject& state);
    void connectMeasured();
    void setMeasured(const MeasuredTraces& traces);
    /// What is to be read, once the job has been evaluated: traces of a session, then those that the user opens.
    void readMeasured();
    void refuseMeasured(const QString& reason);
    QStringList measuredFiles() const;
    void keepPending();
    QJsonObject ownState() const;
    /// @param read_from the file that the document was read from, whose folder its paths are relative to.
    void setDocument(const QString& path, const QString& read_from, std::shared_ptr<const job::JobDocument> document,
                     StagePlans files);
    /// The job's file is another than the document was read from.
    void goOnIn(const QJsonObject& state);
    /// Where the plans of stages are written beside a job.
    StageFiles filesFor(const QString& path) const;
    std::shared_ptr<const Plan> shownPlan(std::size_t stage) const {
        return plans_[stage] ? plans_[stage] : file_plans_[stage];
    }
    void announce();
    StagePlan stagePlan(int stage) const;
    void setStagePlan(int stage, const StagePlan& plan);
    void setChanges(const job::JobChanges& changes);
    void evaluate();
    void evaluateOpened(const JobRequest& request);
    void take(const JobAnswer& answer);
    /// @param plans that files have by now, of which some could not be read when the job was opened.
    void readAgain(const StagePlans& plans);
    void connectFiles();
    void watchFiles();
    /// Tells of what changed. @param again also where that was told.
    void tellOf(const ChangedFiles& changed, bool again);
    void tellOfDocument(const ChangedFiles& changed, bool again);
    std::vector<WatchedPlan> watchedPlans() const;

    QString file_;
    QString read_from_;  ///< the document; another file than file_ where the job was saved
    std::shared_ptr<const job::JobDocument> document_;
    StageFiles files_;  ///< of each stage, as file_ names them
    job::JobChanges changes_;
    StagePlans plans_;
    StagePlans file_plans_;              ///< as they were when the job was opened, or could be read first
    std::vector<FollowedTab> followed_;  ///< of each stage
    std::function<bool(quint64 tab)> is_tab_open_;
    int last_stage_ = -1;
    job::JobChanges saved_changes_;        ///< what file_ has
    StagePlans saved_plans_;               ///< what files_ have, where that is another than when the job was opened
    std::map<QString, QJsonObject> kept_;  ///< by file: jobs that were open before, with changes that are in no file
    QJsonObject pending_;                  ///< what is being brought back, or could not be
    std::shared_ptr<StageTimes> times_;
    JobAnswer answer_;
    ReadGraphs graphs_;                         ///< as times_ has read them; none before the first picture
    QByteArray digest_;                         ///< of file_, as it was read or written
    std::map<QString, QByteArray> told_files_;  ///< what files have that were told of and still differ
    QByteArray told_document_;                  ///< what file_ has, where that was told; empty where it was not
    std::vector<ChangedPlan> changed_plans_;    ///< that were told of
    bool looks_again_ = false,
         tells_again_ = false;  ///< once the job is evaluated, and the look that is under way ends
    std::optional<JobFigures> opened_;
    bool knows_opened_ = false;  ///< it could be evaluated as it was opened
    JobComparison comparison_;
    MeasuredTraces measured_;
    QStringList measured_asked_;  ///< traces that the user opens, until the job has been evaluated and they were read
    QStringList measured_again_;  ///< traces of a session, until the job has been evaluated and they have been read
    QUndoStack undo_;
    LatestTask reading_, opened_task_, looking_;
    MeasuredTraceReader measured_reader_;
    JobEvaluator evaluator_;
    WatchedFiles watched_;
};

}  // namespace overlap::ui
