#include "core/search/search_front.h"

#include <algorithm>
#include <limits>

namespace overlap {
namespace {

constexpr std::int64_t limit_count = 10;

const Candidate* best_within(const std::vector<const Candidate*>& plans, std::int64_t limit) {
    const Candidate* best = nullptr;
    for (const Candidate* candidate : plans) {
        if (candidate->corrected_peak_bytes > limit) continue;
        const bool is_shorter = !best || candidate->step_ms < best->step_ms;
        const bool is_smaller =
            best && candidate->step_ms == best->step_ms && candidate->corrected_peak_bytes < best->corrected_peak_bytes;
        if (is_shorter || is_smaller) best = candidate;
    }
    return best;
}

void mark_knee(std::vector<FrontPoint>& front) {
    if (front.size() < 3) return;
    const FrontPoint first = front.front(), last = front.back();
    const auto wide = static_cast<double>(last.limit_bytes - first.limit_bytes);
    const double high = first.step_ms - last.step_ms;
    if (wide <= 0 || high <= 0) return;
    const auto gain = [&](const FrontPoint& point) {
        return (first.step_ms - point.step_ms) / high -
               static_cast<double>(point.limit_bytes - first.limit_bytes) / wide;
    };
    std::ranges::max_element(front, {}, gain)->knee = true;
}

}  // namespace

std::vector<FrontPoint> front_of(const std::vector<Candidate>& usable, const Candidate& recommended,
                                 const BoundUnderLimits& bounds, std::optional<std::int64_t> asked,
                                 const std::stop_token& stop) {
    // First, since of plans with the same step and peak the first one counts.
    std::vector<const Candidate*> plans{&recommended};
    for (const Candidate& candidate : usable) plans.push_back(&candidate);
    const auto peak = [](const Candidate* candidate) { return candidate->corrected_peak_bytes; };
    const std::int64_t least = peak(std::ranges::min(plans, {}, peak));
    const std::int64_t most = peak(best_within(plans, std::numeric_limits<std::int64_t>::max()));
    // Where nobody waits any more, that of plans within no limit, which holds at every one and is known at once.
    std::optional<double> at_every_limit_ms;
    const auto bound_ms = [&](std::int64_t limit) {
        if (!stop.stop_requested()) return bounds.at(limit).step_ms;
        if (!at_every_limit_ms) at_every_limit_ms = bounds.at({}).step_ms;
        return *at_every_limit_ms;
    };
    std::vector<std::int64_t> at;
    for (std::int64_t index = 0; index + 1 < limit_count; ++index)
        at.push_back(least + (most - least) / (limit_count - 1) * index);
    at.push_back(most);
    for (const std::int64_t limit : {peak(&recommended), asked.value_or(least)})
        if (limit > least && limit < most) at.insert(std::ranges::upper_bound(at, limit), limit);
    std::vector<FrontPoint> front;
    for (const std::int64_t limit : at) {
        const Candidate* best = best_within(plans, limit);
        if (!front.empty() && front.back().peak_bytes == best->corrected_peak_bytes) continue;
        front.push_back({limit, best->step_ms, best->corrected_peak_bytes, bound_ms(limit), best->origin, best->plan,
                         best->made_groups});
    }
    mark_knee(front);
    return front;
}

}  // namespace overlap
