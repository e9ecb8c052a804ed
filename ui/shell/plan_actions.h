#pragma once

#include "ui/shell/notice_source.h"

class QAction;
class QWidget;

namespace overlap::ui {

class Actions;
class Document;
class ModuleRepair;
class Workspace;

/// What a person does to plans as a whole: adding them, and what they begin with.
class PlanActions : public NoticeSource {
    Q_OBJECT

  public:
    /// @param window that dialogs belong to.
    PlanActions(Document& document, Workspace& workspace, QWidget& window);

    /// Adding plans.
    void registerNew(Actions& actions);
    /// The dialog of rules for modules.
    void registerRepair(Actions& actions);
    /// What a plan begins with, and moves of process groups.
    void registerStarts(Actions& actions);

  private:
    QAction* addManualStart(Actions& actions);
    void startManualPlan();

    Document& document_;
    Workspace& workspace_;
    QWidget& window_;
    ModuleRepair* repair_;
};

}  // namespace overlap::ui
