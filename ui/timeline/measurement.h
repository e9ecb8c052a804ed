#pragma once

#include <QString>
#include <QStringList>

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

}  // namespace overlap::ui
