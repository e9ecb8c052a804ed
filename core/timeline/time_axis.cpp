#include "core/timeline/time_axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace overlap {
namespace {

struct Unit {
    std::int64_t ns;
    int digits;  ///< decimal digits between it and a nanosecond
    const char* name;
};

Unit unit_for(std::int64_t largest_ns) {
    constexpr Unit nanoseconds{1, 0, "ns"};
    constexpr Unit microseconds{1'000, 3, "µs"};
    constexpr Unit milliseconds{1'000'000, 6, "ms"};
    constexpr Unit seconds{1'000'000'000, 9, "s"};
    if (largest_ns < 1'000) return nanoseconds;
    if (largest_ns < 1'000'000) return microseconds;
    if (largest_ns < 10'000'000'000) return milliseconds;
    return seconds;
}

int decimals_for(std::int64_t step_ns, const Unit& unit) {
    int decimals = unit.digits;
    while (decimals > 0 && step_ns % 10 == 0) {
        step_ns /= 10;
        --decimals;
    }
    return decimals;
}

}  // namespace

std::int64_t TimeAxis::time_at(double x_px) const {
    return range.begin_ns + static_cast<std::int64_t>(std::floor(x_px * ns_per_px()));
}

TimeRange clamped(TimeRange range, TimeRange limits) {
    const std::int64_t longest = std::max(limits.length_ns(), shortest_view_ns);
    const std::int64_t length = std::clamp(range.length_ns(), shortest_view_ns, longest);
    const std::int64_t last_begin = std::max(limits.begin_ns, limits.begin_ns + longest - length);
    const std::int64_t begin = std::clamp(range.begin_ns, limits.begin_ns, last_begin);
    return {begin, begin + length};
}

TimeRange zoomed(TimeRange range, double factor, double pivot, TimeRange limits) {
    const double length = static_cast<double>(range.length_ns());
    const double longest = static_cast<double>(std::max(limits.length_ns(), shortest_view_ns));
    const double wanted = std::clamp(length * factor, static_cast<double>(shortest_view_ns), longest);
    const std::int64_t begin = range.begin_ns + std::llround((length - wanted) * pivot);
    return clamped({begin, begin + std::llround(wanted)}, limits);
}

TimeRange panned(TimeRange range, double share, TimeRange limits) {
    const std::int64_t distance = std::llround(static_cast<double>(range.length_ns()) * share);
    return clamped({range.begin_ns + distance, range.end_ns + distance}, limits);
}

std::int64_t tick_step_ns(const TimeAxis& axis, double min_spacing_px) {
    const double wanted = axis.ns_per_px() * min_spacing_px;
    constexpr std::int64_t largest_decade = 100'000'000'000'000'000;
    for (std::int64_t decade = 1; decade <= largest_decade; decade *= 10) {
        for (const std::int64_t step : {decade, 2 * decade, 5 * decade}) {
            if (static_cast<double>(step) >= wanted) return step;
        }
    }
    return 10 * largest_decade;
}

std::vector<Tick> ticks(const TimeAxis& axis, std::int64_t step_ns) {
    std::vector<Tick> result;
    std::int64_t time_ns = axis.range.begin_ns / step_ns * step_ns;
    if (time_ns < axis.range.begin_ns) time_ns += step_ns;
    for (; time_ns <= axis.range.end_ns; time_ns += step_ns) result.push_back({time_ns, axis.x_of(time_ns)});
    return result;
}

std::string tick_label(std::int64_t time_ns, std::int64_t step_ns, std::int64_t largest_ns) {
    if (time_ns == 0) return "0 ms";
    const Unit unit = unit_for(std::llabs(largest_ns));
    const int decimals = decimals_for(step_ns, unit);
    const std::int64_t magnitude = std::llabs(time_ns);
    std::string label = time_ns < 0 ? "\u2212" : "";
    label += std::to_string(magnitude / unit.ns);
    if (decimals > 0) {
        std::array<char, 24> digits{};
        std::snprintf(digits.data(), digits.size(), "%0*lld", unit.digits, static_cast<long long>(magnitude % unit.ns));
        label += '.';
        label.append(digits.data(), static_cast<std::size_t>(decimals));
    }
    label += ' ';
    label += unit.name;
    return label;
}

}  // namespace overlap
