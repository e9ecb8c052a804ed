#include "ui/measure/measurement_connection.h"

#include <QFile>
#include <QScrollBar>
#include <algorithm>
#include <utility>

#include "core/io/trace_file.h"
#include "ui/document/document.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/measure/measured_colours.h"
#include "ui/measure/measured_event.h"
#include "ui/tasks/task_failure.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

namespace {

QString captionOf(const Measurement& measurement) {
    QStringList parts{measurement.isSimulated() ? MeasurementConnection::tr("simulated, written as a trace")
                                                : MeasurementConnection::tr("measured")};
    if (measurement.traces.size() > 1)
        parts.append(MeasurementConnection::tr("%1 ranks").arg(measurement.traces.size()));
    if (const auto& devices = measurement.traces.front()->header().devices; !devices.empty())
        parts.append(QString::fromStdString(devices.front()));
    for (const RankAlignment& rank : measurement.aligned.ranks) {
        if (rank.is_aligned || measurement.traces.size() == 1) continue;
        parts.append(MeasurementConnection::tr("clocks not aligned"));
        break;
    }
    return parts.join(QStringLiteral(" · "));
}

/// Whose notes are shown: those of the measurement, and otherwise of the plans.
QString stepOf(const ShownTimeline* shown) {
    const bool is_measurement = shown && shown->parts.size() == 1 && shown->parts.front().measurement;
    return is_measurement ? shown->parts.front().measurement->files.join(u'\n') : QString();
}

/// @returns whether two timelines of a measurement have the same colours.
bool looksLike(const Timeline& one, const Timeline& other) {
    return std::ranges::equal(one.lanes(), other.lanes(), {}, &Lane::role, &Lane::role);
}

/// @param coloured its timeline in the colours of a plan; null: as it was read.
std::shared_ptr<const ShownTimeline> timelineOf(const std::shared_ptr<const Measurement>& measurement,
                                                std::shared_ptr<const Timeline> coloured = nullptr) {
    auto shown = std::make_shared<ShownTimeline>();
    shown->timeline = coloured ? std::move(coloured) : measurement->timeline;
    shown->caption = captionOf(*measurement);
    shown->parts.push_back({0, nullptr, measurement});
    return shown;
}

}  // namespace

MeasurementConnection::MeasurementConnection(Document& document, Measurements& measurements, TimelineView& view,
                                             InspectorPanel& inspector, QObject* parent)
    : QObject(parent), document_(document), measurements_(measurements), view_(view), inspector_(inspector) {
    connect(&measurements, &Measurements::currentChanged, this, &MeasurementConnection::update);
    // What is kept takes memory. Not of a measurement that was closed, nor by a plan of another graph.
    connect(&measurements, &Measurements::changed, this, [this] {
        for (int index = 0; index < measurements_.count(); ++index)
            if (measurements_.at(index) == coloured_measurement_) return;
        forgetColours();
    });
    connect(&document, &Document::graphAboutToChange, this, [this] {
        colours_.cancel();
        forgetColours();
        if (!comparison_ && shown_ && measurements_.current()) put(measurements_.current(), nullptr);
    });
    // Whoever turns to another plan wants to see it; a graph that has been read comes up behind what is shown.
    connect(&document, &Document::graphChanged, this, [this] { opening_graph_ = true; });
    connect(&document, &Document::currentChanged, this, [this] {
        if (!std::exchange(opening_graph_, false)) measurements_.setCurrentIndex(-1);
    });
    connect(&document, &Document::evaluationChanged, this, &MeasurementConnection::colour);
    connect(&view, &TimelineView::dragEnded, this, [this] {
        if (colours_wait_) colour();
    });
    connect(&view, &TimelineView::eventSelected, this, [this](quint32 reference, int) {
        if (!shown_) return;
        // What a row of a comparison had.
        view_.setArrows({});
        view_.highlightReferences({});
        select(reference);
        emit selected(reference);
    });
}

void MeasurementConnection::showComparison(std::shared_ptr<const ShownTimeline> comparison) {
    comparison_ = std::move(comparison);
    update();
}

void MeasurementConnection::update() {
    const auto measurement = measurements_.current();
    show(comparison_ ? comparison_ : measurement ? timelineOf(measurement) : nullptr);
    colour();
}

void MeasurementConnection::colour() {
    colours_.cancel();
    colours_wait_ = false;
    const auto measurement = comparison_ || !shown_ ? nullptr : measurements_.current();
    if (!measurement) return;
    const auto evaluation = document_.isOpen() ? document_.evaluation() : nullptr;
    // The buckets of a plan before it are no longer there.
    if (!evaluation || evaluation->refused) return put(measurement, nullptr);
    const bool is_known = coloured_measurement_ == measurement;
    if (is_known && coloured_by_.lock() == evaluation) return put(measurement, coloured_);
    colours_.start([this, measurement, evaluation,
                    earlier = is_known ? coloured_ : nullptr](const std::stop_token& stop) -> LatestTask::Delivery {
        const auto timeline = colouredTimeline(*measurement, evaluation, stop);
        if (stop.stop_requested()) return {};
        const bool same = timeline && earlier && looksLike(*timeline, *earlier->timeline);
        auto coloured = same ? earlier : timeline ? timelineOf(measurement, timeline) : nullptr;
        return [this, measurement, evaluation, coloured = std::move(coloured)] {
            coloured_measurement_ = measurement;
            coloured_by_ = evaluation;
            coloured_ = coloured;
            put(measurement, coloured_);
        };
    });
}

void MeasurementConnection::put(const std::shared_ptr<const Measurement>& measurement,
                                const std::shared_ptr<const ShownTimeline>& coloured) {
    // Another timeline ends what the user does with this one.
    if (shown_->timeline == (coloured ? coloured->timeline : measurement->timeline)) return;
    if (view_.dragging()) {
        colours_wait_ = true;
        return;
    }
    shown_ = coloured ? coloured : timelineOf(measurement);
    view_.setTimeline(shown_->timeline, shown_->caption);
}

void MeasurementConnection::forgetColours() {
    coloured_measurement_.reset();
    coloured_by_.reset();
    coloured_.reset();
}

void MeasurementConnection::show(std::shared_ptr<const ShownTimeline> wanted) {
    if (!wanted && !shown_) return;
    arguments_.cancel();
    inspector_.showInstead({});
    const bool was_comparison = std::exchange(shows_comparison_, wanted && wanted == comparison_);
    const bool was_active = std::exchange(shown_, std::move(wanted)) != nullptr;
    const bool active = shown_ != nullptr;
    if (active && !was_active) {
        // A trace that comes before any graph takes the place of no plan.
        if (view_.timeline()->event_count() > 0) plan_range_ = view_.visibleRange();
        emit activeChanged(true);
    }
    view_.setArrows({});
    view_.highlightReferences({});
    view_.selectReference(no_reference);
    view_.edits().setStep(stepOf(shown_.get()));
    if (!active) {
        emit activeChanged(false);
        plan_range_.reset();
        return;
    }
    view_.setToolTipProvider([this](quint32 reference) { return toolTip(reference); });
    view_.setSearchTextProvider({});
    view_.setAliveProvider({});
    view_.setMemoryNotes(shown_->memory_of.isEmpty() ? QStringList() : QStringList(shown_->memory_of), {});
    view_.setTimeline(shown_->timeline, shown_->caption);
    if (was_comparison && shows_comparison_) return;
    view_.fitAll();
    view_.verticalScrollBar()->setValue(0);
}

void MeasurementConnection::select(quint32 reference) {
    arguments_.cancel();
    if (reference == no_reference) {
        document_.selection().clear();
        return inspector_.showInstead({});
    }
    const ShownPart& part = shown_->partOf(reference);
    const quint32 own = reference - part.first_reference;
    if (part.measurement) return selectEvent(*part.measurement, part.measurement->eventOf(own));
    const std::string_view name = part.evaluation->graph->name(own);
    document_.selection().selectNode(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
}

void MeasurementConnection::selectRow(const ComparedSteps& steps, const ComparisonRow& row) {
    const quint32 before = steps.referenceBefore(row), after = steps.referenceAfter(row);
    if (shown_ && shown_ == steps.shown) {
        const quint32 selected = after != no_reference ? after : before;
        view_.selectReference(selected);
        view_.highlightReferences({before, after});
        view_.setArrows(row.before && row.after ? std::vector<TimelineArrow>{{before, after, false}}
                                                : std::vector<TimelineArrow>());
        return select(selected);
    }
    // The trace alone, which has the second side: its event is what the row is there.
    if (const quint32 event = shown_ ? steps.referenceIn(*shown_, row) : no_reference; event != no_reference) {
        view_.selectReference(event);
        return select(event);
    }
    if (shown_) view_.selectReference(no_reference);
    if (row.before) return document_.selection().selectNode(QString::fromStdString(row.before->name));
    const ShownPart& part = steps.shown->parts.back();
    if (part.evaluation) return document_.selection().selectNode(QString::fromStdString(row.after->name));
    selectEvent(*part.measurement, part.measurement->eventOf(after - part.first_reference));
}

void MeasurementConnection::selectEvent(const Measurement& measurement, Measurement::Event event) {
    document_.selection().clear();
    const InspectorContent known = describeEvent(measurement, event);
    inspector_.showInstead(known);
    const std::string file = QFile::encodeName(measurement.files[static_cast<qsizetype>(event.rank)]).toStdString();
    arguments_.start([this, known, file, trace = measurement.traces[event.rank], event,
                      checkpoints = checkpointsOf(file)](std::stop_token) -> LatestTask::Delivery {
        InspectorContent content = known;
        try {
            addArguments(content, read_trace_event(file, *trace, event.event, *checkpoints));
        } catch (const std::exception& error) {
            content.rows.push_back({{}, {{reasonOf(error), {}, Tone::caution}}, true});
        }
        return [this, content] { inspector_.showInstead(content); };
    });
}

std::shared_ptr<GzipCheckpoints> MeasurementConnection::checkpointsOf(const std::string& file) {
    auto& checkpoints = checkpoints_[file];
    if (!checkpoints) checkpoints = std::make_shared<GzipCheckpoints>();
    return checkpoints;
}

QString MeasurementConnection::toolTip(quint32 reference) const {
    if (!shown_ || reference == no_reference) return {};
    const ShownPart& part = shown_->partOf(reference);
    const quint32 own = reference - part.first_reference;
    if (part.measurement) return eventToolTip(*part.measurement, part.measurement->eventOf(own));
    const Graph& graph = *part.evaluation->graph;
    if (own >= graph.node_count()) return {};
    const std::string_view target = graph.target(own);
    return shownName(QString::fromUtf8(target.data(), static_cast<qsizetype>(target.size()))).toHtmlEscaped();
}

}  // namespace overlap::ui
