#pragma once

#include <QPointer>
#include <QTimer>
#include <QWidget>

#include "ui/job/open/open_job.h"

class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTabBar;
class QTreeView;

namespace overlap::ui {

class ElidedLabel;
class JobControls;
class JobStepView;
class MeasuredPage;
class SchedulesModel;
class SharedColumns;
class StagesModel;
class WaitingMap;
class WhatIfModel;

/// The open job: its figures, what can be tried, its stages, and beside them the step as a timeline, when which ranks
/// wait, all schedules side by side, what each thing costs, and measured ranks. In a narrow window what can be tried is
/// a further tab.
class JobView : public QWidget {
    Q_OBJECT

  public:
    enum Page { step_page, waiting_page, schedules_page, controls_page, measured_page, what_if_page };

    explicit JobView(OpenJob& job, QWidget* parent = nullptr);
    ~JobView() override;

    JobControls& controls() { return *controls_; }
    JobStepView& step() { return *step_; }
    MeasuredPage& measured() { return *measured_; }
    WaitingMap& waiting() { return *waiting_; }
    QTreeView& schedules() { return *schedules_; }
    QTreeView& whatIfs() { return *what_ifs_; }
    QTreeView& stages() { return *stages_; }
    /// The job's figures in a line, for the row of tabs. Belongs to the widget that it is put into, to this one until
    /// then.
    QWidget* headerControls() { return header_; }
    /// Brings a page to the front.
    void showPage(Page page);
    Page page() const;
    /// What is said of the job in a line: its figures, or why there are none.
    QString summary() const;
    /// The stage whose graph and plan are open; -1 for none.
    void setShownStage(int stage);
    /// What all other views show is no stage of the job: that is said, with a link to a stage. Empty: it is one.
    /// @param stage whose graph it is, with a plan that is not the job's; -1: of none.
    void setUnrelatedGraph(const QString& name, int stage = -1);
    /// What is to be known of the shown stage's graph, a sentence without full stop each: it is said beside the job's
    /// own notes.
    void setStageNotes(const QStringList& notes);
    /// What is said of the shown plan and the stage, and what its button would do; empty for none.
    void offerPlan(const QString& text);

    QJsonObject state() const;
    void restore(const QJsonObject& state);

    /// Of the narrow arrangement: the wide one gives way to it.
    QSize minimumSizeHint() const override { return {240, 146}; }

  signals:
    /// The user wants to see a stage's graph and plan.
    void stageWanted(int stage);
    /// A key does nothing, or what was typed is not taken, for this reason.
    void refused(const QString& reason);
    /// The stage is to have the plan that is shown.
    void planWanted();
    void openWanted();
    void sampleWanted();
    void stateChanged();

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    static constexpr int least_column_width = 210;

    QWidget* makeStart();
    QWidget* makeColumn();
    QWidget* makePages();
    void showJob();
    void showSummary();
    void showNotes();
    void showReference(quint32 reference);
    void arrange();
    void giveColumnItsWidth();
    void fitColumnOnce();
    bool useKey(const QKeyEvent& event);

    OpenJob& job_;
    JobControls* controls_;
    JobStepView* step_;
    WaitingMap* waiting_;
    MeasuredPage* measured_;
    StagesModel* stages_model_;
    SchedulesModel* schedules_model_;
    WhatIfModel* what_if_model_;
    QTreeView *stages_, *schedules_, *what_ifs_;
    SharedColumns* stage_columns_;
    QPointer<QWidget> header_;
    ElidedLabel* summary_;  ///< in the header
    ElidedLabel* notes_;    ///< one line of all notes
    QStringList stage_notes_;
    QLabel *problem_, *unrelated_;
    QPushButton* use_plan_;
    QStackedWidget *whole_, *pages_;
    QTabBar* tabs_;
    QSplitter* columns_;
    QWidget *column_, *narrow_;
    QTimer impatience_;     ///< runs while an evaluation is short
    int column_width_ = 0;  ///< as the user has it; 0: as it is at first
    int texts_width_ = 0;   ///< of the stages' table, as it was when the job was evaluated first; 0: it was not yet
    bool low_ = false;
    bool stale_ = false;  ///< what is shown is of before
};

}  // namespace overlap::ui
