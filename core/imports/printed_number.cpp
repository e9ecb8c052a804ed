#include "core/imports/printed_number.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace overlap {
namespace {

bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

}  // namespace

std::optional<Value> printed_number(GraphBuilder& builder, std::string_view text) {
    const std::string_view unsigned_text = text.substr(text.starts_with('-') ? 1 : 0);
    // The library takes words such as "Infinity" for numbers, too.
    if (unsigned_text.empty() || !(is_digit(unsigned_text[0]) || unsigned_text[0] == '.')) return {};
    const char* const end = text.data() + text.size();
    if (std::ranges::all_of(unsigned_text, is_digit)) {
        if (unsigned_text.size() > 1 && unsigned_text[0] == '0') return {};
        std::int64_t integer = 0;
        if (std::from_chars(text.data(), end, integer).ec == std::errc()) return Value::of_integer(integer);
        return builder.string(text, ValueKind::raw_json);
    }
    double number = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end) return {};
    return Value::of_floating(number);
}

}  // namespace overlap
