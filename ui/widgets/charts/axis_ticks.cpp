#include "ui/widgets/charts/axis_ticks.h"

#include <array>
#include <cmath>
#include <cstdint>

namespace overlap::ui {
namespace {

struct Scale {
    double size;  ///< in milliseconds or bytes
    const char* name;
};
constexpr std::array times{Scale{1e-6, "ns"}, Scale{1e-3, "µs"}, Scale{1, "ms"}, Scale{1e4, "s"}};
constexpr std::array bytes{Scale{1, "B"}, Scale{1 << 10, "KiB"}, Scale{1 << 20, "MiB"}, Scale{1 << 30, "GiB"},
                           Scale{1099511627776.0, "TiB"}};

/// The largest unit of which the axis has one.
template <std::size_t count>
Scale scaleOf(const std::array<Scale, count>& scales, double highest) {
    Scale scale = scales.front();
    for (const Scale& larger : scales)
        if (highest >= larger.size) scale = larger;
    return scale;
}

}  // namespace

std::vector<AxisTick> axisTicks(double lowest, double highest, Unit unit, int most) {
    if (!(highest > lowest) || most < 1) return {};
    Scale scale = unit == Unit::Time ? scaleOf(times, highest) : scaleOf(bytes, highest);
    if (unit == Unit::Time && scale.size == times.back().size) scale.size = 1000;  // seconds from ten of them
    const double from = lowest / scale.size, to = highest / scale.size;
    const auto first = [&](double step) { return std::ceil(from / step - 1e-9); };
    const auto last = [&](double step) { return std::floor(to / step + 1e-9); };
    int exponent = static_cast<int>(std::floor(std::log10((to - from) / most))) - 1;
    double step = 0;
    for (int place = 0; step == 0 || last(step) - first(step) + 1 > most; ++place) {
        constexpr std::array factors{1.0, 2.0, 5.0};
        step = factors[static_cast<std::size_t>(place % 3)] * std::pow(10.0, exponent + place / 3);
    }
    int decimals = 0;
    while (decimals < 9 &&
           std::abs(step * std::pow(10.0, decimals) - std::round(step * std::pow(10.0, decimals))) > 1e-6)
        ++decimals;
    std::vector<AxisTick> ticks;
    for (double place = first(step); place <= last(step); ++place) {
        const double value = place * step;
        const bool no_time = unit == Unit::Time && place == 0;  // written in one way everywhere
        ticks.push_back({value * scale.size,
                         no_time ? formatTime(0)
                                 : QString::number(value, 'f', decimals) + thinSpace + QString::fromUtf8(scale.name)});
    }
    return ticks;
}

}  // namespace overlap::ui
