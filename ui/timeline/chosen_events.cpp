#include "ui/timeline/chosen_events.h"

#include <algorithm>
#include <unordered_set>

namespace overlap::ui {

namespace {

bool isOfGroup(const Timeline& timeline, EventLocation event) {
    return event.valid() && timeline.lanes()[event.lane].description.kind == LaneKind::process_group;
}

}  // namespace

bool ChosenEvents::contains(quint32 reference) const {
    return std::ranges::find(references_, reference) != references_.end();
}

bool ChosenEvents::canBeChosen(const Timeline& timeline, EventLocation event) const {
    return movable_ && isOfGroup(timeline, event) && movable_(timeline.reference(event));
}

bool ChosenEvents::moveTogether(quint32 reference) const {
    return references_.size() > 1 && contains(reference);
}

void ChosenEvents::set(const Timeline& timeline, const std::vector<quint32>& references) {
    references_.clear();
    for (const quint32 reference : references) {
        const auto found = timeline.find(reference);
        const bool has = std::ranges::any_of(
            found, [&](const Timeline::Occurrence& each) { return isOfGroup(timeline, each.location); });
        if (has && !contains(reference)) references_.push_back(reference);
    }
}

void ChosenEvents::toggle(const Timeline& timeline, EventLocation event, EventLocation first) {
    if (!canBeChosen(timeline, event)) return;
    if (references_.empty() && first != event && canBeChosen(timeline, first))
        references_.push_back(timeline.reference(first));
    const quint32 reference = timeline.reference(event);
    if (std::erase(references_, reference) == 0) references_.push_back(reference);
}

void ChosenEvents::chooseIn(const TimelineScene& scene, const QRectF& band) {
    choose(scene, {scene.timeAt(band.left()), scene.timeAt(band.right())}, [&](std::uint32_t lane) {
        const QRectF bar = scene.geometry.bar(lane).intersected(scene.geometry.clip(lane));
        return !bar.isEmpty() && bar.bottom() >= band.top() && bar.top() <= band.bottom();
    });
}

void ChosenEvents::chooseDuring(const TimelineScene& scene, TimeRange times) {
    choose(scene, times, [](std::uint32_t) { return true; });
}

void ChosenEvents::choose(const TimelineScene& scene, TimeRange times,
                          const std::function<bool(std::uint32_t lane)>& isTouched) {
    references_ = beforeBand_;
    std::unordered_set<quint32> chosen(references_.begin(), references_.end());
    for (std::uint32_t lane = 0; lane < scene.timeline->lanes().size(); ++lane) {
        const Lane& events = scene.timeline->lanes()[lane];
        if (!isTouched(lane)) continue;
        for (std::uint32_t index = events.first_ending_after(times.begin_ns);
             index < events.size() && events.start_ns[index] <= times.end_ns; ++index)
            if (canBeChosen(*scene.timeline, {lane, index}) && chosen.insert(events.reference[index]).second)
                references_.push_back(events.reference[index]);
    }
}

}  // namespace overlap::ui
