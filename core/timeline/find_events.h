#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/timeline/time_axis.h"
#include "core/timeline/timeline.h"

namespace overlap {

/// What a search found. Stalls and idle time are no events: a stall has the name of what it waits for.
struct EventMatches {
    std::vector<EventLocation> events;  ///< in order of start, then of lanes
    std::int64_t total_ns = 0;
    std::int64_t shortest_ns = 0;
    std::int64_t median_ns = 0;  ///< of an even number, the mean of the two in the middle
    std::int64_t longest_ns = 0;
    bool by_abbreviation = false;  ///< no text contains the words, these are abbreviated by them
};

/// Events whose text contains every word of `query`, in any order, without regard to the case of ASCII letters. Where
/// there are none, those whose text every word abbreviates, see abbreviates(). Each name is looked at once, however
/// many events have it. Linear in events; nothing for a query without words, and when stopped.
/// @param more_text further text of what a reference means, such as its module; asked for each event whose name alone
/// does not match. May be empty.
EventMatches find_events(const Timeline& timeline, std::string_view query,
                         const std::function<std::string(std::uint32_t reference)>& more_text = {},
                         std::stop_token stop = {});

/// Whether `word` consists of beginnings of words of `text` in their order, such as `agtens` of
/// `all_gather_into_tensor_17`. Words begin behind what is no letter or digit, at capitals behind small letters, and
/// where digits begin. Without regard to the case of ASCII letters.
bool abbreviates(std::string_view word, std::string_view text);

/// Sums and extremes of some events of a timeline.
/// @param events in order of start.
EventMatches matches_of(const Timeline& timeline, std::vector<EventLocation> events);

/// How many events last at least `from_ns` and less than `to_ns`.
struct DurationBin {
    std::int64_t from_ns = 0, to_ns = 0;
    std::uint32_t count = 0;
};

/// How events are spread over durations: bins that grow by the same factor, from the shortest to the longest event;
/// fewer than `bins` where these are close. Empty without events.
std::vector<DurationBin> duration_histogram(const Timeline& timeline, const EventMatches& matches, std::size_t bins);

/// How many of `events` start in each pixel of `axis`; one number for each.
std::vector<std::uint32_t> start_density(const Timeline& timeline, std::span<const EventLocation> events,
                                         const TimeAxis& axis);

/// Events that compute waited for, the longest stall first, before all those that never end; equals in order of lanes
/// and time.
std::vector<EventLocation> most_exposed_events(const Timeline& timeline);

}  // namespace overlap
