#include "core/timeline/timeline.h"

#include <algorithm>

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

std::span<const Timeline::Occurrence> Timeline::find(std::uint32_t reference) const {
    const auto first = std::lower_bound(occurrences_.begin(), occurrences_.end(), reference,
                                        [](const Occurrence& a, std::uint32_t b) { return a.reference < b; });
    const auto end = std::upper_bound(first, occurrences_.end(), reference,
                                      [](std::uint32_t a, const Occurrence& b) { return a < b.reference; });
    return {first, end};
}

}  // namespace overlap
