#include "ui/shell/workspace/workspace.h"

#include <QDockWidget>
#include <QItemSelectionModel>
#include <QJsonArray>
#include <QMainWindow>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/actions/edit_effect.h"
#include "ui/actions/edit_history.h"
#include "ui/actions/overlap_connection.h"
#include "ui/actions/step_connection.h"
#include "ui/actions/timeline_connection.h"
#include "ui/advice/advice_panel.h"
#include "ui/collectives/collectives_panel.h"
#include "ui/document/document.h"
#include "ui/document/limit_names.h"
#include "ui/files/companion_program.h"
#include "ui/frame/centre_tabs.h"
#include "ui/frame/docks/dock_layout.h"
#include "ui/frame/docks/enlarged_part.h"
#include "ui/frame/figures_bar.h"
#include "ui/frame/variant_bar.h"
#include "ui/graph/graph_controls.h"
#include "ui/graph/graph_view.h"
#include "ui/groups/process_groups_panel.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/job/job_view.h"
#include "ui/job/open/open_job.h"
#include "ui/job/stage_connection.h"
#include "ui/job/step/job_step_view.h"
#include "ui/measure/compare_panel.h"
#include "ui/measure/measurement_connection.h"
#include "ui/measure/statistics_panel.h"
#include "ui/memory/memory_panel.h"
#include "ui/mesh/mesh_connection.h"
#include "ui/mesh/mesh_view.h"
#include "ui/modules/modules_panel.h"
#include "ui/panels/history_panel.h"
#include "ui/panels/log_panel.h"
#include "ui/panels/problems_model.h"
#include "ui/panels/problems_panel.h"
#include "ui/passes/passes_panel.h"
#include "ui/plan/bucket_board.h"
#include "ui/plans/plans_panel.h"
#include "ui/run/run_panel.h"
#include "ui/search/search_panel.h"
#include "ui/session/session_state.h"
#include "ui/shell/notices/refusal_notice.h"
#include "ui/shell/workspace/limit_connection.h"
#include "ui/shell/workspace/room_for_memory.h"
#include "ui/timeline/alive/alive_panel.h"
#include "ui/timeline/timeline_keys.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/limit_field.h"

namespace overlap::ui {
namespace {

/// Of the height above the timeline, at first: paths over pictures of ranks, and stages of a job below each other, take
/// more than the graph.
constexpr double high_share = 2.0 / 3;

// Of the panels below, at first: from then on they have the height that the user gives them, whichever is shown.
constexpr int lowest_panels = 180;
constexpr int highest_panels = 280;

constexpr int first_modules_width = 300, first_buckets_width = 332;

constexpr int lowest_inspector = 44;  ///< it scrolls, and the buckets above it have controls

}  // namespace

Workspace::Workspace(QMainWindow& window, Document& document, Measurements& measurements, Log& log)
    : NoticeSource(&window),
      window_(window),
      document_(document),
      timeline_(new TimelineView),
      timeline_connection_(new TimelineConnection(document, *timeline_, this)),
      overlaps_(new OverlapConnection(document, *timeline_, this)),
      history_(new EditHistory(document, timeline_->edits(), this)),
      notice_(new NoticeBar),
      centre_(new CentreTabs(timeline_)),
      graph_model_(new GraphModel(document, this)),
      graph_(new GraphView(*graph_model_)),
      mesh_(new MeshView),
      mesh_connection_(new MeshConnection(document, *mesh_, this)),
      job_(new OpenJob),
      job_view_(new JobView(*job_)),
      stages_(new StageConnection(*job_, *job_view_, document, this)),
      docks_(new DockLayout(window)),
      enlarged_(new EnlargedPart(window, *docks_)) {
    auto* keys = new TimelineKeys(*timeline_);
    keys->leaveTo(*job_view_);
    job_->setParent(job_view_);  // as the last child, which outlives the views of it
    auto* effect = new EditEffect(document, *history_, this);
    connect(effect, &EditEffect::told, this, [this](const QString& sentence) { emit told(sentence); });
    connect(history_, &EditHistory::told, this, [this](const QString& sentence) { emit told(sentence); });
    auto* refusal = new RefusalNotice(document, *effect, *notice_, this);
    connect(refusal, &RefusalNotice::noticed, this, &Workspace::noticed);
    makeCentre();
    makeDocks(measurements, log);
    // Seen where a bar of the window has them.
    variants_ = new VariantBar(document, measurements, &window);
    figures_ = new FiguresBar(document, &window);
    for (QWidget* bar : std::initializer_list<QWidget*>{variants_, figures_}) bar->hide();
    connect(figures_, &FiguresBar::stepWanted, this, [this] { raise(QStringLiteral("inspector")); });
    new StepConnection(*figures_, *inspector_, this);
    connectMeasurements(measurements);
    connectViews();
    connectJob();
    connectAlive();
    connectEnlarged();
    tellOfViews();
}

Workspace::~Workspace() = default;

void Workspace::makeCentre() {
    centre_->addView(QStringLiteral("graph"), tr("Graph"), graph_, new GraphControls(*graph_));
    centre_->addView(QStringLiteral("mesh"), tr("Mesh"), mesh_, mesh_->headerControls(), high_share);
    centre_->addView(QStringLiteral("job"), tr("Job"), job_view_, job_view_->headerControls(), high_share);
    auto* middle = new QWidget;
    auto* layout = new QVBoxLayout(middle);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(notice_);
    layout->addWidget(centre_, 1);
    window_.setCentralWidget(middle);
}

void Workspace::makeDocks(Measurements& measurements, Log& log) {
    modules_ = new ModulesPanel(document_);
    board_ = new BucketBoard(document_);
    inspector_ = new InspectorPanel(document_);
    inspector_->setMinimumHeight(lowest_inspector);
    problems_ = new ProblemsPanel(document_);
    collectives_ = new CollectivesPanel(document_);
    advice_ = new AdvicePanel(document_);
    plans_ = new PlansPanel(document_);
    memory_ = new MemoryPanel(document_);
    inspector_->showMemoryEffects(*memory_->effects());
    search_ = new SearchPanel(document_);
    passes_ = new PassesPanel(document_);
    groups_ = new ProcessGroupsPanel(document_);
    compare_ = new ComparePanel(document_, measurements);
    statistics_ = new StatisticsPanel(document_, measurements);
    alive_ = new AlivePanel;
    run_ = new RunPanel(document_, companionProgram(QStringLiteral("overlap-runner")));
    constexpr auto left = Qt::LeftDockWidgetArea, right = Qt::RightDockWidgetArea, bottom = Qt::BottomDockWidgetArea;
    using Heading = DockLayout::Heading;
    docks_->add(QStringLiteral("modules"), tr("Modules"), modules_, left, Heading::always);
    docks_->add(QStringLiteral("buckets"), tr("Buckets"), board_, right, Heading::always, board_->headerControls());
    docks_->add(QStringLiteral("inspector"), tr("Inspector"), inspector_, right, Heading::always);
    const auto addBelow = [&](const char* id, const QString& title, QWidget* content) {
        return docks_->add(QString::fromLatin1(id), title, content, bottom, Heading::floating);
    };
    QDockWidget* problems = addBelow("problems", tr("Problems"), problems_);
    edits_ = new HistoryPanel(document_.undoGroup());
    addBelow("history", tr("History"), edits_);
    addBelow("log", tr("Log"), new LogPanel(log));
    addBelow("groups", tr("Process groups"), groups_);
    addBelow("collectives", tr("Collectives"), collectives_);
    addBelow("advice", tr("Advice"), advice_);
    addBelow("plans", tr("Plans"), plans_);
    addBelow("memory", tr("Memory"), memory_);
    addBelow("search", tr("Search"), search_);
    addBelow("passes", tr("Passes"), passes_);
    addBelow("compare", tr("Compare"), compare_);
    addBelow("statistics", tr("Statistics"), statistics_);
    addBelow("run", tr("Run"), run_);
    addBelow("alive", tr("Alive"), alive_);
    // As wide with two digits as without: tabs behind it stay under the pointer.
    const auto showCount = [problems](std::size_t count) {
        constexpr QChar as_wide_as_a_digit(0x2007);
        const QString number = count == 0 ? QString() : QString::number(count);
        problems->setWindowTitle(tr("Problems %1").arg(number, -2, as_wide_as_a_digit));
    };
    showCount(0);
    connect(problems_, &ProblemsPanel::countChanged, problems, showCount);
    // Which tab is in front, which docks are open.
    for (const QDockWidget* dock : docks_->all())
        connect(dock, &QDockWidget::visibilityChanged, this, &Workspace::viewMoved);
}

void Workspace::raise(const QString& dock) {
    docks_->find(dock)->show();
    docks_->find(dock)->raise();
}

TimelineView& Workspace::timelineInFront() {
    return job_->isOpen() && centre_->current() == u"job" ? job_view_->step().timeline() : *timeline_;
}

void Workspace::showMiddle(const QString& view) {
    if (window_.centralWidget()->isHidden()) enlarged_->end();
    if (!view.isEmpty()) centre_->showView(view);
}

void Workspace::findBetterPlan() {
    raise(QStringLiteral("search"));
    search_->setFocus();
}

void Workspace::searchAgain() {
    raise(QStringLiteral("search"));
    search_->beginSoon();
    search_->setFocus();
}

void Workspace::connectViews() {
    overlaps_->setModules(*modules_->tree());
    connect(passes_, &PassesPanel::overlapEditWanted, this,
            [this](const QString& collective) { overlaps_->edit(collective); });
    connect(timeline_connection_, &TimelineConnection::shown, this, &Workspace::timelineShown);
    connect(graph_, &GraphView::stateChanged, this, &Workspace::viewMoved);
    connect(mesh_, &MeshView::stateChanged, this, &Workspace::viewMoved);
    history_->addShared(mesh_->undoStack());
    // An edit from before would be undone beside another graph's parameters.
    connect(&document_, &Document::graphChanged, mesh_, [this] { mesh_->undoStack().clear(); });
    connect(mesh_, &MeshView::changedUnseen, this, [this] { showMiddle(QStringLiteral("mesh")); });
    connect(timeline_, &TimelineView::visibleRangeChanged, this, &Workspace::viewMoved);
    connect(&timeline_->edits(), &TimelineEdits::changed, this, &Workspace::changed);
    auto* room = new RoomForMemory(*timeline_, *centre_, *enlarged_, this);
    connect(room, &RoomForMemory::told, this, [this](const QString& sentence) { emit told(sentence); });
    connect(run_, &RunPanel::stateChanged, this, &Workspace::changed);
}

void Workspace::connectAlive() {
    connect(timeline_, &TimelineView::aliveListed, alive_, [this](const AliveTensors& tensors, const QString& moment) {
        alive_->showTensors(tensors, moment);
        raise(QStringLiteral("alive"));
    });
    // What the user looks at stays in front, and what is behind it is worked out when it comes to the front.
    connect(docks_->find(QStringLiteral("alive")), &QDockWidget::visibilityChanged, timeline_,
            &TimelineView::setAliveSeen);
    connect(timeline_, &TimelineView::aliveListedAgain, alive_, &AlivePanel::showAgain);
    connect(timeline_, &TimelineView::aliveForgotten, alive_, &AlivePanel::forget);
    connect(alive_, &AlivePanel::chosen, timeline_, &TimelineView::selectAllocator);
    timeline_->setLimitNames([this] { return limitNames(document_); }, [this] { return memory_->limit()->typed(); });
    connect(timeline_, &TimelineView::memoryLimitTyped, memory_, &MemoryPanel::takeLimit);
    connect(memory_, &MemoryPanel::limitChanged, timeline_connection_, &TimelineConnection::setMemoryLimit);
    connect(memory_, &MemoryPanel::limitChanged, figures_, &FiguresBar::setMemoryLimit);
    connect(memory_, &MemoryPanel::limitChanged, problems_->problems(), &ProblemsModel::setMemoryLimit);
    connect(memory_, &MemoryPanel::limitChanged, advice_, &AdvicePanel::setMemoryLimit);
    new LimitConnection(document_, *memory_, search_->controls(), this);
}

TimeRange Workspace::planRange() const {
    return measurement_connection_->planRange().value_or(timeline_->visibleRange());
}

void Workspace::arrange() {
    const auto dock = [this](const char* id) { return docks_->find(QString::fromLatin1(id)); };
    docks_->putInTabs({dock("problems"), dock("collectives"), dock("advice"), dock("plans"), dock("memory"),
                       dock("search"), dock("compare"), dock("statistics"), dock("passes"), dock("groups"),
                       dock("alive"), dock("run"), dock("history"), dock("log")});
    sizeDocks();
    // Heights are kept only once the window has been laid out, which is when it is shown.
    QTimer::singleShot(0, this, [this] {
        if (!restored_) sizeDocks();
    });
}

/// As they are at first.
void Workspace::sizeDocks() {
    const auto dock = [this](const char* id) { return docks_->find(QString::fromLatin1(id)); };
    window_.resizeDocks({dock("modules"), dock("buckets")}, {first_modules_width, first_buckets_width}, Qt::Horizontal);
    docks_->setWidths({{QStringLiteral("modules"), first_modules_width},
                       {QStringLiteral("buckets"), first_buckets_width},
                       {QStringLiteral("inspector"), first_buckets_width}});
    window_.resizeDocks({dock("buckets"), dock("inspector")}, {460, 260}, Qt::Vertical);
    window_.resizeDocks({dock("problems")}, {std::clamp(window_.height() / 4, lowest_panels, highest_panels)},
                        Qt::Vertical);
    docks_->keepAsFirst();
}

void Workspace::resetLayout() {
    enlarged_->end();
    docks_->reset();
    centre_->reset();
}

void Workspace::keep(SessionState& state) const {
    state.geometry = window_.saveGeometry();
    state.layout = enlarged_->layout();
    QJsonObject widths;
    const QHash<QString, int> of_docks = docks_->widths();
    for (auto width = of_docks.cbegin(); width != of_docks.cend(); ++width) widths.insert(width.key(), width.value());
    state.views["widths"] = widths;
    state.views["inFront"] = QJsonArray::fromStringList(enlarged_->inFront());
    state.views["centre"] = centre_->state();
    state.views["graph"] = graph_->state();
    state.views["mesh"] = mesh_->state();
    state.views["run"] = run_->state();
    state.views["job"] = job_->state();
    state.views["jobView"] = job_view_->state();
}

void Workspace::restore(const SessionState& state) {
    if (!state.geometry.isEmpty()) window_.restoreGeometry(state.geometry);
    enlarged_->end();
    restored_ = !state.layout.isEmpty() && window_.restoreState(state.layout);
    QHash<QString, int> widths;
    const QJsonObject of_docks = state.views["widths"].toObject();
    for (auto width = of_docks.begin(); width != of_docks.end(); ++width) widths.insert(width.key(), width->toInt());
    docks_->setWidths(widths);
    QStringList in_front;
    for (const QJsonValue name : state.views["inFront"].toArray()) in_front.append(name.toString());
    docks_->bringToFront(in_front);
    centre_->restore(state.views["centre"].toObject());
    graph_->restore(state.views["graph"].toObject());
    mesh_->restore(state.views["mesh"].toObject());
    run_->restore(state.views["run"].toObject());
    job_view_->restore(state.views["jobView"].toObject());
    job_->restore(state.views["job"].toObject());
}

}  // namespace overlap::ui
