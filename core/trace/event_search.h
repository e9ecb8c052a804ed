#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/time_axis.h"
#include "core/trace/timeline.h"

namespace overlap {

/// What a search found. Stalls and idle time are no events: a stall has the name of what it waits for.
struct EventMatches {
    std::vector<EventLocation> events;  ///< in order of start, then of lanes
    std::int64_t total_ns = 0;
    std::int64_t shortest_ns = 0;
    std::int64_t median_ns = 0;  ///< the upper one of two
    std::int64_t longest_ns = 0;
};

/// Events whose text contains every word of `query`, without regard to the case of ASCII letters. Each name is looked
/// at once, however many events have it. Linear in events; nothing for a query without words.
/// @param more_text further text of what a reference stands for, such as its module; asked for each event whose name
/// alone does not match. May be empty.
EventMatches find_events(const Timeline& timeline, std::string_view query,
                         const std::function<std::string(std::uint32_t reference)>& more_text = {});

/// How many of `events` start in each pixel of `axis`; one number for each.
std::vector<std::uint32_t> start_density(const Timeline& timeline, std::span<const EventLocation> events,
                                         const TimeAxis& axis);

/// Events for which compute stood still, the longest stall first; equals in order of lanes and time.
std::vector<EventLocation> most_exposed_events(const Timeline& timeline);

}  // namespace overlap
