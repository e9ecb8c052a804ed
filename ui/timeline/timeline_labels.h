#pragma once

#include <QPainter>
#include <QStringList>

#include "core/trace/timeline.h"
#include "ui/theme/theme.h"
#include "ui/timeline/timeline_geometry.h"

namespace overlap::ui {

/// Width of the widest title or subtitle of a lane, or of the memory area's notes.
int labelTextWidth(const Timeline& timeline, const QStringList& memoryNotes);
/// Title, caption, and the keys at the right where there is room; a line below it that tells keyboard focus.
void paintHeader(QPainter& painter, const TimelineGeometry& geometry, const QString& title, const QString& caption,
                 const Theme& theme, bool focused);
/// The column left of the lanes: colour bar, title, subtitle.
void paintLaneLabels(QPainter& painter, const TimelineGeometry& geometry, const Timeline& timeline, const Theme& theme,
                     EventLocation selection);
/// Title of the memory area, its peak, notes on it and the limit.
void paintMemoryMarks(QPainter& painter, const TimelineGeometry& geometry, const Timeline& timeline, TimeRange range,
                      std::int64_t limit_bytes, const QStringList& notes, const Theme& theme);

}  // namespace overlap::ui
