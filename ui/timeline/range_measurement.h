#pragma once

#include <QString>
#include <QStringList>
#include <memory>
#include <optional>

#include "core/timeline/range_statistics.h"

namespace overlap::ui {

/// "Δ 21.9 ms · 12 events · compute 84 % · exposed 9.1 % · overlapped 71 %": the text on the ruler.
QString measurementText(const RangeStatistics& sums, TimeRange range);

/// For each lane what it does in `range`, as shown below its title: "12.4 ms · 84 %", and for a process group how much
/// of it compute hides.
QStringList laneFigures(const Timeline& timeline, const RangeStatistics& sums, TimeRange range);

/// The sums by lane as lines of fields between tabs, with a heading and a line for the whole; times in ms.
QString measurementTable(const Timeline& timeline, const RangeStatistics& sums, TimeRange range);

/// One event as such a table.
QString eventTable(const Timeline& timeline, EventLocation location);

/// The span of a timeline that is measured, with its sums in words. The timeline's RangeSums are made when the first
/// span is measured and kept for the next ones.
class RangeMeasurement {
  public:
    /// Nothing of it is measured yet.
    void setTimeline(std::shared_ptr<const Timeline> timeline);
    /// Measures `range` of the timeline, or nothing. Only after setTimeline().
    void measure(std::optional<TimeRange> range);

    std::optional<TimeRange> range() const { return range_; }
    /// measurementText() of the range; empty while nothing is measured.
    const QString& text() const { return text_; }
    /// laneFigures() of the range; empty while nothing is measured.
    const QStringList& figures() const { return figures_; }
    /// measurementTable() of the range; empty while nothing is measured.
    QString table() const;

  private:
    std::shared_ptr<const Timeline> timeline_;
    std::optional<RangeSums> sums_;
    std::optional<TimeRange> range_;
    RangeStatistics measured_;
    QString text_;
    QStringList figures_;
};

}  // namespace overlap::ui
