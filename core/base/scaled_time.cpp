#include "core/base/scaled_time.h"

#include <cmath>

namespace overlap {

int decimals_for(double value, int significant_digits) {
    int decimals = significant_digits - 1;
    const double rounds_to_ten = 10 - 0.5 * std::pow(10, -decimals);
    for (double magnitude = std::abs(value); magnitude >= rounds_to_ten && decimals > 0; magnitude /= 10) --decimals;
    return decimals;
}

ScaledTime scaled_time(double time_ms) {
    const double magnitude = std::abs(time_ms);
    if (magnitude >= 9999.95) return {time_ms / 1e3, " s", decimals_for(time_ms / 1e3, 5)};
    // Five digits: a limit, or another step, may lie between two whole milliseconds.
    if (magnitude >= 999.95) return {time_ms, " ms", 1};
    if (magnitude >= 0.1) return {time_ms, " ms", decimals_for(time_ms, 4)};
    if (magnitude >= 0.9995e-3) return {time_ms * 1e3, " µs", decimals_for(time_ms * 1e3, 4)};
    return {time_ms * 1e6, " ns", decimals_for(time_ms * 1e6, 4)};
}

}  // namespace overlap
