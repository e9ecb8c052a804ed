#pragma once

#include <QPainter>
#include <QStringList>
#include <optional>

#include "core/timeline/timeline.h"
#include "ui/theme/theme.h"
#include "ui/timeline/drawing/timeline_geometry.h"

namespace overlap::ui {

/// Width of the widest title or subtitle of a lane, or of the memory area's notes: for pictures, in which all of them
/// are whole.
int labelTextWidth(const Timeline& timeline, const QStringList& memoryNotes);
/// Width for titles in a view, which has the same for all timelines: times stay in their places while plans bring and
/// take lanes. Longer titles are elided, and whole in the tool tip.
int usualLabelTextWidth();
/// Title, caption, what tones of halves mean, and with `keys` the keys at the right where there is room; a line below
/// it that shows keyboard focus.
void paintHeader(QPainter& painter, const TimelineGeometry& geometry, const Timeline& timeline, const QString& title,
                 const QString& caption, const Theme& theme, bool focused, bool keys = true);

/// What the column left of the lanes shows beside titles.
struct LaneLabels {
    EventLocation selection;
    QStringList figures;  ///< by lane, in place of subtitles; may be empty
    int hovered = -1;     ///< lane whose buttons show
};
/// Whether a row has its lane's title: the lane's first row, or, once that has been scrolled out of view, the first of
/// its further rows that is in view, so that a deep lane keeps its name.
bool carriesTitle(const TimelineGeometry& geometry, const Timeline& timeline, std::uint32_t lane);
/// Figures of a lane below its title, in one line, or where that is too long in a line for each; those at the end for
/// which a row has no line are left out whole.
QStringList laneFigureLines(const QString& figures, int width, int rowHeight);
/// The column left of the lanes: colour bar, title, subtitle; a pin on lanes that are pinned.
void paintLaneLabels(QPainter& painter, const TimelineGeometry& geometry, const Timeline& timeline, const Theme& theme,
                     const LaneLabels& labels);

/// The buttons in the title cell of a lane, which show under the pointer.
enum class LaneButton { None, Pin, Collapse };
QRect laneButton(const TimelineGeometry& geometry, std::uint32_t lane, LaneButton button);
LaneButton laneButtonAt(const TimelineGeometry& geometry, std::uint32_t lane, QPointF position);

/// Where the dot of the memory curve's peak is drawn; nothing where the peak is not in view, or there is no curve.
std::optional<QPointF> memoryPeakPlace(const TimelineGeometry& geometry, const Timeline& timeline, TimeRange range,
                                       std::int64_t limit_bytes);
/// Where the limit is written; nothing where it is not in view.
std::optional<QRectF> memoryLimitPlate(const TimelineGeometry& geometry, const Timeline& timeline,
                                       std::int64_t limit_bytes);
/// Title of the memory area, its peak, notes on it and the limit.
void paintMemoryMarks(QPainter& painter, const TimelineGeometry& geometry, const Timeline& timeline, TimeRange range,
                      std::int64_t limit_bytes, const QStringList& notes, const Theme& theme);

}  // namespace overlap::ui
