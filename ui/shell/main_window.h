#pragma once

#include <QMainWindow>
#include <QTimer>
#include <memory>

#include "ui/document/document.h"
#include "ui/document/session.h"
#include "ui/shell/actions.h"

class QLabel;
class QMenu;

namespace overlap::ui {

class BucketBoard;
class CommandPalette;
class FiguresBar;
class InspectorPanel;
class Log;
class LogPanel;
class ModulesPanel;
class NoticeBar;
class ProblemsPanel;
class TimelineConnection;
class TimelineView;
class VariantBar;

/// The window: docks around the timeline, the toolbar with variants and figures, and everything that a person can do,
/// in one registry of actions.
class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    /// @param session_folder where the session is kept; empty for none, as for pictures and with `--fresh`.
    explicit MainWindow(const QString& session_folder = {}, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Opens files of any kind, told by content: a graph first, then the plans for it. Failures are told, never thrown.
    void openFiles(const QStringList& files);
    /// What the application starts with where no file is named: the last session's graph, else the embedded sample.
    void openSessionOrSample();
    /// True when nothing is being read, evaluated or turned into a timeline.
    bool idle() const;

    Document& document() { return document_; }
    Actions& actions() { return *actions_; }
    ModulesPanel& modulesPanel() { return *modules_; }
    BucketBoard& bucketBoard() { return *board_; }
    InspectorPanel& inspector() { return *inspector_; }
    ProblemsPanel& problems() { return *problems_; }
    TimelineView& timeline() { return *timeline_; }
    FiguresBar& figures() { return *figures_; }
    VariantBar& variants() { return *variant_bar_; }
    CommandPalette& palette() { return *palette_; }
    NoticeBar& notice() { return *notice_; }

    /// Saves the current plan where it was saved before, else asks; false when it was not saved.
    bool savePlan();
    /// Saves the current plan in `path`; false, and told, when it could not be.
    bool savePlanAs(const QString& path);
    /// Writes the session now.
    void storeSession();
    void resetLayout();

  protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    // main_window.cpp
    void makeDocks();
    void makeToolBar();
    void makeStatusBar();
    QDockWidget* addDock(const QString& id, const QString& title, QWidget* content, Qt::DockWidgetArea area);
    void applyTheme();
    void setThemeMode(const QString& name);
    void updateTitle();
    void updateStatus();
    void tell(const QString& sentence);
    void warn(const QString& sentence);

    // main_window_actions.cpp
    void registerActions();
    void registerFileActions();
    void registerPlanActions();
    void registerViewActions();
    void registerHelp();
    void makeMenus();
    void fillRecentMenu();
    void showShortcuts();
    void showAbout();

    // main_window_files.cpp
    void askForFiles();
    bool askAndSave();
    void openPlans();
    void onGraphLoaded();
    RestoredVariants restoredVariants(const LoadedGraph& loaded);
    void rememberDocument();
    void scheduleSession();
    void renamePlan();
    void closePlan(int index);
    void reopenPlan();
    void exportPicture();

    std::unique_ptr<Session> session_;
    SessionState state_;
    Document document_;
    Log* log_;
    Actions* actions_;
    ModulesPanel* modules_ = nullptr;
    BucketBoard* board_ = nullptr;
    InspectorPanel* inspector_ = nullptr;
    ProblemsPanel* problems_ = nullptr;
    TimelineView* timeline_ = nullptr;
    TimelineConnection* timeline_connection_ = nullptr;
    FiguresBar* figures_ = nullptr;
    VariantBar* variant_bar_ = nullptr;
    CommandPalette* palette_ = nullptr;
    NoticeBar* notice_ = nullptr;
    QToolBar* tool_bar_ = nullptr;
    QLabel* status_graph_ = nullptr;
    QLabel* status_message_ = nullptr;
    QLabel* status_time_ = nullptr;
    QMenu* recent_menu_ = nullptr;
    QList<QDockWidget*> docks_;
    QByteArray first_layout_;
    QStringList plans_to_open_;
    std::vector<Plan> closed_plans_;
    bool range_to_restore_ = false;
    QTimer session_timer_;
};

}  // namespace overlap::ui
