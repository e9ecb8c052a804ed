#pragma once

#include <QMainWindow>
#include <QTimer>
#include <memory>

#include "ui/document/document.h"
#include "ui/files/file_looks.h"
#include "ui/frame/actions.h"
#include "ui/session/plan_saver.h"
#include "ui/session/session.h"
#include "ui/session/session_writer.h"

class QLabel;
class QMenu;

namespace overlap::ui {

class BucketBoard;
class CentreTabs;
class ColumnShare;
class ComparePanel;
class CommandPalette;
class CompanionVersions;
class DockWidths;
class EditHistory;
class FiguresBar;
class GraphModel;
class GraphView;
class InspectorPanel;
class Log;
class LogPanel;
class MeshConnection;
class MeasurementConnection;
class Measurements;
class TraceTimes;
class CostActions;
class MeshView;
class ModulesPanel;
class NoticeBar;
class ModuleRepair;
class OverlapConnection;
struct NoticeAction;
class PassesPanel;
class RunPanel;
class ProblemsPanel;
class ProcessGroupsPanel;
class StatisticsPanel;
class TimelineConnection;
class PlanExport;
class TimelineExport;
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

    /// Opens files of any kind, told by content: a graph first, then the plans for it; traces open beside them, those
    /// given together as ranks of one job. Failures are told, never thrown.
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
    PassesPanel& passes() { return *passes_; }
    ProcessGroupsPanel& processGroups() { return *groups_; }
    TimelineView& timeline() { return *timeline_; }
    TimelineExport& timelineExport() { return *timeline_export_; }
    PlanExport& planExport() { return *plan_export_; }
    /// The views above the timeline.
    CentreTabs& centre() { return *centre_; }
    GraphView& graphView() { return *graph_; }
    MeshView& mesh() { return *mesh_; }
    OverlapConnection& overlaps() { return *overlaps_; }
    ModuleRepair& moduleRepair() { return *repair_; }
    ComparePanel& compare() { return *compare_; }
    StatisticsPanel& statistics() { return *statistics_; }
    RunPanel& run() { return *run_; }
    Measurements& measurements() { return *measurements_; }
    TraceTimes& traceTimes() { return *trace_times_; }
    CostActions& cost() { return *cost_; }
    MeasurementConnection& measurementConnection() { return *measurement_connection_; }
    FiguresBar& figures() { return *figures_; }
    VariantBar& variants() { return *variant_bar_; }
    CommandPalette& palette() { return *palette_; }
    NoticeBar& notice() { return *notice_; }
    FileLooks& fileLooks() { return file_looks_; }

    /// Saves the current plan where it was saved before, else asks; false when it was not saved, or not yet.
    bool savePlan();
    /// Saves the current plan in `path`, or in a name like it that ends in .plan.json; false, and told, when it could
    /// not be or takes long (PlanSaver). A file that has something else than this plan was read from or saved as is
    /// asked about, without a dialog.
    /// @param replace the person wants it replaced, whatever it has.
    bool savePlanAs(const QString& path, bool replace = false);
    /// Writes the session and waits until it is on the disk.
    /// @returns an empty string, or one sentence on why it is not.
    QString storeSession();
    /// Plans that came back at this start because the last run was cut off; empty once they were discarded.
    const std::vector<RecoveredPlan>& recoveredPlans() const { return recovered_plans_; }
    void resetLayout();

  protected:
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    // main_window.cpp
    void makeDocks();
    void makeToolBar();
    void makeStatusBar();
    QDockWidget* addDock(const QString& id, const QString& title, QWidget* content, Qt::DockWidgetArea area);
    void giveHeightWhenSeen(QDockWidget* dock);
    void applyTheme();
    void setThemeMode(const QString& name);
    void updateTitle();
    void updateStatus();
    /// @param tool_tip what the sentence is short for.
    void tell(const QString& sentence, const QString& tool_tip = {});
    void warn(const QString& sentence, const std::vector<NoticeAction>& actions = {});

    // main_window_actions.cpp
    void registerActions();
    void registerFileActions();
    void registerPlanActions();
    void startManualPlan();
    void registerViewActions();
    void registerHelp();
    void makeMenus();
    void fillRecentMenu();
    void showShortcuts();

    // main_window_diagnostics.cpp
    void showAbout();
    void copyDiagnostics();

    // main_window_files.cpp
    void askForFiles();
    bool askAndSave();
    /// @returns whether the plan is in the file.
    bool showSaved(const PlanSaver::Outcome& outcome);
    void askToReplace(const QString& file, bool own, quint64 variant);
    void openPlans();
    bool showOpenPlan(const QString& path);
    void onGraphLoaded();
    void renamePlan();
    void tellExported(const QString& path, const QStringList& notes);
    void exportPicture();
    void savePicture(const QString& path);

    // main_window_measure.cpp
    void connectMeasurements();
    void addReadingProgress();
    void registerTimesActions();
    void showMeasuredFigures();
    void stepVariant(int step);
    void closeCurrent();

    // main_window_run.cpp
    void connectRun();
    void registerRunActions();

    // main_window_session.cpp
    void openGraphOfPlans();
    /// Asks which graph of logs or texts is meant.
    void chooseGraph(const GraphChoice& choice);
    bool isThere(const QString& graph);
    QString findGraph(const GraphFingerprint& wanted, const QString& plan_path);
    RestoredVariants restoredVariants(const LoadedGraph& loaded);
    SessionDocument documentToKeep(SessionDocument kept) const;
    void rememberDocument();
    void writeSession();
    void scheduleSession(int delay_ms = 0);
    void closePlan(int index);
    void reopenPlan();
    void updateReopen();

    // main_window_recovery.cpp
    /// Plans with edits that are in no file of a person's, and notes on timelines, which are in none at all, wherever
    /// this window has them.
    QByteArrayList unsavedWork() const;
    void restoreSession(const QString& folder);
    void tellOfLastRun(const QStringList& problems);
    void discardRecovered();
    void openOlderVersion();

    std::shared_ptr<Session> session_;
    std::unique_ptr<SessionWriter> session_writer_;  ///< there where the session is
    SessionState state_;
    Document document_;
    PlanSaver* plan_saver_;
    DetachedTasks file_questions_;  ///< whether recent files are there
    FileLooks file_looks_;
    Measurements* measurements_;
    TraceTimes* trace_times_;
    CostActions* cost_ = nullptr;
    Log* log_;
    Actions* actions_;
    ModulesPanel* modules_ = nullptr;
    BucketBoard* board_ = nullptr;
    InspectorPanel* inspector_ = nullptr;
    ProblemsPanel* problems_ = nullptr;
    PassesPanel* passes_ = nullptr;
    QDockWidget* passes_dock_ = nullptr;
    ProcessGroupsPanel* groups_ = nullptr;
    TimelineView* timeline_ = nullptr;
    CentreTabs* centre_ = nullptr;
    GraphModel* graph_model_ = nullptr;
    GraphView* graph_ = nullptr;
    MeshView* mesh_ = nullptr;
    MeshConnection* mesh_connection_ = nullptr;
    TimelineConnection* timeline_connection_ = nullptr;
    OverlapConnection* overlaps_ = nullptr;
    ModuleRepair* repair_ = nullptr;
    TimelineExport* timeline_export_ = nullptr;
    PlanExport* plan_export_ = nullptr;
    EditHistory* history_ = nullptr;
    ComparePanel* compare_ = nullptr;
    QDockWidget* compare_dock_ = nullptr;
    StatisticsPanel* statistics_ = nullptr;
    QDockWidget* statistics_dock_ = nullptr;
    RunPanel* run_ = nullptr;
    QDockWidget* run_dock_ = nullptr;
    MeasurementConnection* measurement_connection_ = nullptr;
    FiguresBar* figures_ = nullptr;
    VariantBar* variant_bar_ = nullptr;
    CommandPalette* palette_ = nullptr;
    NoticeBar* notice_ = nullptr;
    CompanionVersions* companions_ = nullptr;  ///< asked for once somebody wants to know
    QToolBar* tool_bar_ = nullptr;
    QLabel* status_graph_ = nullptr;
    QLabel* status_message_ = nullptr;
    QLabel* status_time_ = nullptr;
    QMenu* recent_menu_ = nullptr;
    QList<QDockWidget*> docks_;
    DockWidths* dock_widths_;
    ColumnShare* right_column_ = nullptr;
    QByteArray first_layout_;
    QStringList plans_to_open_;
    std::vector<SessionVariant> closed_plans_;  // of the open graph, the one closed last at the end
    SharedPlans shared_plans_;                  // of the newest snapshot
    std::vector<RecoveredPlan> recovered_plans_;
    bool range_to_restore_ = false;
    /// What a person was told of when closing was refused: it is not refused for that again.
    QStringList saves_told_;
    QByteArrayList losses_told_;
    QTimer session_timer_;
};

}  // namespace overlap::ui
