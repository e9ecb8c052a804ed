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

/// What is restored after a run that ended abnormally, and the previous version of a plan's file.
class RecoveryController : public NoticeSource {
    Q_OBJECT

  public:
    RecoveryController(Document& document, SessionController& session, PlanTabs& tabs, FileLooks& looks);

    void registerActions(Actions& actions);

    /// Plans that were restored at this start because the last run ended abnormally; empty once they were discarded.
    const std::vector<RecoveredPlan>& plans() const { return plans_; }
    /// Reports what a start has found: a crash, recovered plans, files that could not be read. Once, with a session.
    void begin(StoredSession stored);

  signals:
    /// Files are to be opened as they were saved.
    void openWanted(const QStringList& files);

  private:
    void discard();
    /// Brings back what was discarded.
    void takeBack(const std::vector<RecoveredPlan>& discarded);
    void updateDiscard();
    /// @returns whether the plan was found in the open document, and closed.
    bool closeOpen(const RecoveredPlan& plan);
    /// @returns whether the plan was found in what the session has of a graph that is not open.
    bool discardKept(SessionDocument& kept, const RecoveredPlan& plan);
    /// Its opposites. @returns whether the plan was found among those that were closed.
    bool reopen(const RecoveredPlan& plan);
    bool takeBackKept(SessionDocument& kept, const RecoveredPlan& plan);
    /// Of the graph that is open.
    bool isOfOpenGraph(const RecoveredPlan& plan) const;
    void openOlderVersion();

    Document& document_;
    SessionController& session_;
    PlanTabs& tabs_;
    FileLooks& looks_;
    std::vector<RecoveredPlan> plans_;
    QAction* discard_ = nullptr;
};

}  // namespace overlap::ui
