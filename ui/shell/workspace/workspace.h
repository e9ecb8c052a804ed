#pragma once

#include <optional>

#include "core/timeline/lane.h"
#include "ui/shell/notices/notice_source.h"

class QMainWindow;

namespace overlap::ui {

class AlivePanel;
class BucketBoard;
class CentreTabs;
class CollectivesPanel;
class ComparePanel;
class DockLayout;
class Document;
class EditHistory;
class EnlargedPart;
class FiguresBar;
class GraphModel;
class HistoryPanel;
class GraphView;
class InspectorPanel;
class JobView;
class Log;
class Measurements;
class MeasurementConnection;
class MemoryPanel;
class MeshConnection;
class MeshView;
class ModulesPanel;
class OpenJob;
class OverlapConnection;
class PassesPanel;
class AdvicePanel;
class PlansPanel;
class ProblemsPanel;
class ProcessGroupsPanel;
class RunPanel;
class SearchPanel;
class StageConnection;
class StatisticsPanel;
class TimelineConnection;
class TimelineView;
class VariantBar;
struct SessionState;

/// The views of the window, their connections with the document, and their places: the timeline with the views above
/// it, the docks around both, and the bars. The widgets belong to the window.
class Workspace : public NoticeSource {
    Q_OBJECT

  public:
    /// Fills the window: its centre and its docks.
    Workspace(QMainWindow& window, Document& document, Measurements& measurements, Log& log);
    ~Workspace() override;

    TimelineView& timeline() { return *timeline_; }
    OverlapConnection& overlaps() { return *overlaps_; }
    NoticeBar& notice() { return *notice_; }
    /// The views above the timeline.
    CentreTabs& centre() { return *centre_; }
    GraphView& graphView() { return *graph_; }
    MeshView& mesh() { return *mesh_; }
    MeshConnection& meshConnection() { return *mesh_connection_; }
    OpenJob& job() { return *job_; }
    JobView& jobView() { return *job_view_; }
    /// The job's timeline where its page is in front, else the plan's.
    TimelineView& timelineInFront();
    /// The job's stages in the document.
    StageConnection& stages() { return *stages_; }
    MeasurementConnection& measurementConnection() { return *measurement_connection_; }
    ModulesPanel& modulesPanel() { return *modules_; }
    BucketBoard& bucketBoard() { return *board_; }
    InspectorPanel& inspector() { return *inspector_; }
    ProblemsPanel& problems() { return *problems_; }
    PassesPanel& passes() { return *passes_; }
    ProcessGroupsPanel& processGroups() { return *groups_; }
    AdvicePanel& advice() { return *advice_; }
    MemoryPanel& memory() { return *memory_; }
    PlansPanel& plans() { return *plans_; }
    SearchPanel& search() { return *search_; }
    CollectivesPanel& collectives() { return *collectives_; }
    ComparePanel& compare() { return *compare_; }
    StatisticsPanel& statistics() { return *statistics_; }
    RunPanel& run() { return *run_; }
    AlivePanel& alive() { return *alive_; }
    VariantBar& variants() { return *variants_; }
    FiguresBar& figures() { return *figures_; }
    DockLayout& docks() { return *docks_; }
    /// The part that has the whole window.
    EnlargedPart& enlarged() { return *enlarged_; }
    EditHistory& history() { return *history_; }
    HistoryPanel& edits() { return *edits_; }

    /// True while a view or its connection is busy.
    bool busy() const;
    /// The visible part of the plan's timeline, also while something else is in its place.
    TimeRange planRange() const;

    /// Divides the window initially. To be called once, when the window has its bars.
    void arrange();
    /// Makes the middle of the window visible where a panel has the whole window.
    /// @param view above the timeline to bring to the front; may be empty.
    void showMiddle(const QString& view = {});
    /// Opens the panel Search, where Enter begins: limit and effort can be chosen first.
    void findBetterPlan();
    /// Opens the panel Search and begins, also where something was found before.
    void searchAgain();
    /// Restores the initial layout.
    void resetLayout();
    /// Writes what views and docks want to keep into the session.
    void keep(SessionState& state) const;
    /// Restores what keep() wrote.
    void restore(const SessionState& state);

  signals:
    /// The current evaluation is in the timeline.
    void timelineShown();
    /// What the user looks at has changed; it changes often during scrolling.
    void viewMoved();
    /// Something that the session keeps has been changed by hand.
    void changed();

  private:
    void sizeDocks();
    void makeCentre();
    void makeDocks(Measurements& measurements, Log& log);
    void connectViews();
    void connectJob();
    void connectAlive();
    void connectEnlarged();
    void connectMeasurements(Measurements& measurements);
    void tellOfViews();
    void raise(const QString& dock);

    QMainWindow& window_;
    Document& document_;
    TimelineView* timeline_;
    TimelineConnection* timeline_connection_;
    OverlapConnection* overlaps_;
    EditHistory* history_;
    NoticeBar* notice_;
    CentreTabs* centre_;
    GraphModel* graph_model_;
    GraphView* graph_;
    MeshView* mesh_;
    MeshConnection* mesh_connection_;
    OpenJob* job_;
    JobView* job_view_;
    StageConnection* stages_;
    DockLayout* docks_;
    EnlargedPart* enlarged_;
    ModulesPanel* modules_ = nullptr;
    BucketBoard* board_ = nullptr;
    InspectorPanel* inspector_ = nullptr;
    ProblemsPanel* problems_ = nullptr;
    PassesPanel* passes_ = nullptr;
    ProcessGroupsPanel* groups_ = nullptr;
    CollectivesPanel* collectives_ = nullptr;
    AdvicePanel* advice_ = nullptr;
    MemoryPanel* memory_ = nullptr;
    PlansPanel* plans_ = nullptr;
    SearchPanel* search_ = nullptr;
    ComparePanel* compare_ = nullptr;
    StatisticsPanel* statistics_ = nullptr;
    RunPanel* run_ = nullptr;
    AlivePanel* alive_ = nullptr;
    HistoryPanel* edits_ = nullptr;
    VariantBar* variants_ = nullptr;
    FiguresBar* figures_ = nullptr;
    MeasurementConnection* measurement_connection_ = nullptr;
    std::optional<TimeRange> range_when_shown_;  ///< of the plan whose timeline is being made
    bool restored_ = false;                      ///< docks are as they were when a session was kept
};

}  // namespace overlap::ui
