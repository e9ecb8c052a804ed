#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace overlap {

/// As much of `text` as a message should quote, cut between characters.
inline std::string shortened(std::string_view text) {
    constexpr std::size_t longest = 60;
    if (text.size() <= longest) return std::string(text);
    std::size_t length = longest;
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
    return std::string(text.substr(0, length)) + "...";
}

/// `text` between double quotes, as messages show names that the user or a file gave.
inline std::string in_quotes(std::string_view text) {
    std::string quoted = "\"";
    quoted += text;
    return quoted += '"';
}

}  // namespace overlap
