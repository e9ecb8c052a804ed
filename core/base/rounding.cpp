#include "core/base/rounding.h"

#include <array>
#include <charconv>
#include <cmath>

namespace overlap {

double round_to_six_decimals(double value) {
    constexpr double scale = 1e6;
    constexpr double largest_fast = 2147483648.0;  // below, value * 1e6 keeps at least one bit behind the point
    if (!std::isfinite(value)) return value;
    const double magnitude = std::fabs(value);
    if (magnitude >= largest_fast) {
        std::array<char, 400> text{};
        const auto written = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 6);
        double rounded = value;
        std::from_chars(text.data(), written.ptr, rounded);
        return rounded;
    }
    // The product is scaled + error exactly, so the comparison with one half below is exact too, near ties included.
    const double scaled = magnitude * scale;
    const double error = std::fma(magnitude, scale, -scaled);
    double whole = std::floor(scaled);
    const double above_half = (scaled - whole - 0.5) + error;
    if (above_half > 0 || (above_half == 0 && std::fmod(whole, 2) != 0)) whole += 1;
    // A whole number of millionths below 2^53 divided by 1e6 is the double nearest to that decimal.
    return std::copysign(whole / scale, value);
}

}  // namespace overlap
