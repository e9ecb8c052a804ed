#pragma once

#include <QObject>
#include <optional>

#include "ui/job/open/open_job.h"

namespace overlap::ui {

class Document;
class JobView;
class Variant;

/// Connects the stages of the open job with the document: opens a stage's graph and plan there, and gives the job what
/// is edited of that plan. A stage follows a tab of the document, also when its graph or the session comes back; tabs
/// of other plans change nothing of the job until it is told to use one.
class StageConnection : public QObject {
    Q_OBJECT

  public:
    StageConnection(OpenJob& job, JobView& view, Document& document, QObject* parent = nullptr);

    /// Opens a stage's graph with its plan.
    void openStage(int stage);
    /// The stage whose graph was opened last; -1 for none.
    int stage() const { return stage_; }
    /// Gives the stage the plan that is shown, as a change of the job that can be undone.
    void useShownPlan();

  signals:
    /// stage() is another.
    void stageChanged();
    void told(const QString& sentence);
    void failed(const QString& reason);

  private:
    void graphOpened();
    void showPlan();
    /// Stages of a job that has just been opened, whose graph is shown already, follow the tabs that have their plans:
    /// as of a job that was saved under another name.
    void followWhatIsShown();
    /// Stages of the open graph follow again the tabs that have their plans.
    void connectAgain();
    void setStage(int stage);
    const Variant* tabOf(int stage) const;
    /// A plan that names no graph as the document has it, which names its own.
    Plan ofGraph(Plan plan) const;
    /// The plan that the job has for a stage of the open graph.
    Plan planOfJob(int stage) const;
    void follow();
    /// What tabs of stages have saved is what the job's files have.
    void followFiles();
    void offer();
    void note();
    /// What other views show figures of, where that is not what the job's stages take; one sentence, or empty.
    QString otherTimes() const;
    void tellOtherTimes();
    /// Tabs of plans that were saved with the job are of their files from now on, and the open graph is the job's.
    void jobSaved(const std::vector<SavedStage>& stages);
    /// A tab with this plan that no stage follows; of that file, where one is given.
    Variant* findVariant(const Plan& plan, const QString& file = {});
    /// The tab that has the plan of a stage of the open graph; null where there is none. Where the plan is in the
    /// stage's file, it is the tab of that.
    Variant* findTab(int stage);
    void assign(int stage, const Variant& variant);
    /// The plan as the job has it; null where it does nothing or is what the stage's file had when the job was opened.
    std::shared_ptr<const Plan> planForJob(int stage, const Variant& variant) const;

    OpenJob& job_;
    JobView& view_;
    Document& document_;
    int stage_ = -1;
    std::optional<int> wanted_;  ///< whose graph is being read, or could not be: it may be read again
};

}  // namespace overlap::ui
