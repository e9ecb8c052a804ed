#include "ui/timeline/event_finder.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <iterator>

#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

QString translated(const char* text) {
    return QCoreApplication::translate("TimelineView", text);
}

constexpr std::size_t durationBins = 24;

QString timeText(std::int64_t time_ns) {
    return formatTime(static_cast<double>(time_ns) * 1e-6);
}

}  // namespace

void EventFinder::begin(std::shared_ptr<const Timeline> timeline, const QString& query) {
    timeline_ = std::move(timeline);
    query_ = query.trimmed();
    finish({});
    searching_ = !query_.isEmpty();
}

void EventFinder::finish(EventMatches matches) {
    searching_ = false;
    all_ = std::move(matches);
    durations_ = duration_histogram(*timeline_, all_, durationBins);
    setDuration({});
}

void EventFinder::setDuration(std::optional<std::size_t> bin) {
    duration_ = bin;
    density_.clear();
    if (!bin) {
        matches_ = all_;
        return;
    }
    const DurationBin& wanted = durations_[*bin];
    std::vector<EventLocation> events;
    std::ranges::copy_if(all_.events, std::back_inserter(events), [&](EventLocation location) {
        const std::int64_t length = timeline_->event(location).length_ns();
        return length >= wanted.from_ns && length < wanted.to_ns;
    });
    matches_ = matches_of(*timeline_, std::move(events));
}

std::ptrdiff_t EventFinder::placeOf(EventLocation selection) const {
    const auto found = std::ranges::find(matches_.events, selection);
    return found == matches_.events.end() ? -1 : found - matches_.events.begin();
}

EventLocation EventFinder::next(EventLocation selection, std::int64_t time_ns, int step) const {
    const auto count = static_cast<std::ptrdiff_t>(matches_.events.size());
    if (count == 0) return {};
    std::ptrdiff_t place = placeOf(selection);
    if (place >= 0) {
        place = (place + step + count) % count;
    } else {
        const std::int64_t from = selection.valid() ? timeline_->event(selection).begin_ns : time_ns;
        const auto after = std::ranges::lower_bound(
            matches_.events, from, {}, [this](EventLocation location) { return timeline_->event(location).begin_ns; });
        place = after - matches_.events.begin();
        place = step > 0 ? place % count : (place - 1 + count) % count;
    }
    return matches_.events[static_cast<std::size_t>(place)];
}

QString EventFinder::summary(EventLocation selection) const {
    if (!active()) return {};
    if (searching_) return translated("searching…");
    const auto count = static_cast<std::int64_t>(matches_.events.size());
    if (count == 0) return translated("nothing found");
    const std::ptrdiff_t place = placeOf(selection);
    const QString about = all_.by_abbreviation ? QStringLiteral("≈ ") : QString();
    QStringList parts{about + (place < 0 ? translated("%1 found").arg(formatCount(count))
                                         : translated("%1 of %2").arg(formatCount(place + 1), formatCount(count))),
                      QChar(0x03a3) + QStringLiteral(" ") + timeText(matches_.total_ns)};
    if (count > 1) {
        parts << translated("median %1").arg(timeText(matches_.median_ns));
        parts << translated("longest %1").arg(timeText(matches_.longest_ns));
    }
    if (duration_) {
        const DurationBin& bin = durations_[*duration_];
        parts << translated("only %1 to %2").arg(timeText(bin.from_ns), timeText(bin.to_ns));
    }
    return parts.join(QStringLiteral(" · "));
}

const std::vector<std::uint32_t>& EventFinder::density(int width_px) {
    if (density_.size() != static_cast<std::size_t>(std::max(0, width_px)))
        density_ = start_density(*timeline_, matches_.events, {timeline_->range(), static_cast<double>(width_px)});
    return density_;
}

}  // namespace overlap::ui
