#include "core/base/grouped_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "core/base/number_text.h"

namespace overlap {
namespace {

constexpr double least_with_exponent = 1e15;

void group_digits(std::string& text) {
    const std::size_t first = text.starts_with('-') ? 1 : 0;
    for (std::size_t place = std::min(text.find('.'), text.size()); place > first + 3;) {
        place -= 3;
        text.insert(place, 1, ',');
    }
}

}  // namespace

std::string grouped_text(double value) {
    if (!(std::abs(value) < least_with_exponent)) {
        std::string text = shortest_text(value);
        std::erase(text, '+');
        return text;
    }
    std::array<char, 400> digits;  // the smallest number has 323 zeros behind the point
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed);
    std::string text(digits.data(), written.ptr);
    group_digits(text);
    return text;
}

std::string grouped_count(std::int64_t value) {
    std::string text = std::to_string(value);
    group_digits(text);
    return text;
}

}  // namespace overlap
