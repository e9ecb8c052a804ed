#pragma once

#include <optional>
#include <vector>

#include "ui/session/session.h"
#include "ui/shell/notices/notice_source.h"

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
    /// A recovered plan that was closed.
    struct Discarded {
        RecoveredPlan plan;
        int place = 0;             ///< among the graph's plans when it was closed
        bool opened_file = false;  ///< what its file has took its place, in a tab that was not there before
    };
    /// Brings back what was discarded, and closes what took its place.
    void takeBack(const std::vector<Discarded>& discarded);
    void updateDiscard();
    /// Recovered plans of the open graph may have got numbers beside plans of the same names: copies have other names.
    void learnNames();
    /// @param plan gets the name that it has there.
    /// @returns where the plan was in the open document, and closed; nothing where it was not found.
    std::optional<int> closeOpen(RecoveredPlan& plan);
    /// @param plan gets the name that it has there.
    /// @returns where the plan was in what the session has of a graph that is not open.
    std::optional<int> discardKept(SessionDocument& kept, RecoveredPlan& plan);
    /// Its opposites. @returns whether the plan was found among those that were closed.
    bool reopen(const Discarded& discarded);
    static bool takeBackKept(SessionDocument& kept, const Discarded& discarded);
    /// The tab of the open graph that has the file as it was saved; -1 where none has.
    int savedTabOf(const QString& file) const;
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
