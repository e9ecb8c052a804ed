#pragma once

#include <QObject>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/files/gzip_reader.h"
#include "ui/measure/compared_steps.h"
#include "ui/measure/measurements.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

class Document;
class InspectorPanel;
class TimelineView;

/// Puts measurements and comparisons into the timeline in place of the current plan, and what is selected there into
/// the inspector. While it is active, the view's references are those of shown().
class MeasurementConnection : public QObject {
    Q_OBJECT

  public:
    MeasurementConnection(Document& document, Measurements& measurements, TimelineView& view, InspectorPanel& inspector,
                          QObject* parent = nullptr);

    /// A comparison is shown instead of whatever else is; null ends that.
    void showComparison(std::shared_ptr<const ShownTimeline> comparison);
    /// Selects a row of a comparison: in both steps while the timeline shows them, else what of it is in what is shown.
    void selectRow(const ComparedSteps& steps, const ComparisonRow& row);
    /// Null while the current plan is shown.
    const std::shared_ptr<const ShownTimeline>& shown() const { return shown_; }
    /// What was visible of the plan's timeline when something else took its place.
    std::optional<TimeRange> planRange() const { return plan_range_; }
    /// True until the arguments of the selected event have been read.
    bool busy() const { return arguments_.busy(); }
    /// True until its collectives have the colours of the plan's buckets.
    bool colouring() const { return colours_.busy(); }

  signals:
    /// The timeline no longer shows the current plan, or shows it again.
    void activeChanged(bool active);
    /// The user selected something in shown(); no_reference when the selection was cleared.
    void selected(quint32 reference);

  private:
    void update();
    void show(std::shared_ptr<const ShownTimeline> wanted);
    /// Collectives of the measurement that is shown get the colours of the plan's buckets, in the background.
    void colour();
    /// Shows the measurement, which is shown, in these colours; null: in its own. Where it has them, and while the user
    /// drags something, nothing is done: that comes when the drag ends.
    void put(const std::shared_ptr<const Measurement>& measurement,
             const std::shared_ptr<const ShownTimeline>& coloured);
    void forgetColours();
    void select(quint32 reference);
    void selectEvent(const Measurement& measurement, Measurement::Event event);
    QString toolTip(quint32 reference) const;
    std::shared_ptr<GzipCheckpoints> checkpointsOf(const std::string& file);

    Document& document_;
    Measurements& measurements_;
    TimelineView& view_;
    InspectorPanel& inspector_;
    std::shared_ptr<const ShownTimeline> comparison_, shown_;
    std::optional<TimeRange> plan_range_;
    bool opening_graph_ = false, shows_comparison_ = false;
    /// Of files whose events were read again; used on the thread of `arguments_`, one task at a time.
    std::map<std::string, std::shared_ptr<GzipCheckpoints>> checkpoints_;
    LatestTask arguments_;
    /// What was coloured last, so that a tab that is shown again has its colours at once; by which plan.
    std::shared_ptr<const Measurement> coloured_measurement_;
    std::weak_ptr<const Evaluation> coloured_by_;
    std::shared_ptr<const ShownTimeline> coloured_;  ///< null: it has no colours by this plan
    bool colours_wait_ = false;                      ///< for the drag to end
    LatestTask colours_;
};

}  // namespace overlap::ui
