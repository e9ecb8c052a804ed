#pragma once

#include <QPainter>

#include "ui/theme/theme.h"
#include "ui/timeline/drawing/timeline_geometry.h"
#include "ui/timeline/drawing/timeline_notes.h"

namespace overlap::ui {

/// Flags on the ruler with the notes' texts, spans as bars, and ticks in the overview. A text is cut at the next
/// flag, and before a figure of the ruler where that leaves enough of it.
/// @param step the whole timeline; `range` is what the ruler shows of it.
void paintNotes(QPainter& painter, const TimelineGeometry& geometry, const std::vector<TimelineNote>& notes,
                const std::vector<PlacedNote>& places, TimeRange step, TimeRange range, const Theme& theme);

/// Index of the note whose flag is at `position`, or -1.
int noteAt(const TimelineGeometry& geometry, const std::vector<PlacedNote>& places, TimeRange range, QPointF position);

}  // namespace overlap::ui
