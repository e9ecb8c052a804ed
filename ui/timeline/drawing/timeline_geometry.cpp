#include "ui/timeline/drawing/timeline_geometry.h"

#include <algorithm>
#include <utility>

#include "ui/theme/theme.h"

namespace overlap::ui {
namespace {

constexpr int headerHeight = 28;
constexpr int overviewHeight = 20;
constexpr int rulerHeight = 24;
constexpr int rightMargin = 12;
constexpr int lowestMemory = 28;
constexpr int highestMemory = 480;
constexpr int manyLanes = 16;  ///< of kind `other`; from here on they are drawn thin

constexpr int collapsedHeight = 16;

int rowHeight(const Lane& lane, bool thin, bool collapsed) {
    if (collapsed) return collapsedHeight;
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

/// @param streamsHeight of the lanes at the top, to the first that communicates: those are always in view.
int memoryHeight(bool hasMemory, int room, int lanesHeight, int streamsHeight) {
    if (!hasMemory || room < 72) return 0;
    const int left = room - lanesHeight;
    // Rather low than over the lanes, where they leave it anything.
    if (left >= lowestMemory) return std::min(left, highestMemory);
    const int height = std::min({48, room / 2, room - streamsHeight});
    return height >= lowestMemory ? height : 0;
}

/// How many rows there are from the top to the first that communicates.
std::size_t firstRows(const Timeline& timeline, const LaneRows& rows) {
    for (std::size_t row = 0; row < rows.laneOfRow.size(); ++row)
        if (timeline.lanes()[rows.laneOfRow[row]].description.kind == LaneKind::process_group) return row + 1;
    return rows.laneOfRow.size();
}

constexpr int lowestStream = 26;

/// How many rows there are from the top to the last that communicates, where all of them fit beside the memory curve;
/// else to the first.
std::size_t rowsInView(const Timeline& timeline, const LaneRows& rows, const std::vector<std::int32_t>& heights,
                       int room) {
    std::size_t last = firstRows(timeline, rows);
    int total = lowestMemory;
    for (std::size_t row = 0; row < rows.laneOfRow.size(); ++row) {
        total += std::min(heights[row], lowestStream);
        const Lane& lane = timeline.lanes()[rows.laneOfRow[row]];
        if (lane.description.kind == LaneKind::process_group && total <= room) last = std::max(last, row + 1);
    }
    return last;
}

/// In a low window streams are lower, so that compute, communication and memory are in view together.
void useLittleRoom(std::vector<std::int32_t>& heights, std::size_t first, int room) {
    int total = lowestMemory;
    for (std::size_t row = 0; row < first; ++row) total += heights[row];
    for (std::size_t row = 0; row < first && total > room; ++row) {
        const int less = std::clamp(heights[row] - lowestStream, 0, total - room);
        heights[row] -= less;
        total -= less;
    }
}

/// In a tall window streams and memory curve share what is left, the streams up to three times their height.
void useSpareRoom(std::vector<std::int32_t>& heights, const Timeline& timeline, const LaneRows& rows, int room) {
    constexpr int memoryShare = 140;
    const auto isStream = [&](std::size_t row) {
        const Lane& lane = timeline.lanes()[rows.laneOfRow[row]];
        return lane.description.kind != LaneKind::other && lane.depth == 0 && !rows.collapsed[rows.laneOfRow[row]];
    };
    int streams = 0;
    int total = 0;
    for (std::size_t row = 0; row < heights.size(); ++row) {
        total += heights[row];
        if (isStream(row)) streams += heights[row];
    }
    const int spare = std::min(2 * streams, (room - total - memoryShare) / 2);
    if (spare <= 0) return;
    for (std::size_t row = 0; row < heights.size(); ++row) {
        if (isStream(row)) heights[row] += heights[row] * spare / streams;
    }
}

}  // namespace

TimelineGeometry TimelineGeometry::of(const Timeline& timeline, LaneRows rows, QSize size, int labelTextWidth,
                                      int scroll) {
    const auto lanes = timeline.lanes();
    const bool thin = std::ranges::count_if(lanes, [](const Lane& lane) {
                          return lane.description.kind == LaneKind::other && lane.depth == 0;
                      }) > manyLanes;
    std::vector<std::int32_t> heights;
    heights.reserve(rows.laneOfRow.size());
    for (const std::uint32_t lane : rows.laneOfRow)
        heights.push_back(rowHeight(lanes[lane], thin, rows.collapsed[lane]));

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
    const std::size_t first = firstRows(timeline, rows);
    useLittleRoom(heights, rowsInView(timeline, rows, heights, room), room);
    useSpareRoom(heights, timeline, rows, room);
    geometry.stack = LaneStack(heights);
    const int streams = first < heights.size() ? geometry.stack.top_px(first) : geometry.stack.total_px();
    const int memory = memoryHeight(!timeline.memory().empty(), room, geometry.stack.total_px(), streams);
    const int visible = std::min(geometry.stack.total_px(), room - memory);
    geometry.lanes = QRect(left, take(visible), width, visible);
    geometry.memory = QRect(left, top + gridPx, width, std::max(0, memory - gridPx));
    geometry.scroll = std::clamp(scroll, 0, std::max(0, geometry.scrollMaximum()));
    geometry.rows = std::move(rows);
    const int pinned = geometry.rows.pinned == 0 ? 0 : geometry.stack.top_px(geometry.rows.pinned);
    geometry.pinnedHeight = pinned <= visible * 2 / 3 ? pinned : 0;
    return geometry;
}

int TimelineGeometry::laneAt(int y) const {
    if (y < lanes.top() || y >= lanes.top() + lanes.height()) return -1;
    const int below = y - lanes.top();
    const int row = stack.row_at(below < pinnedHeight ? below : below + scroll);
    return row < 0 ? -1 : static_cast<int>(rows.laneOfRow[static_cast<std::size_t>(row)]);
}

QRect TimelineGeometry::row(std::uint32_t lane) const {
    const std::uint32_t row = rows.rowOfLane[lane];
    const int moved = stack.top_px(row) < pinnedHeight ? 0 : scroll;
    return {0, lanes.top() - moved + stack.top_px(row), lanes.left() + lanes.width(), stack.height_px(row)};
}

QRect TimelineGeometry::clip(std::uint32_t lane) const {
    const bool pinned = stack.top_px(rows.rowOfLane[lane]) < pinnedHeight;
    const int top = lanes.top() + (pinned ? 0 : pinnedHeight);
    const int bottom = lanes.top() + (pinned ? pinnedHeight : lanes.height());
    return {0, top, lanes.left() + lanes.width(), bottom - top};
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
