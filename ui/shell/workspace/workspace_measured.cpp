// How traces and comparisons go with the other views. A part of Workspace.
#include <utility>

#include "ui/actions/timeline_connection.h"
#include "ui/advice/advice_panel.h"
#include "ui/collectives/collectives_panel.h"
#include "ui/document/document.h"
#include "ui/frame/centre_tabs.h"
#include "ui/frame/docks/dock_layout.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/measure/compare_panel.h"
#include "ui/measure/compared_sides.h"
#include "ui/measure/measurement_connection.h"
#include "ui/measure/measurements.h"
#include "ui/measure/statistics_panel.h"
#include "ui/panels/problems_model.h"
#include "ui/panels/problems_panel.h"
#include "ui/plans/plans_panel.h"
#include "ui/search/search_panel.h"
#include "ui/shell/workspace/whose_figures.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

void Workspace::connectMeasurements(Measurements& measurements) {
    new WhoseFigures(document_, measurements, *inspector_, *docks_, this);
    measurement_connection_ = new MeasurementConnection(document_, measurements, *timeline_, *inspector_, this);
    connect(measurement_connection_, &MeasurementConnection::activeChanged, this, [this](bool active) {
        const auto plan_range = measurement_connection_->planRange();
        timeline_connection_->setActive(!active);
        if (active || !plan_range) return;
        // The visible part of the plan's timeline is restored with it.
        connect(
            timeline_connection_, &TimelineConnection::shown, this,
            [this, range = *plan_range] { timeline_->setVisibleRange(range); }, Qt::SingleShotConnection);
    });
    connect(compare_, &ComparePanel::shownChanged, measurement_connection_, &MeasurementConnection::showComparison);
    connect(compare_, &ComparePanel::rowChosen, this,
            [this](const std::shared_ptr<const ComparedSteps>& steps, int row) {
                measurement_connection_->selectRow(*steps, steps->comparison.rows[static_cast<std::size_t>(row)]);
            });
    connect(measurement_connection_, &MeasurementConnection::selected, this,
            [this](quint32 reference) { compare_->markReference(*measurement_connection_->shown(), reference); });
    connect(plans_, &PlansPanel::showWanted, this, [this, &measurements](int variant) {
        measurements.setCurrentIndex(-1);
        document_.setCurrentIndex(variant);
    });
    connect(&compare_->sides(), &ComparedSides::choiceChanged, this, &Workspace::changed);
    const auto compare = [this](int before, int after) {
        compare_->sides().choosePlans(before, after);
        raise(QStringLiteral("compare"));
    };
    connect(plans_, &PlansPanel::compareWanted, this, compare);
    connect(search_, &SearchPanel::compareWanted, this, compare);
    connect(search_, &SearchPanel::keptChanged, this, &Workspace::changed);
    // It says what Enter does. Not before it is in front.
    connect(
        docks_, &DockLayout::tabClicked, search_,
        [this](QDockWidget* dock) {
            if (dock == docks_->find(QStringLiteral("search"))) search_->setFocus();
        },
        Qt::QueuedConnection);
    const auto advise = [this] {
        raise(QStringLiteral("advice"));
        advice_->adviseSelected();
    };
    connect(inspector_, &InspectorPanel::adviceWanted, this, advise);
    connect(problems_->problems(), &ProblemsModel::adviceWanted, this, advise);
    connect(problems_->problems(), &ProblemsModel::exposedWanted, this, [this] {
        raise(QStringLiteral("collectives"));
        collectives_->listExposed();
    });
    connect(collectives_, &CollectivesPanel::timelineWanted, this, [this, &measurements] {
        measurements.setCurrentIndex(-1);
        centre_->uncoverBelow();
        timeline_->focusSelection();
    });
    connect(statistics_, &StatisticsPanel::rangeWanted, this, [this](qint64 begin_ns, qint64 end_ns) {
        centre_->uncoverBelow();
        // A row of another plan shows that plan first, whose timeline is made in the background.
        if (timeline_connection_->busy())
            range_when_shown_ = TimeRange{begin_ns, end_ns};
        else
            timeline_->setVisibleRange({begin_ns, end_ns});
    });
    connect(timeline_connection_, &TimelineConnection::shown, timeline_, [this] {
        if (const auto range = std::exchange(range_when_shown_, std::nullopt)) timeline_->setVisibleRange(*range);
    });
}

}  // namespace overlap::ui
