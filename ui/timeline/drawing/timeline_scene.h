#pragma once

#include <QPointF>
#include <QRectF>
#include <memory>

#include "core/timeline/timeline.h"
#include "ui/timeline/drawing/timeline_geometry.h"

namespace overlap::ui {

/// Which part of which timeline a view shows, and where: from positions in the view to times and events, and back. A
/// plain value; all positions in logical pixels.
struct TimelineScene {
    std::shared_ptr<const Timeline> timeline;  ///< never null
    TimelineGeometry geometry;
    TimeRange range;  ///< the visible one

    /// Pixels from the left end of the lanes.
    TimeAxis axis() const { return geometry.axis(range); }
    /// The time at `x`; beside the lanes, the time at their nearer end.
    std::int64_t timeAt(double x) const;
    /// The same for the overview, which shows the whole timeline.
    std::int64_t overviewTimeAt(double x) const;
    /// Where `time_ns` is, which may be beside the lanes.
    double xOf(std::int64_t time_ns) const;
    /// The event at `position`, or one that is not valid().
    EventLocation eventAt(QPointF position) const;
    /// Where `location` is drawn; at least 2 px wide.
    QRectF eventRect(EventLocation location) const;
    /// The visible range as a rectangle in the overview.
    QRectF overviewRange() const;
};

}  // namespace overlap::ui
