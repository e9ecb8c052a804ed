#include "ui/shell/main_window.h"

#include <QCloseEvent>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QMenuBar>
#include <QScreen>
#include <QStatusBar>
#include <QStyle>
#include <QToolBar>
#include <QVBoxLayout>

#include "ui/cost/graph_cost_model.h"
#include "ui/diagnostics/log_file.h"
#include "ui/files/companion_program.h"
#include "ui/files/write_file.h"
#include "ui/frame/centre_tabs.h"
#include "ui/frame/column_share.h"
#include "ui/frame/command_palette.h"
#include "ui/frame/dock_title.h"
#include "ui/frame/dock_widths.h"
#include "ui/frame/figures_bar.h"
#include "ui/frame/icons.h"
#include "ui/frame/load_progress.h"
#include "ui/frame/notice_bar.h"
#include "ui/frame/shell_style.h"
#include "ui/frame/variant_bar.h"
#include "ui/graph/graph_controls.h"
#include "ui/graph/graph_view.h"
#include "ui/groups/process_groups_panel.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/measure/compare_panel.h"
#include "ui/measure/measurement_connection.h"
#include "ui/measure/measurements.h"
#include "ui/measure/statistics_panel.h"
#include "ui/measure/trace_times.h"
#include "ui/mesh/mesh_connection.h"
#include "ui/mesh/mesh_view.h"
#include "ui/modules/modules_panel.h"
#include "ui/panels/log.h"
#include "ui/panels/log_panel.h"
#include "ui/panels/problems_model.h"
#include "ui/panels/problems_panel.h"
#include "ui/passes/passes_panel.h"
#include "ui/plan/bucket_board.h"
#include "ui/run/run_panel.h"
#include "ui/shell/cost_actions.h"
#include "ui/shell/edit_effect.h"
#include "ui/shell/edit_history.h"
#include "ui/shell/module_repair.h"
#include "ui/shell/overlap_connection.h"
#include "ui/shell/plan_export.h"
#include "ui/shell/timeline_connection.h"
#include "ui/shell/timeline_export.h"
#include "ui/tasks/latest_task.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {
namespace {

constexpr int message_ms = 8000;
/// Edits are stored at once; what part of the timeline is shown may wait until it stands still.
constexpr int view_delay_ms = 150;
constexpr QSize first_size(1440, 900);
constexpr int tall_dock_height = 300;
/// Of the height above the timeline, at first: paths over pictures of ranks take more than the graph.
constexpr double mesh_share = 2.0 / 3;

constexpr int lowest_bottom_panel = 64;

}  // namespace

MainWindow::MainWindow(const QString& session_folder, QWidget* parent)
    : QMainWindow(parent),
      plan_saver_(new PlanSaver(document_, this)),
      measurements_(new Measurements(this)),
      trace_times_(new TraceTimes(document_, this)),
      log_(new Log(this)),
      actions_(new Actions(this)),
      dock_widths_(new DockWidths(*this)) {
    loadResources();
    keepTextPlain();
    setObjectName("mainWindow");
    setAcceptDrops(true);
    setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks | GroupedDragging);
    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
    setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
    resize(first_size.boundedTo(screen()->availableGeometry().size()));

    timeline_ = new TimelineView;
    timeline_connection_ = new TimelineConnection(document_, *timeline_, this);
    overlaps_ = new OverlapConnection(document_, *timeline_, this);
    connect(overlaps_, &OverlapConnection::told, this, [this](const QString& sentence) { tell(sentence); });
    repair_ = new ModuleRepair(document_, this);
    connect(repair_, &ModuleRepair::told, this, [this](const QString& sentence) { tell(sentence); });
    timeline_export_ = new TimelineExport(*timeline_, this);
    plan_export_ = new PlanExport(document_, *this);
    history_ = new EditHistory(document_, timeline_->edits(), this);
    auto* effect = new EditEffect(document_, *history_, this);
    connect(effect, &EditEffect::told, this, [this](const QString& sentence) { tell(sentence); });
    notice_ = new NoticeBar;
    centre_ = new CentreTabs(timeline_);
    graph_model_ = new GraphModel(document_, this);
    graph_ = new GraphView(*graph_model_);
    centre_->addView(QStringLiteral("graph"), tr("Graph"), graph_, new GraphControls(*graph_));
    mesh_ = new MeshView;
    mesh_connection_ = new MeshConnection(document_, *mesh_, this);
    centre_->addView(QStringLiteral("mesh"), tr("Mesh"), mesh_, mesh_->headerControls(), mesh_share);
    auto* middle = new QWidget;
    auto* layout = new QVBoxLayout(middle);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(notice_);
    layout->addWidget(centre_, 1);
    setCentralWidget(middle);

    makeDocks();
    makeToolBar();
    makeStatusBar();
    connectMeasurements();
    connectRun();
    registerActions();
    makeMenus();
    palette_ = new CommandPalette(*actions_, this);
    resetLayout();
    first_layout_ = saveState();

    connect(plan_saver_, &PlanSaver::finishedLate, this, &MainWindow::showSaved);
    connect(&LateExports::instance(), &LateExports::finished, this,
            [this](const QString& path, const QString& problem) {
                problem.isEmpty() ? tell(tr("Saved %1").arg(QFileInfo(path).fileName()), path) : warn(problem);
            });
    connect(&document_, &Document::currentChanged, this, &MainWindow::updateTitle);
    connect(&document_, &Document::variantsChanged, this, &MainWindow::updateTitle);
    connect(&document_, &Document::evaluationChanged, this, &MainWindow::updateStatus);
    connect(&document_, &Document::evaluatingChanged, this, &MainWindow::updateStatus);
    connect(trace_times_, &TraceTimes::changed, this, &MainWindow::updateStatus);
    connect(&document_, &Document::graphChanged, this, &MainWindow::onGraphLoaded);
    connect(&document_, &Document::graphChanged, this, [this] {
        if (!focusWidget()) timeline_->setFocus();  // its keys work at once
    });
    connect(&document_, &Document::failed, this, [this](const QString& reason) { warn(reason); });
    connect(&document_.loader(), &GraphLoader::failed, this, [this](const QString&, const QString& reason) {
        plans_to_open_.clear();
        warn(reason);
    });
    connect(&document_.loader(), &GraphLoader::listed, this, &MainWindow::chooseGraph);
    connect(&document_.loader(), &GraphLoader::cancelled, this, [this](const QString& path) {
        plans_to_open_.clear();
        tell(tr("Reading %1 was cancelled").arg(QFileInfo(path).fileName()), path);
    });
    connect(board_, &BucketBoard::refused, this, [this](const QString& reason) { tell(reason); });
    overlaps_->setModules(*modules_->tree());
    connect(modules_, &ModulesPanel::refused, this, [this](const QString& reason) { tell(reason); });
    connect(modules_, &ModulesPanel::repairWanted, repair_, &ModuleRepair::open);
    connect(board_, &BucketBoard::repairWanted, repair_, [this] { repair_->open(); });
    connect(problems_->problems(), &ProblemsModel::repairWanted, repair_, [this] { repair_->open(); });
    connect(variant_bar_, &VariantBar::newWanted, this,
            [this] { actions_->find(QStringLiteral("plan.new"))->trigger(); });
    connect(variant_bar_, &VariantBar::closeWanted, this, &MainWindow::closePlan);
    connect(variant_bar_, &VariantBar::renameWanted, this, [this](int index) {
        document_.setCurrentIndex(index);
        renamePlan();
    });
    connect(timeline_connection_, &TimelineConnection::shown, this, [this] {
        if (!std::exchange(range_to_restore_, false)) return;
        if (const SessionDocument* kept = state_.document(document_.loaded().path);
            kept && kept->range_end_ms > kept->range_start_ms)
            timeline_->setVisibleRange(
                {std::llround(kept->range_start_ms * 1e6), std::llround(kept->range_end_ms * 1e6)});
    });
    connect(graph_, &GraphView::told, this, [this](const QString& sentence) { tell(sentence); });
    connect(graph_, &GraphView::stateChanged, this, [this] { scheduleSession(view_delay_ms); });
    connect(mesh_, &MeshView::told, this, [this](const QString& sentence) { tell(sentence); });
    connect(mesh_connection_, &MeshConnection::told, this, [this](const QString& sentence) { tell(sentence); });
    connect(mesh_connection_, &MeshConnection::failed, this, [this](const QString& reason) { warn(reason); });
    connect(mesh_, &MeshView::stateChanged, this, [this] { scheduleSession(view_delay_ms); });
    connect(&timeline_->edits(), &TimelineEdits::changed, this, [this] { scheduleSession(); });
    connect(timeline_, &TimelineView::exportWanted, this,
            [this](bool visibleOnly) { timeline_export_->ask(document_.name(), visibleOnly); });
    connect(timeline_export_, &TimelineExport::written, this,
            [this](const QString& path) { tell(tr("Saved %1").arg(QFileInfo(path).fileName()), path); });
    connect(timeline_export_, &TimelineExport::failed, this, [this](const QString& reason) { warn(reason); });
    connect(plan_export_, &PlanExport::written, this, &MainWindow::tellExported);
    connect(plan_export_, &PlanExport::failed, this, [this](const QString& reason) { warn(reason); });
    connect(timeline_, &TimelineView::visibleRangeChanged, this, [this] { scheduleSession(view_delay_ms); });
    connect(&document_, &Document::planChanged, this, [this] { scheduleSession(); });
    connect(&document_, &Document::variantsChanged, this, [this] { scheduleSession(); });
    connect(&document_, &Document::graphAboutToChange, this, &MainWindow::rememberDocument);
    document_.setVariantSource([this](const LoadedGraph& loaded) { return restoredVariants(loaded); });
    session_timer_.setSingleShot(true);
    connect(&session_timer_, &QTimer::timeout, this, &MainWindow::writeSession);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &MainWindow::applyTheme);

    LatestTask::whenTasksFail([this](const QString& reason) { warn(reason); });

    if (!session_folder.isEmpty()) restoreSession(session_folder);
    applyTheme();
    updateTitle();
    updateStatus();
}

MainWindow::~MainWindow() {
    LatestTask::whenTasksFail({});
    // Views are told of nothing more while the document goes.
    document_.disconnect();
    document_.loader().disconnect();
    measurements_->disconnect();
    timeline_->disconnect(this);
    timeline_->edits().disconnect();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    dock_widths_->windowResized(event->oldSize());
}

QDockWidget* MainWindow::addDock(const QString& id, const QString& title, QWidget* content, Qt::DockWidgetArea area) {
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(id);
    dock->setWidget(content);
    // What a hidden tab has to say must not take height from the timeline.
    if (area == Qt::BottomDockWidgetArea) content->setMinimumHeight(lowest_bottom_panel);
    addDockWidget(area, dock);
    dock_widths_->watch(dock);
    docks_.append(dock);
    return dock;
}

void MainWindow::makeDocks() {
    modules_ = new ModulesPanel(document_);
    board_ = new BucketBoard(document_);
    inspector_ = new InspectorPanel(document_);
    problems_ = new ProblemsPanel(document_);
    passes_ = new PassesPanel(document_);
    groups_ = new ProcessGroupsPanel(document_);
    setDockTitle(addDock(QStringLiteral("modules"), tr("Modules"), modules_, Qt::LeftDockWidgetArea), nullptr);
    setDockTitle(addDock(QStringLiteral("buckets"), tr("Buckets"), board_, Qt::RightDockWidgetArea),
                 board_->headerControls());
    setDockTitle(addDock(QStringLiteral("inspector"), tr("Inspector"), inspector_, Qt::RightDockWidgetArea), nullptr);
    QDockWidget* problems = addDock(QStringLiteral("problems"), tr("Problems"), problems_, Qt::BottomDockWidgetArea);
    setDockTitle(problems, nullptr, true);
    setDockTitle(addDock(QStringLiteral("log"), tr("Log"), new LogPanel(*log_), Qt::BottomDockWidgetArea), nullptr,
                 true);
    QDockWidget* groups = addDock(QStringLiteral("groups"), tr("Process groups"), groups_, Qt::BottomDockWidgetArea);
    setDockTitle(groups, nullptr, true);
    right_column_ = new ColumnShare(*this, *docks_[1], *docks_[2]);
    connect(&document_, &Document::planChanged, this, [this] {
        // Once the board has been laid out for what it shows now.
        QTimer::singleShot(0, right_column_, [this] {
            if (!document_.isOpen()) return;
            using Upper = ColumnShare::Upper;
            right_column_->show(!document_.buckets().empty() ? Upper::cards
                                : board_->automatic()        ? Upper::note
                                                             : Upper::hint);
        });
    });
    passes_dock_ = addDock(QStringLiteral("passes"), tr("Passes"), passes_, Qt::BottomDockWidgetArea);
    setDockTitle(passes_dock_, nullptr, true);
    compare_ = new ComparePanel(document_, *measurements_);
    compare_dock_ = addDock(QStringLiteral("compare"), tr("Compare"), compare_, Qt::BottomDockWidgetArea);
    setDockTitle(compare_dock_, nullptr, true);
    statistics_ = new StatisticsPanel(*measurements_);
    statistics_dock_ = addDock(QStringLiteral("statistics"), tr("Statistics"), statistics_, Qt::BottomDockWidgetArea);
    setDockTitle(statistics_dock_, nullptr, true);
    run_ = new RunPanel(document_, companionProgram(QStringLiteral("overlap-runner")));
    run_dock_ = addDock(QStringLiteral("run"), tr("Run"), run_, Qt::BottomDockWidgetArea);
    setDockTitle(run_dock_, nullptr, true);
    giveHeightWhenSeen(run_dock_);
    giveHeightWhenSeen(passes_dock_);
    giveHeightWhenSeen(compare_dock_);
    giveHeightWhenSeen(statistics_dock_);
    giveHeightWhenSeen(groups);
    connect(passes_, &PassesPanel::told, this, [this](const QString& sentence) { tell(sentence); });
    connect(passes_, &PassesPanel::overlapEditWanted, this,
            [this](const QString& collective) { overlaps_->edit(collective); });
    connect(problems_, &ProblemsPanel::countChanged, problems, [problems](int count) {
        problems->setWindowTitle(count == 0 ? tr("Problems") : tr("Problems %1").arg(count));
    });
}

void MainWindow::giveHeightWhenSeen(QDockWidget* dock) {
    // Steps with their options, and tables under sums or buttons, need more room than the rows of the other tabs; a
    // person may take it away again.
    connect(dock, &QDockWidget::visibilityChanged, this, [this, dock, seen = false](bool visible) mutable {
        if (!visible || std::exchange(seen, true)) return;
        const int wanted = std::min(tall_dock_height, height() / 3);
        if (dock->height() < wanted) resizeDocks({dock}, {wanted}, Qt::Vertical);
    });
}

void MainWindow::resetLayout() {
    if (!first_layout_.isEmpty()) {
        restoreState(first_layout_);
        for (QDockWidget* dock : docks_) dock->show();
        centre_->reset();
        return;
    }
    QDockWidget* modules = docks_[0];
    QDockWidget* buckets = docks_[1];
    QDockWidget* inspector = docks_[2];
    QDockWidget* problems = docks_[3];
    tabifyDockWidget(problems, compare_dock_);
    tabifyDockWidget(compare_dock_, statistics_dock_);
    tabifyDockWidget(statistics_dock_, passes_dock_);
    QDockWidget* groups_dock = docks_[5];
    tabifyDockWidget(passes_dock_, groups_dock);
    tabifyDockWidget(groups_dock, run_dock_);
    tabifyDockWidget(run_dock_, docks_[4]);
    problems->raise();
    resizeDocks({modules, buckets}, {300, 332}, Qt::Horizontal);
    resizeDocks({buckets, inspector}, {460, 260}, Qt::Vertical);
    resizeDocks({problems}, {132}, Qt::Vertical);
}

void MainWindow::makeToolBar() {
    tool_bar_ = new QToolBar(tr("Tools"));
    tool_bar_->setObjectName("tools");
    tool_bar_->setMovable(false);
    tool_bar_->setIconSize({16, 16});
    tool_bar_->setContextMenuPolicy(Qt::PreventContextMenu);
    addToolBar(tool_bar_);
    setContextMenuPolicy(Qt::PreventContextMenu);
    variant_bar_ = new VariantBar(document_, *measurements_);
    figures_ = new FiguresBar(document_);
}

void MainWindow::makeStatusBar() {
    status_graph_ = new QLabel;
    status_time_ = new QLabel;
    status_message_ = new QLabel;
    status_time_->setProperty("role", "good");
    status_message_->setProperty("role", "message");
    status_message_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    statusBar()->setContentsMargins(8, 0, 12, 0);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(status_graph_);
    statusBar()->addWidget(status_message_, 1);
    addReadingProgress();
    statusBar()->addPermanentWidget(status_time_);
}

void MainWindow::applyTheme() {
    setStyleSheet(shellStyleSheet(currentTheme()));
    for (const Actions::Entry& entry : actions_->entries())
        if (const QString icon = entry.action->property("iconName").toString(); !icon.isEmpty())
            entry.action->setIcon(themedIcon(icon));
}

void MainWindow::setThemeMode(const QString& name) {
    const ThemeMode mode = name == u"light" ? ThemeMode::Light : name == u"dark" ? ThemeMode::Dark : ThemeMode::System;
    state_.theme = mode == ThemeMode::System ? QStringLiteral("system") : name;
    ThemeManager::instance().setMode(mode);
    for (const QString& choice : {QStringLiteral("system"), QStringLiteral("light"), QStringLiteral("dark")})
        actions_->find(QStringLiteral("view.theme.") + choice)->setChecked(choice == state_.theme);
    scheduleSession();
}

void MainWindow::updateTitle() {
    const QString application = QStringLiteral("Overlap Studio");
    const QString name = document_.name();
    setWindowTitle(name.isEmpty() ? application : QStringLiteral("%1 — %2").arg(shownName(name), application));
    const bool plan = document_.editable();
    for (const char* id : {"file.save", "file.saveAs", "plan.rename", "plan.close", "plan.startBlock",
                           "plan.startBlocks", "plan.startEmpty"})
        actions_->find(QString::fromLatin1(id))->setEnabled(plan);
    actions_->find(QStringLiteral("plan.close"))->setEnabled(plan || measurements_->current());
}

void MainWindow::updateStatus() {
    if (!document_.isOpen()) return status_graph_->setText(tr("No graph is open"));
    const GraphHeader& header = document_.graph()->header();
    QStringList parts{
        shownName(document_.name()), tr("%1 nodes").arg(formatCount(document_.graph()->node_count())),
        tr("%1 collectives")
            .arg(formatCount(static_cast<std::int64_t>(document_.baseline().simulation.collectives.size())))};
    if (header.rank && header.world_size) parts.append(tr("rank %1 of %2").arg(*header.rank).arg(*header.world_size));
    if (!document_.baseline().times_known) {
        parts.append(tr("no times: choose a cost model"));
    } else if (const QString model = costModelName(*document_.graph()); !model.isEmpty()) {
        parts.append(tr("times: estimated with %1").arg(model));
    }
    if (trace_times_->contention()) parts.append(tr("with contention"));
    if (!trace_times_->files().isEmpty())
        parts.append(document_.times() ? tr("times: trace %1").arg(document_.times()->name()) : tr("reading times…"));
    status_graph_->setText(parts.join(QStringLiteral(" · ")));
    const auto evaluation = document_.evaluation();
    status_time_->setText(document_.evaluating()              ? tr("evaluating…")
                          : evaluation && evaluation->refused ? tr("plan refused, see Problems")
                          : evaluation ? tr("evaluated in %1").arg(formatTime(evaluation->evaluate_ms))
                                       : QString());
    status_time_->setProperty("role", evaluation && evaluation->refused ? "caution" : "good");
    status_time_->style()->polish(status_time_);
}

void MainWindow::tell(const QString& sentence, const QString& tool_tip) {
    const QString line = tool_tip.isEmpty() ? sentence : QStringLiteral("%1 (%2)").arg(sentence, tool_tip);
    log_->add(line);
    qCInfo(windowLog).noquote() << line;
    status_message_->setText(shownName(sentence));
    status_message_->setToolTip(shownLines(tool_tip.isEmpty() ? sentence : tool_tip));
    QTimer::singleShot(message_ms, this, [this, sentence] {
        if (status_message_->text() == shownName(sentence)) status_message_->clear();
    });
}

void MainWindow::warn(const QString& sentence, const std::vector<NoticeAction>& actions) {
    log_->add(sentence, Log::Level::failure);
    qCWarning(windowLog).noquote() << sentence;
    notice_->showNotice(sentence, actions);
}

bool MainWindow::idle() const {
    return !document_.evaluating() && !document_.loading() && !timeline_connection_->busy() && !inspector_->busy() &&
           !groups_->busy() && !mesh_->busy() && !mesh_connection_->busy() && !measurements_->busy() && !run_->busy() &&
           !trace_times_->busy() && !cost_->busy() && !plan_export_->busy() && !measurement_connection_->busy() &&
           !compare_->busy() && !graph_model_->reading();
}

}  // namespace overlap::ui
