#pragma once

#include <vector>

#include "ui/session/session.h"
#include "ui/shell/notice_source.h"

class QAction;

namespace overlap::ui {

class Actions;
class Document;
class FileLooks;
class PlanTabs;
class SessionController;

/// What comes back after a run that was cut off, and what a plan's file had before.
class RecoveryController : public NoticeSource {
    Q_OBJECT

  public:
    RecoveryController(Document& document, SessionController& session, PlanTabs& tabs, FileLooks& looks);

    void registerActions(Actions& actions);

    /// Plans that came back at this start because the last run was cut off; empty once they were discarded.
    const std::vector<RecoveredPlan>& plans() const { return plans_; }
    /// Tells of what a start has found: a crash, recovered plans, files that could not be read. Once, with a session.
    void begin(StoredSession stored);

  signals:
    /// Files are to be opened as they were saved.
    void openWanted(const QStringList& files);

  private:
    void discard();
    /// @returns whether the plan was found in the open document, and closed.
    bool closeOpen(const RecoveredPlan& plan);
    /// @returns whether the plan was found in what the session has of a graph that is not open.
    bool discardKept(SessionDocument& kept, const RecoveredPlan& plan);
    void openOlderVersion();

    Document& document_;
    SessionController& session_;
    PlanTabs& tabs_;
    FileLooks& looks_;
    std::vector<RecoveredPlan> plans_;
    QAction* discard_ = nullptr;
};

}  // namespace overlap::ui
