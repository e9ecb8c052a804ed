#include "core/graph/naming.h"

#include <algorithm>
#include <charconv>

namespace overlap {

NameParts split_name(std::string_view name) {
    std::size_t digits = name.size();  // where those at the end begin
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
    // "_<digits>" at the end is a number when something stands before it.
    if (digits == name.size() || digits < 2 || name[digits - 1] != '_') return {name, -1};
    NameParts parts{name.substr(0, digits - 1), 0};
    const auto [end, error] = std::from_chars(name.data() + digits, name.data() + name.size(), parts.number);
    if (error != std::errc{}) return {name, -1};
    return parts;
}

std::int64_t& LastNumbers::operator[](StringId base) {
    if (2 * (entries_.size() + 1) > places_.size()) grow();
    std::uint32_t& entry = places_[place_of(base)];
    if (entry == free_place) {
        entry = static_cast<std::uint32_t>(entries_.size());
        entries_.push_back({base, 0});
    }
    return entries_[entry].number;
}

std::size_t LastNumbers::place_of(StringId base) const {
    const std::size_t mask = places_.size() - 1;
    // Neighbouring numbers come apart: bases are often interned one after the other.
    std::size_t place = (base * std::size_t{0x9e3779b97f4a7c15} >> 32) & mask;
    while (places_[place] != free_place && entries_[places_[place]].base != base) place = (place + 1) & mask;
    return place;
}

void LastNumbers::grow() {
    places_.assign(std::max<std::size_t>(64, 2 * places_.size()), free_place);
    for (std::uint32_t entry = 0; entry < entries_.size(); ++entry) places_[place_of(entries_[entry].base)] = entry;
}

void NamingState::remember(StringPool& strings, StringId name) {
    const NameParts parts = split_name(strings.text(name));
    std::int64_t& last = last_number[strings.intern(parts.base)];
    if (parts.number >= 0) last = parts.number;
}

}  // namespace overlap
