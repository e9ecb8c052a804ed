#pragma once

#include <QTimer>
#include <memory>
#include <vector>

#include "ui/document/document.h"
#include "ui/session/closed_plans.h"
#include "ui/session/early_histories.h"
#include "ui/session/range_restore.h"
#include "ui/session/refused_once.h"
#include "ui/session/selection_restore.h"
#include "ui/session/session.h"
#include "ui/session/session_writer.h"
#include "ui/shell/notices/notice_source.h"

namespace overlap::ui {

class FileLooks;
struct InterruptedSearch;
struct SavedStage;
class TimesController;
class Workspace;

/// State that is restored at the next start: when the session is written and with what content, and what is restored
/// with a graph. Without a folder nothing is written; plans that were closed are kept as long as the window is open.
class SessionController : public NoticeSource {
    Q_OBJECT

  public:
    /// All of them must outlive the controller. Registers itself as the source of the document's variants.
    SessionController(Document& document, Workspace& workspace, TimesController& times, FileLooks& looks);
    ~SessionController() override;

    /// Opens the session in a folder, and restores the window's layout and views.
    /// @returns what the start found; its state is state() from now on.
    StoredSession open(const QString& folder);
    /// Where the session is kept; empty where none is.
    QString folder() const { return session_ ? session_->folder() : QString(); }
    SessionState& state() { return state_; }
    /// Plans of the open graph that can be reopened.
    ClosedPlans& closedPlans() { return closed_plans_; }

    /// To be called when another graph is open: its times, its timeline's range and what was selected are restored.
    void graphOpened();
    /// Writes the session soon. @param delay_ms milliseconds that it may wait.
    void schedule(int delay_ms = 0);
    /// Writes the session and waits until it is on the disk.
    /// @returns an empty string, or one sentence on why it is not.
    QString store();
    /// Writes a plan into a file beside the session; returns its path, or empty where it cannot be.
    QString keepAside(const QByteArray& plan) const { return session_ ? session_->keepAside(plan) : QString(); }
    /// Whether the window must stay open because edits would be lost, which is then reported, once for the same edits.
    /// Where it need not stay open, the session has been written as that of a closed window.
    bool refusesClosing();
    /// What becomes of the open plans that no file has as they are, when the window is closed: `Found is in no file as
    /// it is now; it is kept, and opens again at the next start`. Empty where there are none, or nothing is kept.
    QString partingWords() const;

  private:
    void connectDocument();
    /// Plans of stages whose graphs are not open are of the job's files as well.
    void jobSaved(const std::vector<SavedStage>& stages);
    /// What is kept of a graph is kept of its copy.
    void graphCopied(const QString& from, const QString& to);
    void tellOfSearch(const InterruptedSearch& search);
    QString searchSentence(const InterruptedSearch& search) const;
    /// @param problem why the session is not stored; empty where it is again.
    void tellOfStoring(const QString& problem);
    RestoredVariants restoredVariants(const LoadedGraph& loaded);
    SessionDocument documentToKeep(SessionDocument kept) const;
    void rememberDocument();
    void write();
    /// Plans with edits that are in none of the user's files, and notes on timelines, which are in no file at all,
    /// wherever this window has them.
    QByteArrayList unsavedWork() const;

    Document& document_;
    Workspace& workspace_;
    TimesController& times_;
    FileLooks& looks_;
    std::shared_ptr<Session> session_;
    std::unique_ptr<SessionWriter> writer_;  ///< exists where the session does
    SessionState state_;
    SharedPlans shared_plans_;  ///< of the newest snapshot
    ClosedPlans closed_plans_;
    EarlyHistories early_histories_;  ///< of the graph that is being read
    RangeRestore range_restore_;
    SelectionRestore selection_restore_;
    QString storing_told_;  ///< the sentence on why the session is not stored; empty where it is
    QString search_told_;   ///< the sentence on a search of the open graph that was cut off; empty where none was
    RefusedOnce<QByteArrayList> losses_refused_;
    QTimer timer_;
};

}  // namespace overlap::ui
