#include "ui/timeline/drawing/lane_arrangement.h"

#include <QHash>
#include <algorithm>

namespace overlap::ui {
namespace {

/// First lanes of all groups in the order of the timeline: what can be moved, pinned and collapsed.
std::vector<std::uint32_t> firstLanes(const Timeline& timeline) {
    std::vector<std::uint32_t> first;
    for (std::uint32_t lane = 0; lane < timeline.lanes().size(); ++lane) {
        if (timeline.lanes()[lane].depth == 0) first.push_back(lane);
    }
    return first;
}

std::uint32_t firstOf(const Timeline& timeline, std::uint32_t lane) {
    while (lane > 0 && timeline.lanes()[lane].depth > 0) --lane;
    return lane;
}

/// First lanes in the order that `order` asks for. What it does not name follows what it follows in the timeline.
std::vector<std::uint32_t> ordered(const Timeline& timeline, const QStringList& keys, const QStringList& order) {
    const std::vector<std::uint32_t> first = firstLanes(timeline);
    QHash<QString, qsizetype> places;
    for (qsizetype place = 0; place < order.size(); ++place) places.insert(order[place], place);
    std::vector<std::pair<qsizetype, std::uint32_t>> placed;
    qsizetype last = -1;
    for (const std::uint32_t lane : first) {
        last = places.value(keys[lane], last);
        placed.emplace_back(last, lane);
    }
    std::ranges::stable_sort(placed, {}, &std::pair<qsizetype, std::uint32_t>::first);
    std::vector<std::uint32_t> lanes;
    for (const auto& [place, lane] : placed) lanes.push_back(lane);
    return lanes;
}

/// `before` with the keys of `lanes` in that order; keys of lanes that are away keep their place behind the key that
/// they followed.
QStringList orderOf(const std::vector<std::uint32_t>& lanes, const QStringList& keys, const QStringList& before) {
    QStringList order;
    for (const std::uint32_t lane : lanes) order.append(keys[lane]);
    for (qsizetype index = 0; index < before.size(); ++index) {
        if (order.contains(before[index])) continue;
        order.insert(index == 0 ? 0 : order.indexOf(before[index - 1]) + 1, before[index]);
    }
    return order;
}

}  // namespace

QStringList laneKeys(const Timeline& timeline) {
    QStringList keys;
    QHash<QString, int> seen;
    for (const Lane& lane : timeline.lanes()) {
        if (lane.depth > 0 && !keys.isEmpty()) {
            keys.append(keys.last());
            continue;
        }
        const QString title = QString::fromStdString(lane.description.title);
        const int number = ++seen[title];
        keys.append(number == 1 ? title : QStringLiteral("%1 #%2").arg(title, QString::number(number)));
    }
    return keys;
}

LaneRows LaneRows::of(const Timeline& timeline, const LaneArrangement& arrangement) {
    const QStringList keys = laneKeys(timeline);
    const auto count = static_cast<std::uint32_t>(timeline.lanes().size());
    LaneRows rows;
    rows.rowOfLane.resize(count);
    rows.collapsed.resize(count);
    const std::vector<std::uint32_t> lanes = ordered(timeline, keys, arrangement.order);
    for (const bool pinned : {true, false}) {
        for (const std::uint32_t first : lanes) {
            if (arrangement.pinned.contains(keys[first]) != pinned) continue;
            const bool collapsed = arrangement.collapsed.contains(keys[first]);
            for (std::uint32_t lane = first; lane < count && (lane == first || timeline.lanes()[lane].depth > 0);
                 ++lane) {
                rows.collapsed[lane] = collapsed;
                if (lane == first || !collapsed) rows.laneOfRow.push_back(lane);
                rows.rowOfLane[lane] = static_cast<std::uint32_t>(rows.laneOfRow.size() - 1);
            }
        }
        if (pinned) rows.pinned = rows.laneOfRow.size();
    }
    return rows;
}

LaneArrangement withLaneMoved(const LaneArrangement& arrangement, const Timeline& timeline, std::uint32_t lane,
                              std::optional<std::uint32_t> before) {
    const QStringList keys = laneKeys(timeline);
    std::vector<std::uint32_t> lanes = ordered(timeline, keys, arrangement.order);
    const std::uint32_t moved = firstOf(timeline, lane);
    if (before && firstOf(timeline, *before) == moved) return arrangement;
    std::erase(lanes, moved);
    lanes.insert(before ? std::ranges::find(lanes, firstOf(timeline, *before)) : lanes.end(), moved);
    LaneArrangement result = arrangement;
    result.order = orderOf(lanes, keys, arrangement.order);
    return result;
}

LaneArrangement withLaneStepped(const LaneArrangement& arrangement, const Timeline& timeline, std::uint32_t lane,
                                int step) {
    const QStringList keys = laneKeys(timeline);
    const std::uint32_t moved = firstOf(timeline, lane);
    const bool pinned = arrangement.pinned.contains(keys[moved]);
    std::vector<std::uint32_t> lanes = ordered(timeline, keys, arrangement.order);
    std::erase_if(lanes, [&](std::uint32_t other) { return arrangement.pinned.contains(keys[other]) != pinned; });
    const auto place = std::ranges::find(lanes, moved) - lanes.begin();
    const auto count = static_cast<std::ptrdiff_t>(lanes.size());
    const std::ptrdiff_t target = place + step;
    if (target < 0 || target >= count) return arrangement;
    // Down by one is before the one after the next.
    const std::ptrdiff_t before = step > 0 ? target + 1 : target;
    if (before < count) return withLaneMoved(arrangement, timeline, lane, lanes[static_cast<std::size_t>(before)]);
    return withLaneMoved(arrangement, timeline, lane, std::nullopt);
}

QStringList toggled(QStringList keys, const QString& key) {
    if (keys.removeAll(key) == 0) keys.append(key);
    return keys;
}

}  // namespace overlap::ui
