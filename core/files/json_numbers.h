#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace overlap {

/// simdjson holds numbers as 64-bit integers or doubles. A number that would lose digits so (an integer beyond 64 bits,
/// more digits than a double has, a magnitude that no double has) is put into a separate object before parsing,
/// `{"\u0000number": "DIGITS"}`; readers and writers of this folder know that object.

/// True when `text` may hold such a number. Cheap; has false alarms for digits in strings, never misses an
/// integer beyond 64 bits or a number of more digits than a double has.
bool may_have_wide_numbers(std::string_view text);

/// The document with each such number wrapped, or nothing when there is none. Text that is not JSON gives any text
/// that is not JSON either.
std::optional<std::string> wrap_wide_numbers(std::string_view text);

/// Key of the object that holds a wrapped number.
inline constexpr std::string_view wide_number_key = std::string_view("\0number", 7);

}  // namespace overlap
