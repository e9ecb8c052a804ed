#pragma once

#include "ui/shell/notice_source.h"

class QAction;
class QWidget;

namespace overlap::ui {

class Actions;
class Document;
class ModuleRepairAction;
class Workspace;

/// Actions on plans as a whole: adding them, and their initial content.
class PlanActions : public NoticeSource {
    Q_OBJECT

  public:
    /// @param window that dialogs belong to.
    PlanActions(Document& document, Workspace& workspace, QWidget& window);

    /// Adding plans.
    void registerNew(Actions& actions);
    /// The dialog of rules for modules.
    void registerRepair(Actions& actions);
    /// Initial content of a plan, and moves of process groups.
    void registerStarts(Actions& actions);

  private:
    QAction* addManualStart(Actions& actions);
    void startManualPlan();

    Document& document_;
    Workspace& workspace_;
    QWidget& window_;
    ModuleRepairAction* repair_;
};

}  // namespace overlap::ui
