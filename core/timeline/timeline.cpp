#include "core/timeline/timeline.h"

#include <algorithm>
#include <cstdlib>

namespace overlap {

std::size_t MemoryCurve::peak() const {
    return static_cast<std::size_t>(std::max_element(bytes.begin(), bytes.end()) - bytes.begin());
}

std::string_view Timeline::event_name(EventLocation location) const {
    return names_[lanes_[location.lane].name[location.event]];
}

std::uint32_t Timeline::reference(EventLocation location) const {
    return lanes_[location.lane].reference[location.event];
}

std::int64_t Timeline::exposed_ns(EventLocation location) const {
    constexpr std::int64_t rounding_ns = 1;
    const std::int64_t beside_ns = lanes_[location.lane].exposed_ns[location.event];
    if (beside_ns <= 0 || !has_role(EventRole::exposed)) return beside_ns;
    // The stalls are events of their own. They end with what they are for; the same node on another rank has others.
    const std::int64_t end_ns = event(location).end_ns;
    std::int64_t stalled_ns = 0;
    for (const Occurrence& occurrence : find(reference(location))) {
        const Lane& lane = lanes_[occurrence.location.lane];
        const TimeRange time = event(occurrence.location);
        if (lane.role[occurrence.location.event] == EventRole::exposed && std::abs(time.end_ns - end_ns) <= rounding_ns)
            stalled_ns = std::max(stalled_ns, time.length_ns());
    }
    return std::max(beside_ns, stalled_ns);
}

std::span<const Timeline::Occurrence> Timeline::find(std::uint32_t reference) const {
    const auto first = std::lower_bound(occurrences_.begin(), occurrences_.end(), reference,
                                        [](const Occurrence& a, std::uint32_t b) { return a.reference < b; });
    const auto end = std::upper_bound(first, occurrences_.end(), reference,
                                      [](std::uint32_t a, const Occurrence& b) { return a < b.reference; });
    return {first, end};
}

}  // namespace overlap
