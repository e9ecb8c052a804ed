#include "core/base/text_place.h"

#include <algorithm>

namespace overlap {

std::string text_place(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte, text.size()));
    const std::size_t last_break = before.rfind('\n');
    const std::string_view in_line = last_break == std::string_view::npos ? before : before.substr(last_break + 1);
    const auto begins_a_character = [](char letter) { return (static_cast<unsigned char>(letter) & 0xc0) != 0x80; };
    const auto line = 1 + std::ranges::count(before, '\n');
    const auto column = 1 + std::ranges::count_if(in_line, begins_a_character);
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

}  // namespace overlap
