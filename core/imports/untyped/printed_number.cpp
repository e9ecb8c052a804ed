#include "core/imports/untyped/printed_number.h"

#include <charconv>
#include <cstdint>

namespace overlap {

std::optional<Value> printed_number(GraphBuilder& builder, std::string_view text) {
    const std::string_view unsigned_text = text.substr(text.starts_with('-') ? 1 : 0);
    // The library takes words such as "Infinity" for numbers, too.
    if (unsigned_text.find_first_of("0123456789.") != 0) return {};
    const char* const end = text.data() + text.size();
    if (unsigned_text.find_first_not_of("0123456789") == std::string_view::npos) {
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
