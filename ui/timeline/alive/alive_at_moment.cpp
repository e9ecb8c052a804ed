#include "ui/timeline/alive/alive_at_moment.h"

#include <algorithm>
#include <cmath>

#include "ui/timeline/drawing/ruler.h"

namespace overlap::ui {
namespace {

/// The point of `curve`, which is not empty, that holds at `time_ns`.
std::size_t pointAt(const MemoryCurve& curve, std::int64_t time_ns) {
    const auto after = std::ranges::upper_bound(curve.time_ns, time_ns) - curve.time_ns.begin();
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - 1));
}

double shareOf(const TimeRange& range, std::int64_t time_ns) {
    return static_cast<double>(time_ns - range.begin_ns) /
           static_cast<double>(std::max<std::int64_t>(1, range.length_ns()));
}

std::int64_t timeAt(const TimeRange& range, double share) {
    return range.begin_ns + std::llround(share * static_cast<double>(range.length_ns()));
}

}  // namespace

AliveAtMoment::AliveAtMoment(const TimelineScene& scene) : scene_(scene) {}

void AliveAtMoment::setProvider(Provider provider) {
    provider_ = std::move(provider);
}

bool AliveAtMoment::canShow() const {
    return provider_ && !scene_.timeline->memory().empty();
}

void AliveAtMoment::show(std::int64_t time_ns) {
    if (canShow()) list(time_ns, anchorAt(time_ns));
}

void AliveAtMoment::showPeak() {
    if (!canShow()) return;
    const std::int64_t time_ns = scene_.timeline->memory().time_ns[scene_.timeline->memory_peak()];
    Anchor anchor = anchorAt(time_ns);
    anchor.at_peak = true;
    list(time_ns, std::move(anchor));
}

void AliveAtMoment::list(std::int64_t time_ns, Anchor anchor) {
    time_ns_ = time_ns;
    anchor_ = std::move(anchor);
    outdated_ = false;
    emit listed(tensors(), momentOf());
}

void AliveAtMoment::follow() {
    if (!time_ns_) return;
    if (!canShow()) return forget();
    time_ns_ = placeOf(anchor_);
    listAgain();
}

void AliveAtMoment::setSeen(bool seen) {
    seen_ = seen;
    if (outdated_) listAgain();
}

void AliveAtMoment::listAgain() {
    if (!time_ns_ || !canShow()) return;
    outdated_ = !seen_;
    if (seen_) emit listedAgain(tensors(), momentOf());
}

AliveTensors AliveAtMoment::tensors() const {
    return provider_(anchor_.at_peak ? scene_.timeline->memory_peak() : pointAt(scene_.timeline->memory(), *time_ns_));
}

QString AliveAtMoment::momentOf() const {
    const QString time = momentText(*time_ns_, scene_.axis());
    return anchor_.at_peak ? tr("%1, the peak").arg(time) : time;
}

AliveAtMoment::Anchor AliveAtMoment::anchorAt(std::int64_t time_ns) const {
    const Timeline& timeline = *scene_.timeline;
    const TimeRange whole = timeline.range();
    Anchor anchor;
    anchor.at_peak = pointAt(timeline.memory(), time_ns) == timeline.memory_peak();
    anchor.share = shareOf(whole, time_ns);
    for (std::uint32_t lane = 0; lane < timeline.lanes().size(); ++lane) {
        const Lane& events = timeline.lanes()[lane];
        if (events.description.kind != LaneKind::compute) continue;
        const std::uint32_t event = events.first_ending_after(time_ns);
        if (event >= events.size() || events.start_ns[event] > time_ns) continue;
        anchor.compute = timeline.event_name({lane, event});
        anchor.into_compute = shareOf(events.event(event), time_ns);
        break;
    }
    return anchor;
}

std::int64_t AliveAtMoment::placeOf(const Anchor& anchor) const {
    const Timeline& timeline = *scene_.timeline;
    if (anchor.at_peak) return timeline.memory().time_ns[timeline.memory_peak()];
    for (std::uint32_t lane = 0; lane < timeline.lanes().size() && !anchor.compute.empty(); ++lane) {
        const Lane& events = timeline.lanes()[lane];
        if (events.description.kind != LaneKind::compute) continue;
        for (std::uint32_t event = 0; event < events.size(); ++event)
            if (timeline.event_name({lane, event}) == anchor.compute)
                return timeAt(events.event(event), anchor.into_compute);
    }
    return timeAt(timeline.range(), anchor.share);
}

void AliveAtMoment::forget() {
    if (!time_ns_) return;
    time_ns_.reset();
    outdated_ = false;
    emit forgotten();
}

}  // namespace overlap::ui
