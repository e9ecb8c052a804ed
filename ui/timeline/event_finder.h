#pragma once

#include <QString>
#include <functional>
#include <memory>
#include <optional>

#include "core/timeline/find_events.h"

namespace overlap::ui {

/// What was searched for in a timeline, what was found, and which match is the current one.
class EventFinder {
  public:
    using MoreText = std::function<std::string(std::uint32_t reference)>;

    /// Nothing is found yet. An empty query is no search.
    void begin(std::shared_ptr<const Timeline> timeline, const QString& query);
    /// What find_events() found for it.
    void finish(EventMatches matches);

    bool active() const { return !query_.isEmpty(); }
    bool searching() const { return searching_; }
    const QString& query() const { return query_; }
    /// Those of the chosen durations.
    const EventMatches& matches() const { return matches_; }

    /// How long the matches last, whatever durations are chosen.
    const std::vector<DurationBin>& durations() const { return durations_; }
    /// Only matches that last as long as this bin says; nothing for all.
    void setDuration(std::optional<std::size_t> bin);
    std::optional<std::size_t> duration() const { return duration_; }

    /// The match after `selection` in time, or before it for -1, around the ends; where `selection` is not valid(), the
    /// first after `time_ns`, or the last before it. Not valid() where there is no match.
    EventLocation next(EventLocation selection, std::int64_t time_ns, int step) const;

    /// "3 of 64 · Σ 218 ms · median 3.1 ms · longest 9.4 ms"; `selection` counts where it is a match.
    QString summary(EventLocation selection) const;
    /// Matches by pixel of the whole timeline; counted once for a width.
    const std::vector<std::uint32_t>& density(int width_px);

  private:
    std::ptrdiff_t placeOf(EventLocation selection) const;

    std::shared_ptr<const Timeline> timeline_;
    QString query_;
    bool searching_ = false;
    EventMatches all_, matches_;
    std::vector<DurationBin> durations_;
    std::optional<std::size_t> duration_;
    std::vector<std::uint32_t> density_;
};

}  // namespace overlap::ui
