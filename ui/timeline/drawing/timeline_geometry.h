#pragma once

#include <QRect>
#include <QSize>

#include "core/timeline/lane_stack.h"
#include "core/timeline/time_axis.h"
#include "core/timeline/timeline.h"
#include "ui/timeline/drawing/lane_arrangement.h"

namespace overlap::ui {

/// Where the parts of a timeline lie in a window of a given size. A plain value, recomputed when size, timeline or
/// scrolling change. All in logical pixels.
struct TimelineGeometry {
    QRect header;    ///< title and caption
    QRect overview;  ///< the whole range in miniature; horizontally the same as `ruler`
    QRect ruler;
    QRect lanes;           ///< time area of the lanes; the part of the stack that is visible
    QRect memory;          ///< time area of the memory curve; empty without a curve
    int headerTaken = 0;   ///< at the right of `header`, by a control
    int labelWidth = 0;    ///< the column left of the time areas
    int scroll = 0;        ///< how much of the stack is above `lanes`
    int pinnedHeight = 0;  ///< of the rows at the top that do not scroll; 0 where they would leave too little room
    LaneStack stack;       ///< heights of the rows of `rows`
    LaneRows rows;

    /// @param labelTextWidth width of the widest title.
    static TimelineGeometry of(const Timeline& timeline, LaneRows rows, QSize size, int labelTextWidth, int scroll);

    int scrollMaximum() const { return stack.total_px() - lanes.height(); }
    TimeAxis axis(TimeRange range) const { return {range, static_cast<double>(lanes.width())}; }
    /// The lane at `y`, or -1.
    int laneAt(int y) const;
    /// The bar of `lane` in the view's coordinates, as wide as the time area; may lie outside of `lanes`.
    QRect bar(std::uint32_t lane) const;
    /// The row of `lane`, label column included.
    QRect row(std::uint32_t lane) const;
    /// The part of the view that `lane` may be drawn in, label column included: scrolled rows pass below pinned ones.
    QRect clip(std::uint32_t lane) const;
    /// Where `event` is drawn; at least 2 px wide.
    QRectF eventRect(const Timeline& timeline, EventLocation location, TimeRange range) const;
};

}  // namespace overlap::ui
