#pragma once

#include <QPainter>
#include <QPointF>
#include <QRectF>
#include <optional>
#include <span>
#include <vector>

#include "core/timeline/timeline.h"
#include "ui/theme/theme.h"
#include "ui/timeline/drawing/timeline_geometry.h"

namespace overlap::ui {

/// A curve from the end of what one reference represents to the beginning of another's.
struct TimelineArrow {
    quint32 from = no_reference;
    quint32 to = no_reference;
    /// From the beginning of `from` instead, such as from a collective's start to its wait.
    bool fromBeginning = false;
};

/// Everything that is painted over the events and follows pointer and selection.
struct OverlayScene {
    const Timeline& timeline;
    const TimelineGeometry& geometry;
    const Theme& theme;
    TimeRange range;
    EventLocation selection;
    quint32 selectedReference = no_reference;
    EventLocation hovered;
    std::optional<QPointF> pointer;
    std::optional<TimeRange> measured;
    QString measurement;  ///< measurementText() of it
    std::optional<TimeRange> marquee;
    int dropLine_y = -1;  ///< where a dragged lane would land
    const std::vector<TimelineArrow>& arrows;
    const std::vector<quint32>& chosen;  ///< further events that move with the selected one
    std::optional<QRectF> band;          ///< that is drawn around events to choose them
};

/// Where times of pointer and measurement stand upon the ruler.
std::vector<QRectF> platesOnRuler(const OverlayScene& scene);
/// Cursor, hover, selection, arrows, marquee and measurement.
void paintOverlay(QPainter& painter, const OverlayScene& scene);
/// The visible range upon the overview, in the overview's place.
void paintOverviewRange(QPainter& painter, const OverlayScene& scene);
/// How many matches of a search lie at each pixel of the overview, as bars along its lower edge.
void paintDensity(QPainter& painter, const QRect& overview, const std::vector<std::uint32_t>& density,
                  const Theme& theme);
/// The visible range as a rectangle in the overview.
QRectF overviewRange(const Timeline& timeline, const TimelineGeometry& geometry, TimeRange range);
/// What changes when the pointer moves from or to `pointer`.
QRegion pointerRegion(const TimelineGeometry& geometry, std::optional<QPointF> pointer);

/// The event to show for `reference`: what it does, rather than the stall that it causes. Not valid() for none.
EventLocation anchorOf(const Timeline& timeline, quint32 reference);

}  // namespace overlap::ui
