#include "ui/shell/times_controller.h"

#include <QFileInfo>

#include "ui/actions/cost_actions.h"
#include "ui/actions/edit_history.h"
#include "ui/actions/times_history.h"
#include "ui/cost/graph_cost_model.h"
#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/frame/actions.h"
#include "ui/frame/figures_bar.h"
#include "ui/frame/variant_bar.h"
#include "ui/measure/compare_panel.h"
#include "ui/measure/measured_job.h"
#include "ui/measure/measurements.h"
#include "ui/measure/simulated_trace_times.h"
#include "ui/measure/trace_times.h"
#include "ui/panels/history_panel.h"
#include "ui/panels/problems_model.h"
#include "ui/panels/problems_panel.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/theme/counted_text.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/availability.h"

namespace overlap::ui {
namespace {

std::vector<Figure> figuresOf(const Measurement& measurement) {
    const auto tr = [](const char* text) { return TimesController::tr(text); };
    const MeasuredFigures measured = measuredFigures(measurement);
    if (!measured.has_gpu && measurement.isSimulated())
        return {{tr("simulated"), tr("nothing was measured"), {}, 0, measurement.files.front()}};
    if (!measured.has_gpu) return {{tr("measured"), tr("no GPU events"), {}, 0, measurement.files.front()}};
    const QString of = measured.steps == 1 ? tr("one step") : tr("mean of %1 steps").arg(measured.steps);
    const QString whose = measurement.traces.size() > 1 ? measurement.rankName(0) : tr("first GPU");
    const auto figure = [&](const QString& label, const QString& value, const QString& help) {
        return Figure{label, value, {}, 0, tr("%1 (%2, %3)").arg(help, of, whose)};
    };
    QString step = measured.steps > 1 ? of : measurement.isSimulated() ? tr("simulated step") : tr("measured step");
    if (measurement.traces.size() > 1) step += QStringLiteral(" · ") + whose;
    return {
        figure(step, formatTime(measured.step_ms), tr("From the first event on the GPU to the end of the last")),
        figure(tr("exposed"), formatTime(measured.exposed_ms), tr("Communication while no compute ran")),
        figure(tr("communication"), formatTime(measured.communication_ms), tr("Time for which anything communicated"))};
}

}  // namespace

TimesController::TimesController(Document& document, Measurements& measurements, TraceTimes& times,
                                 Workspace& workspace)
    : document_(document),
      measurements_(measurements),
      times_(times),
      workspace_(workspace),
      job_(new MeasuredJob(document, measurements, this)) {
    connectMeasurements();
    connectTimes();
}

void TimesController::connectMeasurements() {
    connect(&measurements_, &Measurements::opened, this,
            [this](const std::shared_ptr<const Measurement>& measurement, bool is_shown) {
                // Opened together with a graph that is still being read, it is of that one.
                if (document_.isOpen() && !document_.loading()) measurements_.belongTo(document_.loaded().path);
                tellOpened(*measurement);
                if (!is_shown) showWithoutPlan();
            });
    connect(&measurements_, &Measurements::currentChanged, this, [this] {
        in_place_of_plan_ = false;
        showWithoutPlan();
    });
    // Once nothing is being read any more.
    connect(&document_.loader(), &GraphLoader::failed, this, &TimesController::showWithoutPlan, Qt::QueuedConnection);
    connect(&document_.loader(), &GraphLoader::cancelled, this, &TimesController::showWithoutPlan,
            Qt::QueuedConnection);
    connect(&document_, &Document::graphChanged, this, [this] {
        const QString& graph = document_.loaded().path;
        measurements_.belongTo(graph);
        const int shown = measurements_.currentIndex();
        if (shown >= 0 && (in_place_of_plan_ || measurements_.graphOf(shown) != graph))
            measurements_.setCurrentIndex(-1);
    });
    connect(&measurements_, &Measurements::failed, this, [this](const QString& reason) { emit warned(reason); });
    connect(&measurements_, &Measurements::cancelled, this, [this](const QString& path) {
        emit told(tr("Reading %1 was cancelled").arg(QFileInfo(path).fileName()), path);
    });
    connect(&measurements_, &Measurements::changed, this, &TimesController::changed);
    connect(&measurements_, &Measurements::currentChanged, this, &TimesController::showMeasuredFigures);
    connect(job_, &MeasuredJob::changed, this, &TimesController::showMeasuredFigures);
    // An edited plan must be visible.
    connect(&workspace_.history(), &EditHistory::planEdited, this, [this] { measurements_.setCurrentIndex(-1); });
}

/// One of their tabs is marked, since no plan has one: it is the one that is shown.
void TimesController::showWithoutPlan() {
    if (document_.isOpen() || document_.loading() || measurements_.count() == 0 || measurements_.currentIndex() >= 0)
        return;
    measurements_.setCurrentIndex(0);
    in_place_of_plan_ = true;
}

void TimesController::connectTimes() {
    connect(&workspace_.variants(), &VariantBar::timesWanted, &times_, &TraceTimes::use);
    connect(&workspace_.compare(), &ComparePanel::timesWanted, &times_, &TraceTimes::use);
    connect(&times_, &TraceTimes::changed, this, &TimesController::changed);
    connect(&times_, &TraceTimes::told, this, [this](const QString& sentence) { emit told(sentence); });
    connect(&times_, &TraceTimes::failed, this,
            [this](const QString& reason) { emit warned(tr("%1; times stay as they were").arg(reason)); });
}

void TimesController::tellOpened(const Measurement& measurement) {
    std::uint64_t events = 0;
    for (const auto& trace : measurement.traces) events += trace->events().size();
    emit filesOpened(measurement.files);
    const QString first = QFileInfo(measurement.files.front()).fileName();
    const auto others = measurement.files.size() - 1;
    const QString read =
        others == 0
            ? first
            : tr("%1 and traces of %2").arg(first, others == 1 ? tr("1 more rank") : tr("%1 more ranks").arg(others));
    emit told(tr("Read %1: %2").arg(read, countedText(events, tr("%1 event"), tr("%1 events"))),
              measurement.files.join(u'\n'));
}

void TimesController::registerActions(Actions& actions, QWidget& window) {
    const QString plan = tr("Plan");
    QAction* of_trace = actions.add(
        "plan.traceTimes", plan, tr("Use the trace's &times"),
        tr("Figures of all plans with the times of the measurement that is shown, else of the one opened last"), {},
        [this] { times_.use(measurements_.current() ? measurements_.current() : measurements_.last()); });
    QAction* of_graph = actions.add("plan.graphTimes", plan, tr("Use the graph's t&imes"),
                                    tr("Figures of all plans with the graph's own times again"), {}, [this] {
                                        times_.useGraphs();
                                        cost_->model().use({});
                                    });
    cost_ = new CostActions(actions, document_, measurements_, times_, window);
    history_ = new TimesHistory(document_, times_, cost_->model(), this);
    workspace_.history().addShared(history_->undoStack());
    workspace_.edits().addShared(history_->undoStack());
    connect(cost_, &CostActions::told, this, [this](const QString& sentence) { emit told(sentence); });
    connect(cost_, &CostActions::failed, this,
            [this](const QString& reason) { emit warned(tr("%1; times stay as they were").arg(reason)); });
    connect(cost_, &CostActions::changed, this, [this] {
        emit costChanged();
        emit changed();
    });
    connect(workspace_.problems().problems(), &ProblemsModel::costModelWanted, cost_, &CostActions::choose);
    connect(workspace_.problems().problems(), &ProblemsModel::sharedLinksWanted, cost_,
            [this] { cost_->shareLinks(true); });
    const auto update = [this, of_trace, of_graph] {
        const auto measurement = measurements_.current() ? measurements_.current() : measurements_.last();
        const QString& another = job_->verdict().another;
        setAvailable(*of_trace, !document_.isOpen() ? noGraphOpen(document_)
                                : !measurement      ? tr("No trace is open")
                                : another.isEmpty() ? noTimesToUse(*measurement)
                                                    : another);
        const bool own = times_.files().isEmpty() && cost_->model().used().isEmpty();
        setAvailable(*of_graph, own ? tr("Figures are of the graph's own times") : QString());
    };
    connect(&cost_->model(), &GraphCostModel::changed, this, update);
    connect(&times_, &TraceTimes::changed, this, update);
    connect(&document_, &Document::graphChanged, this, update);
    whenReadingChanges(document_, this, update);
    connect(&measurements_, &Measurements::changed, this, update);
    connect(&measurements_, &Measurements::currentChanged, this, update);
    connect(job_, &MeasuredJob::changed, this, update);
    update();
}

bool TimesController::busy() const {
    return measurements_.busy() || job_->busy() || times_.busy() || cost_->busy();
}

void TimesController::showMeasuredFigures() {
    const auto measurement = measurements_.current();
    workspace_.figures().showInstead(measurement ? std::optional(figuresOf(*measurement)) : std::nullopt);
    ProblemsModel& problems = *workspace_.problems().problems();
    if (!measurement) return problems.showInstead(std::nullopt);
    std::vector<Problem> shown = measurement->problems;
    const MeasuredJob::Verdict& job = job_->verdict();
    const QString& reason = job.another.isEmpty() ? job.doubt : job.another;
    if (job.measurement == measurement && !reason.isEmpty()) {
        Problem problem;
        problem.severity = job.another.isEmpty() ? Severity::caution : Severity::error;
        problem.title = tr("Another job?").toStdString();
        problem.message = tr("Compared with %1: %2").arg(document_.current()->title(), reason).toStdString();
        shown.insert(shown.begin(), std::move(problem));
    }
    problems.showInstead(std::move(shown));
}

}  // namespace overlap::ui
