#pragma once

#include <QStringList>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/timeline/timeline.h"

namespace overlap::ui {

/// The user's arrangement of the lanes. By key rather than by number, so that it holds for the next evaluation too;
/// keys of lanes that are not there now are kept for when they come back. A plain value.
struct LaneArrangement {
    QStringList order;      ///< keys from top to bottom; lanes that are not named stay behind their neighbour
    QStringList pinned;     ///< stay at the top while the others scroll
    QStringList collapsed;  ///< drawn as one thin row

    bool operator==(const LaneArrangement&) const = default;
};

/// A key for each lane: its title, with a number where a title repeats. Rows of one lane (Lane::group) share a key.
QStringList laneKeys(const Timeline& timeline);

/// The rows that lanes are drawn in, from top to bottom. All rows of a collapsed lane are drawn in one.
struct LaneRows {
    std::vector<std::uint32_t> laneOfRow;  ///< the first lane drawn there
    std::vector<std::uint32_t> rowOfLane;
    std::vector<bool> collapsed;  ///< by lane
    std::size_t pinned = 0;       ///< so many rows at the top are pinned

    static LaneRows of(const Timeline& timeline, const LaneArrangement& arrangement = {});
};

/// The arrangement with `lane` put before `before`, or below all others without one. Pinned lanes stay above the rest.
LaneArrangement withLaneMoved(const LaneArrangement& arrangement, const Timeline& timeline, std::uint32_t lane,
                              std::optional<std::uint32_t> before);
/// The arrangement with `lane` moved by one place, up for -1 or down for +1, among the pinned or among the others. The
/// same where there is no such place.
LaneArrangement withLaneStepped(const LaneArrangement& arrangement, const Timeline& timeline, std::uint32_t lane,
                                int step);
/// The list with `key` added, or taken out where it is in it.
QStringList toggled(QStringList keys, const QString& key);

}  // namespace overlap::ui
