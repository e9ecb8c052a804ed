#include "core/trace/thread_number.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>

namespace overlap {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && last == end ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string thread_number(std::string_view thread) {
    const std::optional<std::int64_t> number = whole_number(thread);
    if (!number || *number >= 0) return std::string(thread);
    // 64 bits with a sign where 32 do not hold it.
    return *number >= std::numeric_limits<std::int32_t>::min() ? std::to_string(static_cast<std::uint32_t>(*number))
                                                               : std::to_string(static_cast<std::uint64_t>(*number));
}

bool is_thread_number(std::string_view thread) {
    return whole_number(thread).has_value();
}

}  // namespace overlap
