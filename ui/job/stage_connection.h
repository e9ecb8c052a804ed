#pragma once

#include <QObject>
#include <map>
#include <optional>

#include "ui/job/open_job.h"

namespace overlap::ui {

class Document;
class JobView;
class Variant;

/// Connects the stages of the open job with the document: opens a stage's graph and plan there, and gives the job what
/// is edited of that plan. A stage has a plan of the document while its graph is open; tabs of other plans change
/// nothing of the job until it is told to use one.
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
    void told(const QString& sentence);
    void failed(const QString& reason);

  private:
    void graphOpened();
    void showPlan();
    void follow();
    void offer();
    Variant* findVariant(const Plan& plan);
    void assign(int stage, const Variant& variant);
    /// The plan as the job has it; null where it does nothing or is what the stage's file has.
    std::shared_ptr<const Plan> planForJob(const Variant& variant) const;

    OpenJob& job_;
    JobView& view_;
    Document& document_;
    int stage_ = -1;
    std::optional<int> wanted_;        ///< whose graph is being read
    std::map<int, quint64> variants_;  ///< keys of the plans that stages of the open graph have
};

}  // namespace overlap::ui
