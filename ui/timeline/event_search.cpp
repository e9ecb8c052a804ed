#include "ui/timeline/event_search.h"

#include <utility>

#include "core/timeline/timeline_builder.h"
#include "ui/timeline/find_bar.h"

namespace overlap::ui {
namespace {

/// Events from which on a search would be felt while one types.
constexpr std::uint64_t fewestInBackground = 200'000;

}  // namespace

EventSearch::EventSearch(QWidget* place) : timeline_(TimelineBuilder().finish()), bar_(new FindBar(place)) {
    connect(bar_, &FindBar::queryChanged, this, &EventSearch::search);
    connect(bar_, &FindBar::durationChosen, this, &EventSearch::choose);
    connect(bar_, &FindBar::stepWanted, this, &EventSearch::step);
    connect(bar_, &FindBar::closed, this, &EventSearch::closed);
}

void EventSearch::setTimeline(std::shared_ptr<const Timeline> timeline) {
    timeline_ = std::move(timeline);
    search(finder_.query());
}

void EventSearch::setMoreText(EventFinder::MoreText more) {
    more_ = std::move(more);
}

void EventSearch::open() {
    bar_->open();
}

void EventSearch::find(const QString& query) {
    bar_->setQuery(query);
    bar_->setVisible(true);
}

void EventSearch::show(EventLocation selection, const QRect& line) {
    if (bar_->isVisible()) bar_->show(finder_.summary(selection), line);
}

int EventSearch::width() const {
    return bar_->isHidden() ? 0 : bar_->width();
}

void EventSearch::search(const QString& query) {
    task_.cancel();
    wantedStep_ = 0;
    finder_.begin(timeline_, query);
    // Further texts are of the owner's thread, and of timelines that are small.
    if (more_ || timeline_->event_count() < fewestInBackground)
        return take(find_events(*timeline_, query.toStdString(), more_));
    emit changed();
    task_.start([this, timeline = timeline_, words = query.toStdString()](std::stop_token stop) {
        auto found = std::make_shared<EventMatches>(find_events(*timeline, words, {}, stop));
        return stop.stop_requested() ? LatestTask::Delivery() : [this, found] { take(std::move(*found)); };
    });
}

void EventSearch::take(EventMatches found) {
    finder_.finish(std::move(found));
    showDurations();
    emit changed();
    if (const int wanted = std::exchange(wantedStep_, 0); wanted != 0) step(wanted);
}

void EventSearch::showDurations() {
    bar_->setDurations(finder_.durations(), finder_.duration());
}

void EventSearch::choose(std::optional<std::size_t> duration) {
    finder_.setDuration(duration);
    showDurations();
    emit changed();
    if (duration) step(+1);
}

void EventSearch::step(int step) {
    if (finder_.searching())
        wantedStep_ = step;
    else
        emit stepWanted(step);
}

}  // namespace overlap::ui
