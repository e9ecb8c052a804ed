#include "core/timeline/lane.h"

#include <algorithm>

namespace overlap {

std::uint32_t Lane::first_ending_after(std::int64_t time_ns) const {
    return static_cast<std::uint32_t>(std::upper_bound(end_ns.begin(), end_ns.end(), time_ns) - end_ns.begin());
}

std::uint32_t Lane::gallop(std::int64_t time_ns, std::uint32_t from) const {
    const std::size_t count = end_ns.size();
    std::size_t low = from;
    std::size_t high = from;
    std::size_t step = 1;
    while (high < count && end_ns[high] <= time_ns) {
        low = high + 1;
        high += step;
        step *= 2;
    }
    const auto begin = end_ns.begin();
    const auto found = std::upper_bound(begin + static_cast<std::ptrdiff_t>(std::min(low, count)),
                                        begin + static_cast<std::ptrdiff_t>(std::min(high, count)), time_ns);
    return static_cast<std::uint32_t>(found - begin);
}

Lane Lane::subset(std::span<const std::uint32_t> events) const {
    Lane chosen;
    chosen.description = description;
    chosen.group = group;
    chosen.depth = depth;
    for (const std::uint32_t event : events) {
        chosen.start_ns.push_back(start_ns[event]);
        chosen.end_ns.push_back(end_ns[event]);
        chosen.exposed_ns.push_back(exposed_ns[event]);
        chosen.name.push_back(name[event]);
        chosen.role.push_back(role[event]);
        chosen.reference.push_back(reference[event]);
    }
    chosen.open_end = !events.empty() && is_open_ended(events.back());
    return chosen;
}

}  // namespace overlap
