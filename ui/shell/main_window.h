#pragma once

#include <QMainWindow>
#include <memory>

#include "ui/document/document.h"
#include "ui/files/file_looks.h"
#include "ui/frame/actions.h"
#include "ui/frame/field_manners.h"

namespace overlap::ui {

class ExportController;
class FileController;
class HelpController;
class JobController;
class Log;
class Measurements;
class Notices;
class PlanActions;
class PlanTabs;
class RecentFiles;
class RecoveryController;
class RunController;
class SaveController;
class SessionController;
class StatusLine;
class ThemeChoice;
class TimesController;
class TraceTimes;
class Workspace;

/// The window: makes its objects, connects them, and puts all actions of the user into one registry. The workspace
/// shows things; the controllers act.
class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    /// @param session_folder where the session is kept; empty for none, as for pictures and with `--fresh`.
    explicit MainWindow(const QString& session_folder = {}, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Shows the window where all of it, with its frame, is on the screen.
    void showOnScreen();
    /// Opens files of any kind; see FileController::open().
    void openFiles(const QStringList& files);
    /// Opens what the application starts with where no file is named; see FileController::openSessionOrSample().
    void openSessionOrSample();
    /// True when nothing is being read, evaluated or turned into a timeline.
    bool idle() const;

    Document& document() { return document_; }
    Actions& actions() { return *actions_; }
    /// The views and docks.
    Workspace& workspace() { return *workspace_; }
    SaveController& saves() { return *saves_; }
    ExportController& exports() { return *exports_; }
    TimesController& times() { return *times_; }
    SessionController& session() { return *session_; }
    RecoveryController& recovery() { return *recovery_; }
    HelpController& help() { return *help_; }
    JobController& jobs() { return *jobs_; }
    FileLooks& fileLooks() { return file_looks_; }

  protected:
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    /// Keys that no view takes: those of an action that cannot be used now say why.
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    void setUpWindow();
    void fitScreen();
    void makeControllers();
    void registerActions();
    void makeBars();
    void connectNotices();
    void connectControllers();
    void connectDocument();
    void openSession(const QString& folder);
    void updateTitle();
    void connectCancel();
    void updateCancel();

    Document document_;
    FileLooks file_looks_;
    FieldManners field_manners_;
    Measurements* measurements_;
    TraceTimes* trace_times_;
    Log* log_;
    Actions* actions_;
    // Each uses those before it, and is destroyed before them.
    std::unique_ptr<Workspace> workspace_;
    std::unique_ptr<StatusLine> status_;
    std::unique_ptr<Notices> notices_;
    std::unique_ptr<TimesController> times_;
    std::unique_ptr<SessionController> session_;
    std::unique_ptr<RecentFiles> recent_;
    std::unique_ptr<FileController> files_;
    std::unique_ptr<JobController> jobs_;
    std::unique_ptr<SaveController> saves_;
    std::unique_ptr<ExportController> exports_;
    std::unique_ptr<PlanTabs> tabs_;
    std::unique_ptr<RecoveryController> recovery_;
    std::unique_ptr<PlanActions> plans_;
    std::unique_ptr<RunController> run_;
    std::unique_ptr<ThemeChoice> theme_;
    std::unique_ptr<HelpController> help_;
};

}  // namespace overlap::ui
