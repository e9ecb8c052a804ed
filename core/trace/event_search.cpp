#include "core/trace/event_search.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace overlap {
namespace {

char lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

std::string lowered(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), lower);
    return result;
}

std::vector<std::string> words_of(std::string_view query) {
    std::vector<std::string> words;
    std::string word;
    for (const char letter : lowered(query) + " ") {
        if (letter != ' ' && letter != '\t') {
            word += letter;
        } else if (!word.empty()) {
            words.push_back(std::move(word));
            word.clear();
        }
    }
    return words;
}

bool contains_all(std::string_view text, const std::vector<std::string>& words) {
    const std::string searched = lowered(text);
    return std::ranges::all_of(words,
                               [&](const std::string& word) { return searched.find(word) != std::string::npos; });
}

void sum_up(const Timeline& timeline, EventMatches& matches) {
    if (matches.events.empty()) return;
    std::vector<std::int64_t> lengths;
    lengths.reserve(matches.events.size());
    for (const EventLocation location : matches.events) lengths.push_back(timeline.event(location).length_ns());
    for (const std::int64_t length : lengths) matches.total_ns += length;
    const auto [shortest, longest] = std::ranges::minmax(lengths);
    matches.shortest_ns = shortest;
    matches.longest_ns = longest;
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::ranges::nth_element(lengths, middle);
    matches.median_ns = *middle;
}

}  // namespace

EventMatches find_events(const Timeline& timeline, std::string_view query,
                         const std::function<std::string(std::uint32_t reference)>& more_text) {
    EventMatches matches;
    const std::vector<std::string> words = words_of(query);
    if (words.empty()) return matches;
    std::vector<bool> name_matches(timeline.name_count());
    for (std::uint32_t name = 0; name < timeline.name_count(); ++name)
        name_matches[name] = contains_all(timeline.name(name), words);
    const auto lanes = timeline.lanes();
    for (std::uint32_t index = 0; index < lanes.size(); ++index) {
        const Lane& lane = lanes[index];
        for (std::uint32_t event = 0; event < lane.size(); ++event) {
            if (lane.role[event] == EventRole::exposed || lane.role[event] == EventRole::idle) continue;
            bool matched = name_matches[lane.name[event]];
            if (!matched && more_text && lane.reference[event] != no_reference) {
                // Words may be spread over the name and the further text.
                const std::string_view name = timeline.name(lane.name[event]);
                matched = contains_all(std::string(name) + ' ' + more_text(lane.reference[event]), words);
            }
            if (matched) matches.events.push_back({index, event});
        }
    }
    std::ranges::sort(matches.events, {}, [&](EventLocation location) {
        return std::tuple(timeline.event(location).begin_ns, location.lane, location.event);
    });
    sum_up(timeline, matches);
    return matches;
}

std::vector<std::uint32_t> start_density(const Timeline& timeline, std::span<const EventLocation> events,
                                         const TimeAxis& axis) {
    std::vector<std::uint32_t> counts(static_cast<std::size_t>(std::max(0.0, axis.width_px)));
    if (counts.empty()) return counts;
    for (const EventLocation location : events) {
        const double x = axis.x_of(timeline.event(location).begin_ns);
        if (x < 0 || x > axis.width_px) continue;
        ++counts[std::min(counts.size() - 1, static_cast<std::size_t>(x))];
    }
    return counts;
}

std::vector<EventLocation> most_exposed_events(const Timeline& timeline) {
    std::vector<EventLocation> events;
    const auto lanes = timeline.lanes();
    for (std::uint32_t index = 0; index < lanes.size(); ++index) {
        for (std::uint32_t event = 0; event < lanes[index].size(); ++event) {
            if (lanes[index].exposed_ns[event] > 0) events.push_back({index, event});
        }
    }
    std::ranges::stable_sort(events, std::ranges::greater{},
                             [&](EventLocation location) { return lanes[location.lane].exposed_ns[location.event]; });
    return events;
}

}  // namespace overlap
