#include "ui/timeline/drawing/timeline_scene.h"

#include <algorithm>
#include <cmath>

#include "core/timeline/lane_rasterizer.h"
#include "ui/timeline/drawing/timeline_overlay.h"

namespace overlap::ui {

std::int64_t TimelineScene::timeAt(double x) const {
    return axis().time_at(std::clamp(x - geometry.lanes.left(), 0.0, static_cast<double>(geometry.lanes.width())));
}

std::int64_t TimelineScene::overviewTimeAt(double x) const {
    const TimeAxis whole{timeline->range(), static_cast<double>(geometry.overview.width())};
    return whole.time_at(std::clamp(x - geometry.overview.left(), 0.0, whole.width_px));
}

double TimelineScene::xOf(std::int64_t time_ns) const {
    return geometry.lanes.left() + axis().x_of(time_ns);
}

EventLocation TimelineScene::eventAt(QPointF position) const {
    const int lane = geometry.laneAt(static_cast<int>(std::floor(position.y())));
    if (lane < 0 || position.x() < geometry.lanes.left() || position.x() > geometry.lanes.right()) return {};
    const auto row = static_cast<std::uint32_t>(lane);
    const std::uint32_t event =
        event_at(timeline->lanes()[row], timeline->mip(row), axis(), position.x() - geometry.lanes.left());
    return event == no_event ? EventLocation{} : EventLocation{row, event};
}

QRectF TimelineScene::eventRect(EventLocation location) const {
    return geometry.eventRect(*timeline, location, range);
}

QRectF TimelineScene::overviewRange() const {
    return ui::overviewRange(*timeline, geometry, range);
}

}  // namespace overlap::ui
