#include "ui/timeline/pointer_drag.h"

#include <QApplication>
#include <algorithm>
#include <cmath>

namespace overlap::ui {
namespace {

constexpr double grip_px = 5;             ///< around an edge that can be dragged
constexpr double narrowestEdges_px = 16;  ///< of a visible range in the overview that has edges to drag

bool isNear(double x, double edge) {
    return std::abs(x - edge) < grip_px;
}

TimeRange between(std::int64_t one_ns, std::int64_t other_ns) {
    return {std::min(one_ns, other_ns), std::max(one_ns, other_ns)};
}

/// The other end of `measured` where `position` is at one of its ends.
std::optional<std::int64_t> oppositeEnd(const TimelineScene& scene, const std::optional<TimeRange>& measured,
                                        QPointF position) {
    if (!measured) return std::nullopt;
    if (isNear(position.x(), scene.xOf(measured->begin_ns))) return measured->end_ns;
    if (isNear(position.x(), scene.xOf(measured->end_ns))) return measured->begin_ns;
    return std::nullopt;
}

}  // namespace

void PointerDrag::begin(Kind kind, const TimelineScene& scene, QPointF position) {
    kind_ = kind;
    start_ = position_ = position;
    rangeBefore_ = scene.range;
}

void PointerDrag::press(const TimelineScene& scene, QPointF position) {
    begin(Kind::Press, scene, position);
}

void PointerDrag::pressPan(const TimelineScene& scene, QPointF position) {
    begin(Kind::Pan, scene, position);
}

void PointerDrag::pressMarquee(const TimelineScene& scene, QPointF position) {
    begin(Kind::Marquee, scene, position);
    anchor_ns_ = scene.timeAt(position.x());
}

void PointerDrag::pressBand(const TimelineScene& scene, QPointF position) {
    begin(Kind::Band, scene, position);
    of_time_ = scene.geometry.memory.contains(position.toPoint());
    lanes_ = of_time_ ? QRectF(scene.geometry.lanes) : QRectF();
}

QRectF PointerDrag::band() const {
    const QRectF drawn = QRectF(start_, position_).normalized();
    if (!of_time_) return drawn;
    return QRectF(QPointF(drawn.left(), lanes_.top()), QPointF(drawn.right(), std::max(lanes_.bottom(), start_.y())));
}

bool PointerDrag::pressRuler(const TimelineScene& scene, std::optional<TimeRange> measured, QPointF position) {
    begin(Kind::Measure, scene, position);
    const std::optional<std::int64_t> kept = oppositeEnd(scene, measured, position);
    anchor_ns_ = kept.value_or(scene.timeAt(position.x()));
    return kept.has_value();
}

void PointerDrag::pressOverview(const TimelineScene& scene, QPointF position) {
    const OverviewEdge edge = overviewEdgeAt(scene, position);
    begin(edge == OverviewEdge::None ? Kind::Overview : Kind::OverviewEdge, scene, position);
    anchor_ns_ = edge == OverviewEdge::Begin ? scene.range.end_ns : scene.range.begin_ns;
}

void PointerDrag::pressLane(const TimelineScene& scene, std::uint32_t lane, QPointF position) {
    begin(Kind::Lane, scene, position);
    lane_ = lane;
}

bool PointerDrag::movesView() const {
    return kind_ == Kind::Press || kind_ == Kind::Pan || kind_ == Kind::Overview || kind_ == Kind::OverviewEdge;
}

bool PointerDrag::isFar() const {
    return (position_ - start_).manhattanLength() >= QApplication::startDragDistance();
}

double PointerDrag::width_px() const {
    return std::abs(position_.x() - start_.x());
}

TimeRange PointerDrag::range(const TimelineScene& scene) const {
    const TimeRange whole = scene.timeline->range();
    if (kind_ == Kind::Pan)
        return panned(rangeBefore_, (start_.x() - position_.x()) / std::max(1, scene.geometry.lanes.width()), whole);
    const std::int64_t now = scene.overviewTimeAt(position_.x());
    if (kind_ == Kind::OverviewEdge) return clamped(between(anchor_ns_, now), whole);
    const std::int64_t moved = now - scene.overviewTimeAt(start_.x());
    const TimeRange from = clamped(rangeBefore_, whole);
    return clamped({from.begin_ns + moved, from.end_ns + moved}, whole);
}

TimeRange PointerDrag::span(const TimelineScene& scene) const {
    return between(anchor_ns_, scene.timeAt(position_.x()));
}

OverviewEdge overviewEdgeAt(const TimelineScene& scene, QPointF position) {
    const QRectF visible = scene.overviewRange();
    if (visible.width() <= narrowestEdges_px) return OverviewEdge::None;
    if (isNear(position.x(), visible.left())) return OverviewEdge::Begin;
    if (isNear(position.x(), visible.right())) return OverviewEdge::End;
    return OverviewEdge::None;
}

Qt::CursorShape cursorAt(const TimelineScene& scene, PointerDrag::Kind kind, QPointF position) {
    if (kind == PointerDrag::Kind::None && scene.geometry.overview.contains(position.toPoint()))
        return overviewEdgeAt(scene, position) == OverviewEdge::None ? Qt::PointingHandCursor : Qt::SizeHorCursor;
    if (scene.geometry.ruler.contains(position.toPoint())) return Qt::IBeamCursor;
    return kind == PointerDrag::Kind::Pan ? Qt::ClosedHandCursor : Qt::ArrowCursor;
}

LaneDropPlace laneDropPlaceAt(const TimelineScene& scene, QPointF position) {
    const std::vector<std::uint32_t>& rows = scene.geometry.rows.laneOfRow;
    for (const std::uint32_t lane : rows) {
        if (scene.timeline->lanes()[lane].depth > 0) continue;
        const QRect row = scene.geometry.row(lane);
        const bool isVisible = row.intersects(scene.geometry.clip(lane));
        if (isVisible && static_cast<int>(position.y()) < row.center().y()) return {lane, row.top()};
    }
    return {std::nullopt, rows.empty() ? -1 : scene.geometry.row(rows.back()).bottom()};
}

}  // namespace overlap::ui
