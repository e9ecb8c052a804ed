#pragma once

#include <QObject>
#include <memory>

#include "ui/plan/manual_start_dialog.h"
#include "ui/tasks/latest_task.h"

class QAction;

namespace overlap::ui {

class Actions;
class Document;

/// Starts a manual plan from an automatic result. The plan is made and evaluated in the background; where it loses
/// time, a dialog says how much before anything is done. An edit or another plan meanwhile ends it.
class ManualStartAction : public QObject {
    Q_OBJECT

  public:
    /// @param window that the dialog belongs to.
    ManualStartAction(Document& document, QWidget* window);

    QAction* registerAction(Actions& actions);
    /// True while the plan is being made.
    bool busy() const { return task_.busy(); }

  signals:
    /// What was done; one sentence without full stop.
    void told(const QString& sentence);
    /// For the log only.
    void logged(const QString& sentence);

  private:
    void start();
    void decide(const std::shared_ptr<const ManualStartProposal>& proposal);
    void makeCards(const ManualStartProposal& proposal);
    void keepAutomaticSteps();

    Document& document_;
    QWidget* window_;
    LatestTask task_;
};

}  // namespace overlap::ui
