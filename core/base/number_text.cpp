#include "core/base/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace overlap {

namespace {

/// Four significant digits without exponent or trailing zeros. Not printf's %g: it follows the locale.
std::string four_digits(double value) {
    int decimals = 3;
    for (double magnitude = std::abs(value); magnitude >= 9.9995 && decimals > 0; magnitude /= 10) --decimals;
    std::array<char, 64> digits{};
    const auto [end, error] =
        std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed, decimals);
    std::string text(digits.data(), end);
    if (text.find('.') == std::string::npos) return text;
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

}  // namespace

std::string time_text(double time_ms) {
    const double magnitude = std::abs(time_ms);
    if (magnitude >= 9999.5) return four_digits(time_ms / 1e3) + " s";
    if (magnitude == 0 || magnitude >= 0.1) return four_digits(time_ms) + " ms";
    if (magnitude >= 0.9995e-3) return four_digits(time_ms * 1e3) + " µs";
    return four_digits(time_ms * 1e6) + " ns";
}

std::string bytes_text(std::int64_t bytes) {
    constexpr std::array<std::string_view, 5> units = {" B", " KiB", " MiB", " GiB", " TiB"};
    double amount = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (std::abs(amount) >= 1024 && unit + 1 < units.size()) {
        amount /= 1024;
        ++unit;
    }
    return four_digits(amount) + std::string(units[unit]);
}

}  // namespace overlap
