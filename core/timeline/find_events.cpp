#include "core/timeline/find_events.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/base/statistics.h"

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
            words.push_back(std::exchange(word, {}));
        }
    }
    return words;
}

bool contains_all(std::string_view text, const std::vector<std::string>& words) {
    const std::string searched = lowered(text);
    return std::ranges::all_of(words,
                               [&](const std::string& word) { return searched.find(word) != std::string::npos; });
}

bool abbreviate_all(std::string_view text, const std::vector<std::string>& words) {
    return std::ranges::all_of(words, [&](const std::string& word) { return abbreviates(word, text); });
}

bool is_letter(char letter) {
    return lower(letter) >= 'a' && lower(letter) <= 'z';
}

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

bool begins_word(std::string_view text, std::size_t at) {
    if (!is_letter(text[at]) && !is_digit(text[at])) return false;
    if (at == 0) return true;
    const char before = text[at - 1];
    if (is_digit(text[at])) return !is_digit(before);
    const bool is_capital = text[at] != lower(text[at]);
    return !is_letter(before) || (is_capital && before == lower(before));
}

/// One way of matching: whether every word fits a text.
class EventFilter {
  public:
    using Fits = bool (*)(std::string_view text, const std::vector<std::string>& words);

    EventFilter(const Timeline& timeline, const std::vector<std::string>& words, Fits fits)
        : timeline_(timeline), words_(words), fits_(fits), name_fits_(timeline.name_count()) {
        for (std::uint32_t name = 0; name < timeline.name_count(); ++name) {
            name_fits_[name] = fits(timeline.name(name), words);
        }
    }

    std::vector<EventLocation> run(const std::function<std::string(std::uint32_t reference)>& more_text,
                                   const std::stop_token& stop) const {
        std::vector<EventLocation> found;
        const auto lanes = timeline_.lanes();
        for (std::uint32_t index = 0; index < lanes.size(); ++index) {
            const Lane& lane = lanes[index];
            for (std::uint32_t event = 0; event < lane.size(); ++event) {
                if (event % events_between_looks == 0 && stop.stop_requested()) return {};
                if (lane.role[event] == EventRole::exposed || lane.role[event] == EventRole::idle) continue;
                bool matched = name_fits_[lane.name[event]];
                if (!matched && more_text && lane.reference[event] != no_reference) {
                    // Words may be spread over the name and the further text.
                    const std::string_view name = timeline_.name(lane.name[event]);
                    matched = fits_(std::string(name) + ' ' + more_text(lane.reference[event]), words_);
                }
                if (matched) found.push_back({index, event});
            }
        }
        return found;
    }

  private:
    static constexpr std::uint32_t events_between_looks = 1u << 16;

    const Timeline& timeline_;
    const std::vector<std::string>& words_;
    Fits fits_;
    std::vector<bool> name_fits_;
};

}  // namespace

bool abbreviates(std::string_view word, std::string_view text) {
    if (word.empty()) return false;
    // Where in the text the letters so far may have ended, for any way of taking them.
    std::vector<bool> ends(text.size()), next(text.size());
    for (std::size_t letter = 0; letter < word.size(); ++letter) {
        bool is_behind = letter == 0, is_possible = false;
        for (std::size_t at = 0; at < text.size(); ++at) {
            const bool follows = letter > 0 && at > 0 && ends[at - 1];
            next[at] = lower(text[at]) == lower(word[letter]) && (follows || (is_behind && begins_word(text, at)));
            is_possible |= next[at];
            is_behind |= letter > 0 && ends[at];
        }
        if (!is_possible) return false;
        ends.swap(next);
    }
    return true;
}

EventMatches matches_of(const Timeline& timeline, std::vector<EventLocation> events) {
    EventMatches matches;
    matches.events = std::move(events);
    if (matches.events.empty()) return matches;
    std::vector<double> lengths;
    lengths.reserve(matches.events.size());
    matches.shortest_ns = matches.longest_ns = timeline.event(matches.events.front()).length_ns();
    for (const EventLocation location : matches.events) {
        const std::int64_t length = timeline.event(location).length_ns();
        lengths.push_back(static_cast<double>(length));
        matches.total_ns += length;
        matches.shortest_ns = std::min(matches.shortest_ns, length);
        matches.longest_ns = std::max(matches.longest_ns, length);
    }
    matches.median_ns = std::llround(median(std::move(lengths)));
    return matches;
}

EventMatches find_events(const Timeline& timeline, std::string_view query,
                         const std::function<std::string(std::uint32_t reference)>& more_text, std::stop_token stop) {
    const std::vector<std::string> words = words_of(query);
    if (words.empty()) return {};
    std::vector<EventLocation> found = EventFilter(timeline, words, contains_all).run(more_text, stop);
    const bool by_abbreviation = found.empty();
    if (by_abbreviation) found = EventFilter(timeline, words, abbreviate_all).run(more_text, stop);
    std::ranges::sort(found, {}, [&](EventLocation location) {
        return std::tuple(timeline.event(location).begin_ns, location.lane, location.event);
    });
    if (stop.stop_requested()) return {};
    EventMatches matches = matches_of(timeline, std::move(found));
    matches.by_abbreviation = by_abbreviation && !matches.events.empty();
    return matches;
}

std::vector<DurationBin> duration_histogram(const Timeline& timeline, const EventMatches& matches, std::size_t bins) {
    if (matches.events.empty() || bins == 0) return {};
    // Instants share the bin of the shortest: zero has no logarithm.
    const auto first = static_cast<double>(std::max<std::int64_t>(1, matches.shortest_ns));
    const auto behind = static_cast<double>(std::max<std::int64_t>(1, matches.longest_ns)) + 1;
    std::vector<DurationBin> histogram;
    std::int64_t from_ns = matches.shortest_ns;
    for (std::size_t bin = 1; bin <= bins; ++bin) {
        const double share = static_cast<double>(bin) / static_cast<double>(bins);
        const auto to_ns = static_cast<std::int64_t>(std::ceil(first * std::pow(behind / first, share)));
        const std::int64_t end_ns = bin == bins ? matches.longest_ns + 1 : to_ns;
        if (end_ns <= from_ns) continue;  // durations are whole nanoseconds
        histogram.push_back({from_ns, end_ns, 0});
        from_ns = end_ns;
    }
    for (const EventLocation location : matches.events) {
        const std::int64_t length = timeline.event(location).length_ns();
        ++std::ranges::partition_point(histogram, [&](const DurationBin& bin) { return bin.to_ns <= length; })->count;
    }
    return histogram;
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
    // What never ends is the longest; of several the one that began first.
    using Rank = std::pair<bool, std::int64_t>;
    std::vector<std::pair<Rank, EventLocation>> ranked;
    ranked.reserve(events.size());
    for (const EventLocation location : events) {
        const bool open_ended = timeline.is_open_ended(location);
        const std::int64_t ns = open_ended ? -timeline.event(location).begin_ns : timeline.exposed_ns(location);
        ranked.emplace_back(Rank{open_ended, ns}, location);
    }
    std::ranges::stable_sort(ranked, std::ranges::greater{}, &std::pair<Rank, EventLocation>::first);
    std::ranges::transform(ranked, events.begin(), &std::pair<Rank, EventLocation>::second);
    return events;
}

}  // namespace overlap
