#pragma once

#include <QString>
#include <vector>

#include "core/timeline/timeline.h"

namespace overlap::ui {

/// Name, length, start, what of it is exposed and lane of an event, as rich text for a tool tip.
/// @param more a further line of rich text; may be empty.
QString eventToolTip(const Timeline& timeline, EventLocation location, const QString& more);

/// Title and subtitle of a lane, as rich text for a tool tip.
QString laneToolTip(const Timeline& timeline, std::uint32_t lane);

/// What a timeline shows in words, for those who do not see it: the selected event, where `selection` is valid(), what
/// is chosen, and how much there is.
QString timelineDescription(const Timeline& timeline, EventLocation selection, const std::vector<quint32>& chosen = {});

/// How many events are chosen, their time, what of it is exposed, and what can be done; empty for less than two.
QString chosenText(const Timeline& timeline, const std::vector<quint32>& chosen);

}  // namespace overlap::ui
