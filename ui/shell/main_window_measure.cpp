// Measurements beside the plans.

#include <QFileInfo>
#include <QStatusBar>

#include "ui/frame/figures_bar.h"
#include "ui/frame/load_progress.h"
#include "ui/frame/notice_bar.h"
#include "ui/frame/variant_bar.h"
#include "ui/measure/compare_panel.h"
#include "ui/measure/measurement_connection.h"
#include "ui/measure/measurements.h"
#include "ui/measure/statistics_panel.h"
#include "ui/measure/trace_times.h"
#include "ui/panels/problems_model.h"
#include "ui/panels/problems_panel.h"
#include "ui/shell/cost_actions.h"
#include "ui/shell/edit_history.h"
#include "ui/shell/main_window.h"
#include "ui/shell/timeline_connection.h"
#include "ui/theme/numbers.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {
namespace {

std::vector<Figure> figuresOf(const Measurement& measurement) {
    const MeasuredFigures measured = measuredFigures(measurement);
    if (!measured.has_gpu)
        return {{MainWindow::tr("measured"), MainWindow::tr("no GPU events"), {}, 0, measurement.files.front()}};
    const QString of =
        measured.steps == 1 ? MainWindow::tr("one step") : MainWindow::tr("mean of %1 steps").arg(measured.steps);
    const QString whose = measurement.traces.size() > 1 ? measurement.rankName(0) : MainWindow::tr("first GPU");
    const auto figure = [&](const QString& label, const QString& value, const QString& help) {
        return Figure{label, value, {}, 0, MainWindow::tr("%1 (%2, %3)").arg(help, of, whose)};
    };
    QString step = measured.steps == 1 ? MainWindow::tr("measured step") : of;
    if (measurement.traces.size() > 1) step += QStringLiteral(" · ") + whose;
    return {figure(step, formatTime(measured.step_ms),
                   MainWindow::tr("From the first event on the GPU to the end of the last")),
            figure(MainWindow::tr("exposed"), formatTime(measured.exposed_ms),
                   MainWindow::tr("Communication while no compute ran")),
            figure(MainWindow::tr("communication"), formatTime(measured.communication_ms),
                   MainWindow::tr("Time for which anything communicated"))};
}

}  // namespace

void MainWindow::connectMeasurements() {
    measurement_connection_ = new MeasurementConnection(document_, *measurements_, *timeline_, *inspector_, this);
    connect(measurement_connection_, &MeasurementConnection::activeChanged, this, [this](bool active) {
        const auto plan_range = measurement_connection_->planRange();
        timeline_connection_->setActive(!active);
        if (active || !plan_range) return;
        // What was visible of the plan comes back with it.
        connect(
            timeline_connection_, &TimelineConnection::shown, this,
            [this, range = *plan_range] { timeline_->setVisibleRange(range); }, Qt::SingleShotConnection);
    });
    connect(compare_, &ComparePanel::shownChanged, measurement_connection_, &MeasurementConnection::showComparison);
    connect(compare_, &ComparePanel::rowChosen, this,
            [this](const std::shared_ptr<const ComparedSteps>& steps, int row) {
                measurement_connection_->selectRow(*steps, steps->comparison.rows[static_cast<std::size_t>(row)]);
            });
    connect(measurements_, &Measurements::opened, this, [this](const std::shared_ptr<const Measurement>& measurement) {
        std::uint64_t events = 0;
        for (const auto& trace : measurement->traces) events += trace->events().size();
        for (const QString& file : measurement->files) state_.putRecent(file);
        fillRecentMenu();
        tell(tr("Read %1: %2 events")
                 .arg(QFileInfo(measurement->files.front()).fileName(), formatCount(static_cast<std::int64_t>(events))),
             measurement->files.join(u'\n'));
    });
    connect(statistics_, &StatisticsPanel::rangeWanted, timeline_, [this](qint64 begin_ns, qint64 end_ns) {
        timeline_->setVisibleRange({begin_ns, end_ns});
    });
    connect(measurements_, &Measurements::failed, this, [this](const QString& reason) { warn(reason); });
    connect(measurements_, &Measurements::cancelled, this, [this](const QString& path) {
        tell(tr("Reading %1 was cancelled").arg(QFileInfo(path).fileName()), path);
    });
    connect(measurements_, &Measurements::changed, this, [this] { scheduleSession(); });
    connect(measurements_, &Measurements::currentChanged, this, &MainWindow::showMeasuredFigures);
    connect(measurements_, &Measurements::currentChanged, this, &MainWindow::updateTitle);
    // Nobody edits what is not shown.
    connect(history_, &EditHistory::planEdited, measurements_, [this] { measurements_->setCurrentIndex(-1); });
    connect(variant_bar_, &VariantBar::closeMeasurementWanted, measurements_, &Measurements::close);
    connect(variant_bar_, &VariantBar::timesWanted, trace_times_, &TraceTimes::use);
    connect(compare_, &ComparePanel::timesWanted, trace_times_, &TraceTimes::use);
    connect(trace_times_, &TraceTimes::changed, this, [this] { scheduleSession(); });
    connect(trace_times_, &TraceTimes::told, this, [this](const QString& sentence) { tell(sentence); });
    connect(trace_times_, &TraceTimes::failed, this,
            [this](const QString& reason) { warn(tr("%1; times stay as they were").arg(reason)); });
}

void MainWindow::addReadingProgress() {
    auto* graph = new LoadProgress;
    GraphLoader& loader = document_.loader();
    connect(&loader, &GraphLoader::started, graph, &LoadProgress::start);
    connect(&loader, &GraphLoader::progressed, graph, &LoadProgress::setShare);
    connect(&loader, &GraphLoader::failed, graph, &LoadProgress::finish);
    connect(&loader, &GraphLoader::loaded, graph, &LoadProgress::finish);
    connect(&loader, &GraphLoader::listed, graph, &LoadProgress::finish);
    connect(&loader, &GraphLoader::cancelled, graph, &LoadProgress::finish);
    connect(graph, &LoadProgress::cancelWanted, &loader, &GraphLoader::cancel);
    auto* traces = new LoadProgress;
    connect(measurements_, &Measurements::started, traces, &LoadProgress::start);
    connect(measurements_, &Measurements::progressed, traces, &LoadProgress::setShare);
    connect(measurements_, &Measurements::finished, traces, &LoadProgress::finish);
    connect(traces, &LoadProgress::cancelWanted, measurements_, &Measurements::cancel);
    statusBar()->addPermanentWidget(graph);
    statusBar()->addPermanentWidget(traces);
}

void MainWindow::registerTimesActions() {
    const QString plan = tr("Plan");
    QAction* of_trace = actions_->add(
        "plan.traceTimes", plan, tr("Use the trace's &times"),
        tr("Figures of all plans with the times of the measurement that is shown, else of the one opened last"), {},
        [this] { trace_times_->use(measurements_->current() ? measurements_->current() : measurements_->last()); });
    QAction* of_graph = actions_->add("plan.graphTimes", plan, tr("Use the graph's t&imes"),
                                      tr("Figures of all plans with the graph's own times again"), {},
                                      [this] { trace_times_->useGraphs(); });
    cost_ = new CostActions(*actions_, document_, *measurements_, *trace_times_, *this);
    connect(cost_, &CostActions::told, this, [this](const QString& sentence) { tell(sentence); });
    connect(cost_, &CostActions::failed, this,
            [this](const QString& reason) { warn(tr("%1; times stay as they were").arg(reason)); });
    connect(cost_, &CostActions::changed, this, [this] {
        updateStatus();
        scheduleSession();
    });
    connect(problems_->problems(), &ProblemsModel::costModelWanted, cost_, &CostActions::choose);
    const auto update = [this, of_trace, of_graph] {
        of_trace->setEnabled(document_.isOpen() && measurements_->count() > 0);
        of_graph->setEnabled(!trace_times_->files().isEmpty());
    };
    connect(trace_times_, &TraceTimes::changed, this, update);
    connect(&document_, &Document::graphChanged, this, update);
    connect(measurements_, &Measurements::changed, this, update);
    update();
}

void MainWindow::showMeasuredFigures() {
    const auto measurement = measurements_->current();
    figures_->showInstead(measurement ? std::optional(figuresOf(*measurement)) : std::nullopt);
    problems_->problems()->showInstead(measurement ? std::optional(measurement->problems) : std::nullopt);
}

void MainWindow::stepVariant(int step) {
    const int variants = document_.variantCount();
    const int measured = measurements_->currentIndex();
    const int wanted = (measured < 0 ? document_.currentIndex() : variants + measured) + step;
    if (wanted >= variants) return measurements_->setCurrentIndex(wanted - variants);
    if (wanted < 0) return;
    measurements_->setCurrentIndex(-1);
    document_.setCurrentIndex(wanted);
}

void MainWindow::closeCurrent() {
    if (const int measured = measurements_->currentIndex(); measured >= 0) return measurements_->close(measured);
    closePlan(document_.currentIndex());
}

}  // namespace overlap::ui
