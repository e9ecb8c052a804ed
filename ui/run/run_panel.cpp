#include "ui/run/run_panel.h"

#include <QAction>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QScrollArea>
#include <QTabWidget>
#include <QTextBrowser>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/document/document.h"
#include "ui/document/evaluation_failure.h"
#include "ui/document/graph_reading.h"
#include "ui/files/program_question.h"
#include "ui/run/run_form.h"
#include "ui/run/run_nodes_view.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"
#include "ui/widgets/availability.h"
#include "ui/widgets/elided_label.h"

namespace overlap::ui {
namespace {

constexpr int form_width = 300;
constexpr int progress_width = 160;
constexpr int most_log_lines = 5000;

}  // namespace

RunPanel::RunPanel(Document& document, const QString& runner, QWidget* parent)
    : QWidget(parent),
      document_(document),
      environment_(startersFound(runner)),
      form_(new RunForm),
      runner_(new Runner(this)),
      dry_(makeAction(tr("&Dry check"), tr("Everything of a run but the kernels: memory plan, order of commands "
                                           "compared between ranks, where each process group would run"))),
      run_(makeAction(tr("&Run"), tr("Run the plan on GPUs and lay what is measured over it"))),
      cancel_(makeAction(tr("Cance&l run"), tr("End the run and all its ranks"))),
      calibrate_(makeAction(tr("Calibrate…"), tr("Fit the cost model to this run"))),
      status_(new ElidedLabel),
      progress_(new QProgressBar),
      pages_(new QTabWidget),
      report_(new QTextBrowser),
      nodes_(new RunNodesView),
      log_(new QPlainTextEdit) {
    setObjectName("run");
    setAccessibleName(tr("Run"));
    report_->setAccessibleName(tr("Result of the run"));
    report_->setProperty("role", "page");
    report_->setOpenLinks(false);
    log_->setAccessibleName(tr("What the run said"));
    log_->setReadOnly(true);
    log_->setProperty("role", "page");
    log_->setMaximumBlockCount(most_log_lines);
    log_->setFont(codeFont());
    pages_->addTab(report_, tr("Result"));
    pages_->addTab(nodes_, tr("Nodes"));
    pages_->addTab(log_, tr("Output"));
    offerNodes();
    pages_->setDocumentMode(true);
    pages_->setAccessibleName(tr("What came of the run"));
    auto* fields = new QScrollArea;
    fields->setWidget(form_);
    fields->setWidgetResizable(true);
    fields->setAccessibleName(tr("How a run is done"));
    fields->setFixedWidth(form_width);
    fields->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* line = new QFrame;
    line->setFrameShape(QFrame::NoFrame);
    line->setFixedWidth(1);
    line->setProperty("role", "hairline");
    auto* below = new QHBoxLayout;
    below->setSpacing(0);
    below->addWidget(fields);
    below->addWidget(line);
    below->addWidget(pages_, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar());
    layout->addLayout(below, 1);
    setFocusPolicy(Qt::StrongFocus);
    setFocusProxy(&form_->where());

    connect(dry_, &QAction::triggered, this, [this] { start(RunMode::dry_check); });
    connect(run_, &QAction::triggered, this, [this] { start(RunMode::devices); });
    connect(cancel_, &QAction::triggered, runner_, &Runner::cancel);
    connect(calibrate_, &QAction::triggered, this, &RunPanel::calibrateWanted);
    connect(form_, &RunForm::changed, this, &RunPanel::update);
    connect(form_, &RunForm::changed, this, &RunPanel::stateChanged);
    connect(runner_, &Runner::stateChanged, this, &RunPanel::update);
    connect(runner_, &Runner::said, log_, [this](const QString& said) { log_->appendPlainText(shownName(said)); });
    connect(runner_, &Runner::progressed, this, [this](int done, int of) {
        progress_->setRange(0, of);
        progress_->setValue(done);
        update();
    });
    connect(runner_, &Runner::finished, this, &RunPanel::showOutcome);
    connect(nodes_, &RunNodesView::nodeChosen, this,
            [this](const QString& name) { document_.selection().selectNode(name); });
    connect(&document, &Document::evaluationChanged, this, &RunPanel::update);
    connect(&document, &Document::evaluatingChanged, this, &RunPanel::update);
    connect(&document, &Document::graphChanged, this, &RunPanel::forgetRun);
    whenReadingChanges(document, this, [this] { update(); });
    connect(&document, &Document::failed, this, &RunPanel::update);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &RunPanel::showReport);
    showReport();
    update();
}

QAction* RunPanel::makeAction(const QString& text, const QString& help) {
    auto* action = new QAction(text, this);
    action->setToolTip(help);
    action->setStatusTip(help);
    return action;
}

QWidget* RunPanel::makeBar() {
    auto* bar = new QWidget;
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(8, 6, 8, 6);
    layout->setSpacing(8);
    for (QAction* action : {dry_, run_, cancel_, calibrate_}) {
        auto* button = new QToolButton;
        button->setDefaultAction(action);
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        button->setFocusPolicy(Qt::StrongFocus);
        layout->addWidget(button);
    }
    progress_->setFixedWidth(progress_width);
    progress_->setTextVisible(false);
    progress_->setAccessibleName(tr("Steps of the run"));
    layout->addWidget(progress_);
    status_->setProperty("role", "dim");
    layout->addWidget(status_, 1);
    return bar;
}

RunSettings RunPanel::form_settings() const {
    return form_->settings();
}

void RunPanel::restore(const QJsonObject& state) {
    if (!state.isEmpty()) form_->setSettings(runSettings(state));
}

bool RunPanel::busy() const {
    return runner_->busy() || (question_ && !environment_.known);
}

void RunPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    ask();
}

void RunPanel::ask() {
    if (question_) return;
    question_ = new ProgramQuestion(this);
    connect(question_, &ProgramQuestion::answered, this, [this](const QByteArray& answer, const QString& failure) {
        if (failure.isEmpty()) {
            addDevices(environment_, answer);
        } else {
            environment_.known = true;
            environment_.problem = failure;
        }
        form_->setEnvironment(environment_);
        update();
    });
    question_->ask(environment_.runner, {QStringLiteral("--devices")});
}

QString RunPanel::documentRefusal() const {
    if (!document_.isOpen()) return noGraphOpen(document_);
    const auto evaluation = document_.evaluation();
    if (document_.evaluating() || !evaluation) return whyNotEvaluated(document_);
    return evaluation->refused ? tr("The plan is refused, see Problems; there is nothing to run") : QString();
}

/// What is shown of the last run is of another graph.
void RunPanel::forgetRun() {
    if (!runner_->busy()) showNothing();
    update();
}

void RunPanel::showNothing() {
    log_->clear();
    last_.clear();
    result_.reset();
    measured_nodes_.reset();
    nodes_->setNodes(nullptr);
    offerNodes();
    showReport();
}

void RunPanel::start(RunMode mode) {
    if (runner_->busy() || !documentRefusal().isEmpty()) return;
    if (const QString refusal = runRefusal(form_->settings(), environment_, mode); !refusal.isEmpty()) return;
    const auto evaluation = document_.evaluation();
    RunInput input;
    input.name = document_.name() + u'-' + document_.current()->title();
    input.graph = document_.graph();
    if (document_.editable()) input.plan = document_.current()->plan();
    input.rewritten = evaluation->graph;
    input.times = evaluation->time_source;
    plan_ = document_.current()->key();
    shown_ = {.step_ms = evaluation->simulation.step_ms,
              .exposed_ms = evaluation->simulation.exposed_ms,
              .separate_links = evaluation->on_shared_links.has_value()};
    ran_ = tr("%1 of %2").arg(document_.current()->title(), document_.name());
    showNothing();
    progress_->setRange(0, 0);
    runner_->start(input, mode, form_->settings(), environment_);
    update();
}

void RunPanel::showOutcome(const RunOutcome& outcome) {
    result_.reset();
    measured_nodes_ = outcome.nodes;
    nodes_->setNodes(outcome.nodes);
    offerNodes();
    if (outcome.cancelled) {
        last_ = tr("The run was cancelled; none of its processes is left on this machine");
        emit told(last_);
    } else if (!outcome.failure.isEmpty()) {
        last_ = outcome.failure;
        emit failed(tr("Run: %1").arg(outcome.failure));
    } else {
        result_ = outcome.result;
        shown_.compiled = outcome.compiled;
        last_ = tr("%1: %2").arg(ran_, runSentence(outcome.result));
        pages_->setCurrentWidget(report_);
        emit told(last_);
        if (!outcome.trace_files.isEmpty()) {
            emit measured(plan_, outcome.trace_files, outcome.result_file);
        } else if (!outcome.result_file.isEmpty()) {
            emit told(tr("The run's result is in %1; without recorded kernels there is no timeline")
                          .arg(outcome.result_file));
        }
    }
    showReport();
    update();
}

void RunPanel::showReport() {
    if (result_)
        return report_->setHtml(
            tr("<p>%1</p>").arg(shownName(ran_).toHtmlEscaped()) +
            runReport(*result_, measured_nodes_ ? measured_nodes_->differences.sums : std::vector<DifferenceSum>(),
                      shown_));
    const QString color = currentTheme().dim.name();
    const QString shown =
        !last_.isEmpty() ? last_
                         : tr("A dry check reports the memory plan, whether all ranks would issue the same commands in "
                              "the same order, and which process groups NCCL runs and which are emulated. A run on "
                              "GPUs adds what was measured, laid over the plan.");
    report_->setHtml(QStringLiteral("<p style='color:%1'>%2</p>").arg(color, shownName(shown).toHtmlEscaped()));
}

void RunPanel::offerNodes() {
    const int page = pages_->indexOf(nodes_);
    pages_->setTabEnabled(page, measured_nodes_ != nullptr);
    pages_->setTabToolTip(page, measured_nodes_ ? QString() : tr("A run on devices with recorded kernels comes first"));
}

void RunPanel::update() {
    const bool runs = runner_->busy();
    const auto refusal = [&](RunMode mode) {
        if (runs) return tr("A run is under way");
        const QString of_document = documentRefusal();
        return of_document.isEmpty() ? runRefusal(form_->settings(), environment_, mode) : of_document;
    };
    const QString dry_refusal = refusal(RunMode::dry_check);
    setAvailable(*dry_, dry_refusal);
    setAvailable(*run_, refusal(RunMode::devices));
    setAvailable(*cancel_, runs && !runner_->ending() ? QString() : tr("Nothing runs"));
    setAvailable(*calibrate_,
                 result_ && result_->exposed_ms ? QString() : tr("A run on GPUs with recorded kernels comes first"));
    progress_->setVisible(runs);
    form_->setEnabled(!runs);
    QString status = foundText(environment_);
    if (runner_->ending()) {
        status = tr("Ending all ranks…");
    } else if (runs) {
        status = progress_->maximum() > 0 ? tr("step %1 of %2").arg(progress_->value()).arg(progress_->maximum())
                                          : tr("starting…");
    } else if (!dry_refusal.isEmpty() && environment_.known && environment_.problem.isEmpty()) {
        status = dry_refusal;
    } else if (!last_.isEmpty()) {
        status = last_;
    }
    status_->setText(shownName(status));
    status_->setToolTip(status_->text());
}

QString RunPanel::statusText() const {
    return status_->text();
}

QString RunPanel::resultText() const {
    return report_->toPlainText();
}

QString RunPanel::logText() const {
    return log_->toPlainText();
}

}  // namespace overlap::ui
