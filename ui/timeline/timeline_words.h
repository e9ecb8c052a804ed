#pragma once

#include <QString>

#include "core/timeline/timeline.h"

namespace overlap::ui {

/// Name, length, start, what of it is exposed and lane of an event, as rich text for a tool tip.
/// @param more a further line of rich text; may be empty.
QString eventToolTip(const Timeline& timeline, EventLocation location, const QString& more);

/// What a timeline shows in words, for those who do not see it: the selected event, where `selection` is valid(), and
/// how much there is.
QString timelineDescription(const Timeline& timeline, EventLocation selection);

}  // namespace overlap::ui
