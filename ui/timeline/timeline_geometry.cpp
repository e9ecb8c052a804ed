#include "ui/timeline/timeline_geometry.h"

#include <algorithm>
#include <span>

#include "ui/theme/theme.h"

namespace overlap::ui {
namespace {

constexpr int headerHeight = 28;
constexpr int overviewHeight = 20;
constexpr int rulerHeight = 24;
constexpr int rightMargin = 12;
constexpr int highestMemory = 480;
constexpr int manyLanes = 16;  ///< of kind `other`; from here on they are drawn thin

int rowHeight(const Lane& lane, bool thin) {
    if (lane.depth > 0) return 18;
    switch (lane.description.kind) {
        case LaneKind::compute:
            return 44;
        case LaneKind::process_group:
            return 36;
        case LaneKind::other:
            return thin ? 16 : 28;
    }
    return 28;
}

/// Distance between a row's edge and its bar.
int barMargin(int height) {
    return height >= 36 ? 5 : height >= 24 ? 3 : 1;
}

int memoryHeight(bool hasMemory, int room, int lanesHeight) {
    if (!hasMemory || room < 72) return 0;
    const int left = room - lanesHeight;
    return left >= 48 ? std::min(left, highestMemory) : std::min(48, room / 2);
}

/// In a tall window streams and memory curve share what is left, the streams up to three times their height.
void useSpareRoom(std::vector<std::int32_t>& heights, std::span<const Lane> lanes, int room) {
    constexpr int memoryShare = 140;
    int streams = 0;
    int total = 0;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        total += heights[lane];
        if (lanes[lane].description.kind != LaneKind::other && lanes[lane].depth == 0) streams += heights[lane];
    }
    const int spare = std::min(2 * streams, (room - total - memoryShare) / 2);
    if (spare <= 0) return;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        if (lanes[lane].description.kind == LaneKind::other || lanes[lane].depth > 0) continue;
        heights[lane] += heights[lane] * spare / streams;
    }
}

}  // namespace

TimelineGeometry TimelineGeometry::of(const Timeline& timeline, QSize size, int labelTextWidth, int scroll) {
    const auto lanes = timeline.lanes();
    const bool thin = std::ranges::count_if(lanes, [](const Lane& lane) {
                          return lane.description.kind == LaneKind::other && lane.depth == 0;
                      }) > manyLanes;
    std::vector<std::int32_t> heights;
    heights.reserve(lanes.size());
    for (const Lane& lane : lanes) heights.push_back(rowHeight(lane, thin));

    TimelineGeometry geometry;
    geometry.labelWidth = std::min(std::clamp(labelTextWidth + 6 * gridPx, 72, 200), size.width() * 3 / 10);
    const int left = geometry.labelWidth;
    const int width = std::max(1, size.width() - left - rightMargin);
    int top = 0;
    const auto take = [&top](int height) {
        const int begin = top;
        top += height;
        return begin;
    };
    geometry.header = QRect(0, take(headerHeight), size.width(), headerHeight);
    geometry.overview = QRect(left, take(overviewHeight), width, overviewHeight);
    geometry.ruler = QRect(left, take(rulerHeight), width, rulerHeight);
    const int room = std::max(0, size.height() - top - gridPx);
    useSpareRoom(heights, lanes, room);
    geometry.stack = LaneStack(heights);
    const int memory = memoryHeight(!timeline.memory().empty(), room, geometry.stack.total_px());
    const int visible = std::min(geometry.stack.total_px(), room - memory);
    geometry.lanes = QRect(left, take(visible), width, visible);
    geometry.memory = QRect(left, top + gridPx, width, std::max(0, memory - gridPx));
    geometry.scroll = std::clamp(scroll, 0, std::max(0, geometry.scrollMaximum()));
    return geometry;
}

int TimelineGeometry::laneAt(int y) const {
    if (y < lanes.top() || y >= lanes.top() + lanes.height()) return -1;
    return stack.row_at(y - lanes.top() + scroll);
}

QRect TimelineGeometry::row(std::uint32_t lane) const {
    return {0, lanes.top() - scroll + stack.top_px(lane), lanes.left() + lanes.width(), stack.height_px(lane)};
}

QRect TimelineGeometry::bar(std::uint32_t lane) const {
    const QRect whole = row(lane);
    const int margin = barMargin(whole.height());
    return {lanes.left(), whole.top() + margin, lanes.width(), whole.height() - 2 * margin};
}

QRectF TimelineGeometry::eventRect(const Timeline& timeline, EventLocation location, TimeRange range) const {
    const TimeAxis time = axis(range);
    const TimeRange event = timeline.event(location);
    const double begin = time.x_of(event.begin_ns);
    const double end = std::max(begin + 2, time.x_of(event.end_ns));
    const QRect line = bar(location.lane);
    // Far outside of the view positions are cut, so that painting them stays exact.
    const double left = std::clamp(begin, -8.0, line.width() + 8.0);
    const double right = std::clamp(end, -8.0, line.width() + 8.0);
    return {line.left() + left, static_cast<double>(line.top()), right - left, static_cast<double>(line.height())};
}

}  // namespace overlap::ui
