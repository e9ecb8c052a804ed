#include "core/base/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "core/base/scaled_time.h"

namespace overlap {

namespace {

/// The greatest double has 309 digits in front of the point.
constexpr std::size_t longest_number = 400;
/// Less is no nanosecond, with three decimals.
constexpr double least_time_ms = 0.0005e-6;

}  // namespace

// Not printf's: its decimal point follows the locale.
std::string fixed_text(double value, int decimals) {
    std::array<char, longest_number> digits;
    const auto written =
        std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed, decimals);
    std::string text(digits.data(), written.ptr);
    // Zero after rounding is neither below nor above it.
    if (text.find_first_not_of("-0.") == std::string::npos && text.front() == '-') text.erase(0, 1);
    return text;
}

std::string number_text(double value, int most_decimals) {
    std::string text = fixed_text(value, most_decimals);
    if (text.find('.') == std::string::npos) return text;
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

std::string number_text(double value) {
    return number_text(value, decimals_for(value, 4));
}

std::string shortest_text(double value) {
    std::array<char, 32> digits;
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return {digits.data(), written.ptr};
}

std::string time_text(double time_ms) {
    if (std::abs(time_ms) < least_time_ms) return "0 ms";
    const ScaledTime time = scaled_time(time_ms);
    return number_text(time.value, time.decimals).append(time.unit);
}

std::string milliseconds_text(double time_ms) {
    return fixed_text(time_ms, 3) + " ms";
}

std::string bytes_text(std::int64_t bytes) {
    constexpr std::array<std::string_view, 5> units = {" B", " KiB", " MiB", " GiB", " TiB"};
    double amount = static_cast<double>(bytes);
    if (std::abs(amount) < 1024) return std::to_string(bytes) + std::string(units.front());
    std::size_t unit = 0;
    // 1,000 MiB reads better as 0.977 GiB than four digits do beside a neighbour in GiB; so the step is at 1,000.
    while (std::abs(amount) >= 999.95 && unit + 1 < units.size()) {
        amount /= 1024;
        ++unit;
    }
    return number_text(amount) + std::string(units[unit]);
}

std::string percent_text(std::optional<double> percent) {
    return percent ? fixed_text(*percent, 2) + " %" : "-";
}

}  // namespace overlap
