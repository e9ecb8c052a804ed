#pragma once

#include "ui/files/file_kind.h"
#include "ui/files/graph_loader.h"
#include "ui/session/pending_plans.h"
#include "ui/shell/notices/notice_source.h"

class QAction;
class QWidget;

namespace overlap::ui {

class Actions;
class Document;
class FileLooks;
class GraphFileWatch;
class Measurements;
class MeshConnection;
class RecentFiles;
struct ReadPlan;
struct SessionState;

/// Opens files of any kind, detected by content: a graph first, then the plans for it; traces open beside them.
class FileController : public NoticeSource {
    Q_OBJECT

  public:
    /// What the controller opens files with. All of it must outlive the controller.
    struct Parts {
        Document& document;
        Measurements& measurements;
        MeshConnection& mesh;
        const SessionState& state;
        RecentFiles& recent;
        FileLooks& looks;
        QWidget& window;  ///< that dialogs belong to
    };
    explicit FileController(const Parts& parts);

    void registerActions(Actions& actions);
    /// The last of those for opening.
    void registerCancel(Actions& actions);

    /// Opens files; traces that are given together are ranks of one job. Failures are reported, never thrown.
    /// @param over_job traces are to lie over the open job (jobTracesFound()).
    void open(const QStringList& files, bool over_job = false);
    /// Opens what a start without files shows: the last session's graph, else the embedded sample.
    void openSessionOrSample();
    /// Asks what the text or log of the open graph leaves out, and opens it with that.
    void tellWhatIsMissing();
    /// To be called when another graph is open: reports it, and opens the plans that wait for it.
    void graphOpened();
    /// Looks, in the background, whether the graph's file was changed by another program; reports it once for each
    /// change, as long as that lasts. Where the system tells of changes, that happens without it.
    void lookAtGraph();

  signals:
    /// Files are about to be opened: earlier messages have been read.
    void opening();
    /// This was warned of at an earlier opening, another one has succeeded since, and that one did not warn of the
    /// same.
    void outlived(const QString& sentence);
    /// A file is a job.
    void jobFound(const QString& path);
    /// Files are traces for the open job.
    void jobTracesFound(const QStringList& paths);

  private:
    /// What is to be opened, by kind; plans wait already.
    struct Sorted {
        QString graph;
        QStringList logs;  ///< or texts: several are ranks of one job
        QStringList traces;
    };
    Sorted sort(const QStringList& files);
    struct Kind {
        FileKind kind = FileKind::unknown;
        bool is_log = false;  ///< or a text that a graph is imported from
        QString reason;       ///< where the kind is unknown
    };
    static Kind kindOf(const QString& path);
    void sortIn(const QString& path, const Kind& kind, Sorted& sorted);
    void askForFiles();
    void allowTelling();
    void chooseGraph(const GraphChoice& choice);
    void openPlans();
    bool openPlan(const QString& path);
    bool showOpenPlan(const ReadPlan& read);
    void openGraphOfPlans();
    /// Errors of earlier openings; those of this one stay.
    void takeBackEarlierWarnings();
    /// Another program changed the graph's file.
    void tellOfChange(const QString& file);

    QStringList warnings_;            ///< that are shown, or were taken away by the user
    qsizetype earlier_warnings_ = 0;  ///< how many of them are of earlier openings
    QStringList logs_;                ///< of the newest opening
    bool is_opening_ = false;         ///< files are being opened: their warnings are no earlier ones
    Document& document_;
    Measurements& measurements_;
    MeshConnection& mesh_;
    const SessionState& state_;
    RecentFiles& recent_;
    FileLooks& looks_;
    QWidget& window_;
    GraphFileWatch* watch_;
    QString change_told_;  ///< the sentence on the graph's file; empty where there is none
    QAction* tell_ = nullptr;
    PendingPlans pending_;
};

}  // namespace overlap::ui
