#pragma once

#include <QPointF>
#include <QRectF>
#include <cstdint>
#include <optional>

#include "ui/timeline/drawing/timeline_scene.h"

namespace overlap::ui {

/// What a pressed mouse button has begun in a timeline, until it is released. A state machine without a widget: the
/// view says what is pressed and where the pointer goes, and asks which times that stands for.
class PointerDrag {
  public:
    enum class Kind {
        None,
        Press,         ///< may become a click, or with a move Pan or Event
        Pan,           ///< what is visible moves with the pointer
        Marquee,       ///< marks a span to zoom into
        Band,          ///< draws a band around events that are chosen; a click where it has no size
                       ///< (begun on the memory curve it is as high as all lanes: a span of time)
        Measure,       ///< marks a span to measure
        Overview,      ///< moves the visible range in the overview
        OverviewEdge,  ///< moves one end of it
        Lane,          ///< moves a lane to another place
        Event          ///< moves an event, see EventDrag
    };

    void press(const TimelineScene& scene, QPointF position);
    /// What is visible moves with the pointer at once.
    void pressPan(const TimelineScene& scene, QPointF position);
    void pressMarquee(const TimelineScene& scene, QPointF position);
    void pressBand(const TimelineScene& scene, QPointF position);
    /// @param measured whose nearer edge is taken, with a few pixels of tolerance; the other one stays.
    /// @returns whether an edge was taken, rather than a new span begun.
    bool pressRuler(const TimelineScene& scene, std::optional<TimeRange> measured, QPointF position);
    void pressOverview(const TimelineScene& scene, QPointF position);
    void pressLane(const TimelineScene& scene, std::uint32_t lane, QPointF position);
    /// What a press turned out to be.
    void become(Kind kind) { kind_ = kind; }
    void move(QPointF position) { position_ = position; }
    /// Released or cancelled.
    void end() { kind_ = Kind::None; }

    Kind kind() const { return kind_; }
    bool active() const { return kind_ != Kind::None; }
    /// Whether the drag moves what is visible, or may come to, so that cancelling it shows rangeBefore() again.
    bool movesView() const;
    QPointF start() const { return start_; }
    QPointF position() const { return position_; }
    /// Whether the pointer is so far from where it was pressed that no click is meant.
    bool isFar() const;
    /// Pixels from where it was pressed, along the axis of time.
    double width_px() const;
    /// The lane that is moved. Only for Kind::Lane.
    std::uint32_t lane() const { return lane_; }

    /// What was visible when the drag began.
    TimeRange rangeBefore() const { return rangeBefore_; }
    /// What should be visible. Only for Kind::Pan, Kind::Overview and Kind::OverviewEdge.
    TimeRange range(const TimelineScene& scene) const;
    /// The span that is marked. Only for Kind::Marquee and Kind::Measure.
    TimeRange span(const TimelineScene& scene) const;
    /// From where it was pressed to where the pointer is; of all lanes where it was begun on the memory curve. Only for
    /// Kind::Band.
    QRectF band() const;
    /// Kind::Band: it began on the memory curve, and is of a time and all lanes.
    bool isOfTime() const { return of_time_; }

  private:
    void begin(Kind kind, const TimelineScene& scene, QPointF position);

    Kind kind_ = Kind::None;
    QPointF start_, position_;
    TimeRange rangeBefore_;
    std::int64_t anchor_ns_ = 0;  ///< the end that stays, of a span or of the visible range
    std::uint32_t lane_ = 0;
    bool of_time_ = false;
    QRectF lanes_;  ///< that a band from the memory curve is of; else empty
};

/// The end of the visible range whose mark in the overview is at `position`, to be dragged there.
enum class OverviewEdge { None, Begin, End };
OverviewEdge overviewEdgeAt(const TimelineScene& scene, QPointF position);

/// The pointer's shape at `position` while `kind` is dragged.
Qt::CursorShape cursorAt(const TimelineScene& scene, PointerDrag::Kind kind, QPointF position);

/// Where a lane that is dragged to `position` would land.
struct LaneDropPlace {
    std::optional<std::uint32_t> before;  ///< the lane below it; none at the end
    int line_y = -1;                      ///< where a line shows that; -1 without lanes
};
LaneDropPlace laneDropPlaceAt(const TimelineScene& scene, QPointF position);

}  // namespace overlap::ui
