#include "ui/timeline/alive/alive_at_moment.h"

#include <algorithm>

#include "ui/timeline/drawing/ruler.h"

namespace overlap::ui {
namespace {

/// The point of `curve`, which is not empty, that holds at `time_ns`.
std::size_t pointAt(const MemoryCurve& curve, std::int64_t time_ns) {
    const auto after = std::ranges::upper_bound(curve.time_ns, time_ns) - curve.time_ns.begin();
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - 1));
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
    if (!canShow()) return;
    time_ns_ = time_ns;
    emit listed(provider_(pointAt(scene_.timeline->memory(), time_ns)), momentText(time_ns, scene_.axis()));
}

void AliveAtMoment::forget() {
    if (!time_ns_) return;
    time_ns_.reset();
    emit forgotten();
}

}  // namespace overlap::ui
