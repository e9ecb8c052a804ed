#pragma once

#include <cstdint>
#include <span>

#include "core/timeline/timeline.h"
#include "ui/timeline/drawing/lane_arrangement.h"
#include "ui/timeline/drawing/timeline_overlay.h"

namespace overlap::ui {

// Where keys lead from a selected event. Each returns a location that is not valid() where there is nothing to go to.

/// The event `step` places after `selected` in its lane.
EventLocation steppedInLane(const Timeline& timeline, EventLocation selected, int step);

/// The event at the same time in the next row that has events, below for 1, above for -1. Where `selected` is not
/// valid(), the event at the middle of `visible` in the uppermost such row.
EventLocation steppedAcrossLanes(const Timeline& timeline, const LaneRows& rows, TimeRange visible,
                                 EventLocation selected, int step);

/// The collective for which compute waits longest; from a selected one the next one for 1 or the one before for -1,
/// around the ends.
EventLocation steppedByExposure(const Timeline& timeline, EventLocation selected, int step);

/// What arrows lead to from `reference`, or for -1 what they come from.
EventLocation steppedAlongFlow(const Timeline& timeline, std::span<const TimelineArrow> arrows, quint32 reference,
                               int step);

}  // namespace overlap::ui
