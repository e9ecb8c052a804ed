#include "core/graph/naming.h"

#include <charconv>

namespace overlap {

NameParts split_name(std::string_view name) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    // "_<digits>" at the end is a number when something stands before it.
    if (digits == name.size() || digits < 2 || name[digits - 1] != '_') return {name, -1};
    NameParts parts{name.substr(0, digits - 1), 0};
    const auto [end, error] = std::from_chars(name.data() + digits, name.data() + name.size(), parts.number);
    if (error != std::errc{}) return {name, -1};
    return parts;
}

void NamingState::remember(StringPool& strings, StringId name) {
    const NameParts parts = split_name(strings.text(name));
    std::int64_t& last = last_number[strings.intern(parts.base)];
    if (parts.number >= 0) last = parts.number;
}

}  // namespace overlap
