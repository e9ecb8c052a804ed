#pragma once

#include <QString>
#include <vector>

#include "core/timeline/timeline.h"

namespace overlap::ui {

/// The user's note on an event, on a span of time or on a moment. Without text it is a bookmark.
struct TimelineNote {
    QString event;   ///< name of the event that it is on; empty for a time
    TimeRange time;  ///< the event's when it was noted, the span, or a moment (then without length)
    QString text;

    bool operator==(const TimelineNote&) const = default;
};

/// Where a note is in a timeline.
struct PlacedNote {
    TimeRange time;          ///< the event's time in this timeline, where it has the event
    EventLocation location;  ///< not valid() for a time, or where the timeline does not have the event
};

/// Where each of `notes` is in `timeline`. A note on an event that the timeline does not have keeps the time at which
/// it was made.
std::vector<PlacedNote> placed(const std::vector<TimelineNote>& notes, const Timeline& timeline);

/// A moment as lists write it, such as `12.5 ms`.
QString noteTime(std::int64_t time_ns);

/// "layers.3 gather: too late" or "bookmark at 12.5 ms", for lists and tool tips.
QString noteTitle(const TimelineNote& note);

}  // namespace overlap::ui
