#include "ui/timeline/alive_at_moment.h"

#include <algorithm>

#include "ui/timeline/drawing/ruler.h"

namespace overlap::ui {
namespace {

constexpr int lowest_px = 96;
constexpr int highest_px = 480;
constexpr int narrowest_px = 240;
constexpr int widest_px = 640;
constexpr int margin_px = 8;
constexpr int beside_px = 12;  ///< from the moment

/// The point of `curve`, which is not empty, that holds at `time_ns`.
std::size_t pointAt(const MemoryCurve& curve, std::int64_t time_ns) {
    const auto after = std::ranges::upper_bound(curve.time_ns, time_ns) - curve.time_ns.begin();
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - 1));
}

}  // namespace

AliveAtMoment::AliveAtMoment(const TimelineScene& scene, QAbstractScrollArea& view) : scene_(scene), view_(view) {}

void AliveAtMoment::setProvider(Provider provider) {
    provider_ = std::move(provider);
}

bool AliveAtMoment::canShow() const {
    return provider_ && !scene_.timeline->memory().empty();
}

AlivePanel& AliveAtMoment::panel() {
    if (panel_) return *panel_;
    panel_ = new AlivePanel(&view_);
    connect(panel_, &AlivePanel::chosen, this, &AliveAtMoment::chosen);
    connect(panel_, &AlivePanel::closed, this, [this] {
        time_ns_.reset();
        emit closed();
        emit changed();
    });
    return *panel_;
}

void AliveAtMoment::show(std::int64_t time_ns) {
    if (!canShow()) return;
    time_ns_ = time_ns;
    panel().showTensors(provider_(pointAt(scene_.timeline->memory(), time_ns)), momentText(time_ns, scene_.axis()));
    layOut();
    panel().setFocus();
    emit changed();
}

void AliveAtMoment::forget() {
    if (panel_) panel_->hide();
    time_ns_.reset();
    emit changed();
}

void AliveAtMoment::layOut() {
    if (!panel_ || !time_ns_) return;
    const QSize size = view_.viewport()->size();
    const int left = scene_.geometry.lanes.left() + margin_px;
    const int right = size.width() - margin_px;
    const int bottom = size.height() - margin_px;
    const int width = std::min(widest_px, std::max(narrowest_px, right - left));
    const int height = std::clamp(bottom - scene_.geometry.ruler.bottom() - margin_px, lowest_px, highest_px);
    const int moment = static_cast<int>(scene_.xOf(*time_ns_));
    const bool fitsRight = moment + beside_px + width <= size.width();
    const int beside = fitsRight ? moment + beside_px : moment - beside_px - width;
    panel_->setGeometry(std::clamp(beside, left, std::max(left, right - width)), std::max(0, bottom - height), width,
                        height);
}

}  // namespace overlap::ui
