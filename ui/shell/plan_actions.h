#pragma once

#include "ui/shell/notices/notice_source.h"

class QAction;
class QWidget;

namespace overlap::ui {

class Actions;
class Document;
class ManualStartAction;
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

    /// True while a manual plan is being made of an automatic result.
    bool busy() const;

  private:
    QAction* registerPreset(Actions& actions, std::size_t preset);

    Document& document_;
    Workspace& workspace_;
    QWidget& window_;
    ModuleRepairAction* repair_;
    ManualStartAction* manual_start_;
};

}  // namespace overlap::ui
