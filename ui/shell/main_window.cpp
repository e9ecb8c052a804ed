#include "ui/shell/main_window.h"

#include <QCloseEvent>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QStatusBar>
#include <QTimer>
#include <QToolBar>
#include <algorithm>

#include "ui/actions/bucket_actions.h"
#include "ui/actions/cost_actions.h"
#include "ui/actions/edit_actions.h"
#include "ui/actions/graph_actions.h"
#include "ui/actions/overlap_actions.h"
#include "ui/actions/pass_actions.h"
#include "ui/actions/plan_export.h"
#include "ui/actions/timeline_actions.h"
#include "ui/document/graph_reading.h"
#include "ui/files/resources.h"
#include "ui/frame/docks/dock_layout.h"
#include "ui/frame/theme_choice.h"
#include "ui/graph/graph_view.h"
#include "ui/job/job_view.h"
#include "ui/job/open/open_job.h"
#include "ui/job/step/job_step_view.h"
#include "ui/measure/measurement_connection.h"
#include "ui/measure/measurements.h"
#include "ui/measure/shown_timeline.h"
#include "ui/measure/trace_times.h"
#include "ui/mesh/mesh_view.h"
#include "ui/panels/log.h"
#include "ui/panels/problems_model.h"
#include "ui/panels/problems_panel.h"
#include "ui/passes/passes_panel.h"
#include "ui/plan/bucket_board.h"
#include "ui/run/run_panel.h"
#include "ui/session/recent_files.h"
#include "ui/shell/files/export_controller.h"
#include "ui/shell/files/file_controller.h"
#include "ui/shell/files/job_controller.h"
#include "ui/shell/files/save_controller.h"
#include "ui/shell/help_controller.h"
#include "ui/shell/notices/notices.h"
#include "ui/shell/notices/status_line.h"
#include "ui/shell/plan_actions.h"
#include "ui/shell/plan_tabs.h"
#include "ui/shell/recovery_controller.h"
#include "ui/shell/run_controller.h"
#include "ui/shell/session_controller.h"
#include "ui/shell/times_controller.h"
#include "ui/shell/view_actions.h"
#include "ui/shell/window_menus.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/tasks/latest_task.h"
#include "ui/theme/harmless_text.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/availability.h"

namespace overlap::ui {
namespace {

constexpr QSize first_size(1440, 900);
constexpr int frame_checks_ms[] = {0, 100, 500};

QString quitTip() {
    return MainWindow::tr("Quit; everything comes back at the next start");
}

QStringList localFiles(const QMimeData* data) {
    QStringList files;
    for (const QUrl& url : data->urls())
        if (url.isLocalFile()) files.append(url.toLocalFile());
    return files;
}

}  // namespace

MainWindow::MainWindow(const QString& session_folder, QWidget* parent)
    : QMainWindow(parent),
      measurements_(new Measurements(this)),
      trace_times_(new TraceTimes(document_, this)),
      log_(new Log(this)),
      actions_(new Actions(this)) {
    loadResources();
    keepTextPlain();
    setUpWindow();
    makeControllers();
    registerActions();
    makeBars();
    workspace_->arrange();
    connectNotices();
    connectControllers();
    connectDocument();
    LatestTask::whenTasksFail([this](const QString& reason) { notices_->warn(reason); });

    if (!session_folder.isEmpty()) openSession(session_folder);
    theme_->apply();
    updateTitle();
    status_->update();
}

MainWindow::~MainWindow() {
    LatestTask::whenTasksFail({});
    // Views get no more signals while the document is destroyed.
    document_.disconnect();
    document_.loader().disconnect();
    measurements_->disconnect();
    workspace_->timeline().edits().disconnect();
    workspace_->job().disconnect();
    workspace_->jobView().step().timeline().edits().disconnect();
}

void MainWindow::setUpWindow() {
    setObjectName("mainWindow");
    setAcceptDrops(true);
    setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks | GroupedDragging);
    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
    setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
    setContextMenuPolicy(Qt::PreventContextMenu);
    resize(first_size.boundedTo(screen()->availableGeometry().size()));
}

void MainWindow::showOnScreen() {
    show();
    // Window managers put a frame around the window later, and say then how large it is.
    for (const int after_ms : frame_checks_ms) QTimer::singleShot(after_ms, this, &MainWindow::fitScreen);
}

void MainWindow::fitScreen() {
    if (isMaximized() || isFullScreen()) return;
    const QRect available = screen()->availableGeometry();
    const QSize fitting = size().boundedTo(available.size() - (frameGeometry().size() - size()));
    if (fitting != size()) resize(fitting);
    const QSize room = available.size() - (frameGeometry().size() - size()) - fitting;
    const QPoint first = available.topLeft(),
                 last = first + QPoint(std::max(0, room.width()), std::max(0, room.height()));
    const QPoint corner(std::clamp(x(), first.x(), last.x()), std::clamp(y(), first.y(), last.y()));
    if (corner != pos()) move(corner);
}

void MainWindow::makeControllers() {
    workspace_ = std::make_unique<Workspace>(*this, document_, *measurements_, *log_);
    status_ = std::make_unique<StatusLine>(*statusBar(), document_, *measurements_, *trace_times_);
    notices_ = std::make_unique<Notices>(*log_, workspace_->notice(), *status_);
    times_ = std::make_unique<TimesController>(document_, *measurements_, *trace_times_, *workspace_);
    session_ = std::make_unique<SessionController>(document_, *workspace_, *times_, file_looks_);
    recent_ = std::make_unique<RecentFiles>(session_->state());
    files_ = std::make_unique<FileController>(FileController::Parts{
        document_, *measurements_, workspace_->meshConnection(), session_->state(), *recent_, file_looks_, *this});
    jobs_ = std::make_unique<JobController>(document_, *workspace_, *recent_, *this);
    saves_ = std::make_unique<SaveController>(document_, *recent_, file_looks_, *this);
    const auto simulated = [this] { return isSimulated(workspace_->measurementConnection().shown().get()); };
    exports_ = std::make_unique<ExportController>(document_, workspace_->timeline(), simulated, *this);
    workspace_->graphView().nameFilesAfter([this] { return exports_->stem(); });
    workspace_->mesh().nameFilesAfter([this] { return exports_->stem(); });
    tabs_ = std::make_unique<PlanTabs>(document_, *measurements_, *session_, file_looks_, *this);
    recovery_ = std::make_unique<RecoveryController>(document_, *session_, *tabs_, file_looks_);
    plans_ = std::make_unique<PlanActions>(document_, *workspace_, *this);
    run_ = std::make_unique<RunController>(document_, *measurements_, workspace_->run());
    theme_ = std::make_unique<ThemeChoice>(*actions_, *this);
    help_ = std::make_unique<HelpController>(*actions_, document_, *this);
}

/// Menus show the actions in this order.
void MainWindow::registerActions() {
    Actions& actions = *actions_;
    files_->registerActions(actions);
    jobs_->registerOpening(actions);
    files_->registerCancel(actions);
    saves_->registerActions(actions);
    jobs_->registerSaving(actions);
    exports_->registerActions(actions);
    registerEditActions(actions, workspace_->history(), workspace_->modulesPanel());
    plans_->registerNew(actions);
    times_->registerActions(actions, *this);
    registerOverlapActions(actions, workspace_->overlaps());
    plans_->registerRepair(actions);
    tabs_->registerActions(actions);
    recovery_->registerActions(actions);
    tabs_->registerSteps(actions);
    plans_->registerStarts(actions);
    registerBucketActions(actions, workspace_->bucketBoard());
    run_->registerActions(actions);
    registerPassActions(actions, workspace_->passes());
    registerGraphActions(actions, workspace_->graphView());
    registerViewActions(actions, *workspace_, *theme_);
    jobs_->registerViews(actions);
    registerTimelineActions(actions, workspace_->timeline(),
                            [this](bool visibleOnly) { emit workspace_->timelineInFront().exportWanted(visibleOnly); });
    // The last of its menu, after the views' actions for files.
    actions.add("file.quit", tr("File"), tr("&Quit"), quitTip(), {QKeySequence::Quit}, [this] { close(); });
    help_->registerActions();
}

void MainWindow::makeBars() {
    auto* tools = new QToolBar(tr("Tools"));
    tools->setObjectName("tools");
    tools->setMovable(false);
    tools->setIconSize({16, 16});
    tools->setContextMenuPolicy(Qt::PreventContextMenu);
    addToolBar(tools);
    fillToolBar(*tools, *actions_, *workspace_);
    recent_->setMenu(*makeMenus(*menuBar(), *actions_));
}

void MainWindow::connectNotices() {
    for (const NoticeSource* source : std::initializer_list<const NoticeSource*>{
             workspace_.get(), times_.get(), session_.get(), files_.get(), jobs_.get(), saves_.get(), exports_.get(),
             tabs_.get(), recovery_.get(), plans_.get(), run_.get(), help_.get()})
        notices_->listenTo(*source);
    connect(&document_, &Document::failed, this, [this](const QString& reason) { notices_->warn(reason); });
}

void MainWindow::connectControllers() {
    connect(files_.get(), &FileController::opening, this, [this] { workspace_->notice().hide(); });
    connect(files_.get(), &FileController::outlived, this,
            [this](const QString& sentence) { workspace_->notice().removeSentence(sentence); });
    connect(files_.get(), &FileController::jobFound, jobs_.get(), &JobController::open);
    connect(files_.get(), &FileController::jobTracesFound, jobs_.get(), &JobController::openMeasured);
    connect(workspace_->problems().problems(), &ProblemsModel::tellingWanted, files_.get(),
            &FileController::tellWhatIsMissing);
    connect(jobs_.get(), &JobController::openWanted, this, &MainWindow::openFiles);
    connect(saves_.get(), &SaveController::openWanted, this, &MainWindow::openFiles);
    connect(recovery_.get(), &RecoveryController::openWanted, this, &MainWindow::openFiles);
    connect(&workspace_->job(), &OpenJob::opened, this, &MainWindow::updateTitle);
    connect(&workspace_->job(), &OpenJob::saved, this, &MainWindow::updateTitle);
    connect(recent_.get(), &RecentFiles::cleared, session_.get(), [this] { session_->schedule(); });
    connect(times_.get(), &TimesController::filesOpened, recent_.get(), &RecentFiles::add);
    connect(times_.get(), &TimesController::costChanged, status_.get(), &StatusLine::update);
    connect(run_.get(), &RunController::calibrateWanted, actions_->find(QStringLiteral("plan.calibrate")),
            &QAction::trigger);
    connect(theme_.get(), &ThemeChoice::chosen, session_.get(), [this](const QString& name) {
        session_->state().theme = name;
        session_->schedule();
    });
    connectCancel();
    tabs_->follow(workspace_->variants());
    tabs_->follow(workspace_->plans());
}

void MainWindow::connectDocument() {
    connect(&document_, &Document::currentChanged, this, &MainWindow::updateTitle);
    connect(&document_, &Document::variantsChanged, this, &MainWindow::updateTitle);
    whenReadingChanges(document_, this, [this] { updateTitle(); });
    connect(measurements_, &Measurements::currentChanged, this, &MainWindow::updateTitle);
    connect(&document_, &Document::graphChanged, this, [this] {
        files_->graphOpened();
        session_->graphOpened();
        tabs_->updateReopen();
        updateTitle();
        status_->update();
        if (!focusWidget()) workspace_->timeline().setFocus();  // its keys work immediately
    });
}

void MainWindow::openSession(const QString& folder) {
    StoredSession stored = session_->open(folder);
    help_->setSessionFolder(folder);
    theme_->choose(session_->state().theme);
    recovery_->begin(std::move(stored));
}

void MainWindow::openFiles(const QStringList& files) {
    files_->open(files);
}

void MainWindow::openSessionOrSample() {
    files_->openSessionOrSample();
}

bool MainWindow::idle() const {
    return !document_.evaluating() && !document_.loading() && !workspace_->busy() && !times_->busy() &&
           !exports_->plan().busy() && !plans_->busy();
}

void MainWindow::updateTitle() {
    const QString application = QStringLiteral("Overlap Studio");
    QStringList names{document_.name(), QFileInfo(workspace_->job().file()).fileName()};
    names.removeAll(QString());
    for (QString& name : names) name = shownName(name);
    setWindowTitle((names << application).join(QStringLiteral(" — ")));
    const QString refusal = !document_.isOpen()    ? noGraphOpen(document_)
                            : document_.editable() ? QString()
                                                   : tr("The baseline is the graph without any plan: add a plan");
    for (const char* id : {"file.save", "file.saveAs", "plan.rename", "plan.close", "plan.startBlock",
                           "plan.startBlocks", "plan.startEmpty"})
        setAvailable(*actions_->find(QString::fromLatin1(id)), refusal);
    setAvailable(*actions_->find(QStringLiteral("plan.close")), measurements_->current() ? QString() : refusal);
    const QString words = session_->partingWords();
    actions_->find(QStringLiteral("file.quit"))->setStatusTip(words.isEmpty() ? quitTip() : words);
}

void MainWindow::connectCancel() {
    const auto on = [this](auto* source, auto... signal) {
        // What has ended is told before its task is no longer busy.
        (connect(source, signal, this, &MainWindow::updateCancel, Qt::QueuedConnection), ...);
        (connect(source, signal, this, &MainWindow::updateCancel), ...);
    };
    on(&document_.loader(), &GraphLoader::started, &GraphLoader::loaded, &GraphLoader::listed, &GraphLoader::failed,
       &GraphLoader::cancelled);
    on(measurements_, &Measurements::started, &Measurements::finished);
    on(&workspace_->job(), &OpenJob::busyChanged);
    updateCancel();
}

void MainWindow::updateCancel() {
    const bool reading = document_.loader().busy() || measurements_->busy() || workspace_->job().reading();
    setAvailable(*actions_->find(QStringLiteral("file.cancel")), reading ? QString() : tr("Nothing is being read"));
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    if (workspace_) workspace_->docks().windowResized(event->oldSize());
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!localFiles(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    const JobView& job = workspace_->jobView();
    const bool over_job = workspace_->job().isOpen() && job.isVisible() &&
                          job.rect().contains(job.mapFrom(this, event->position().toPoint()));
    files_->open(localFiles(event->mimeData()), over_job);
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    const QKeySequence pressed(event->keyCombination());
    for (const Actions::Entry& entry : actions_->entries())
        if (!entry.action->isEnabled() && entry.action->shortcuts().contains(pressed)) {
            status_->showMessage(entry.action->statusTip(), {});
            return;
        }
    QMainWindow::keyPressEvent(event);
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    // Another program may have been at work.
    if (event->type() != QEvent::ActivationChange || !isActiveWindow() || !saves_) return;
    saves_->lookAtFile();
    jobs_->lookAtFiles();
    files_->lookAtGraph();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (saves_->refusesClosing() || session_->refusesClosing()) return event->ignore();
    event->accept();
}

}  // namespace overlap::ui
