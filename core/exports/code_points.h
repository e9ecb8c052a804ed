#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace overlap {

/// Replaces bytes that are not UTF-8.
inline constexpr char32_t replacement_character = 0xfffd;

/// Takes the first code point off a text that is not empty; bytes that are no UTF-8 (too short, too long, surrogates)
/// are taken one by one as replacement_character.
inline char32_t take_code_point(std::string_view& text) {
    const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
    const unsigned char first = byte(0);
    std::size_t length = 1;
    char32_t point = first;
    char32_t smallest = 0;
    if (first >= 0xf0 && first < 0xf8) {
        length = 4, point = first & 0x07u, smallest = 0x10000;
    } else if (first >= 0xe0 && first < 0xf0) {
        length = 3, point = first & 0x0fu, smallest = 0x800;
    } else if (first >= 0xc0 && first < 0xe0) {
        length = 2, point = first & 0x1fu, smallest = 0x80;
    } else if (first >= 0x80) {
        text.remove_prefix(1);
        return replacement_character;
    }
    bool valid = text.size() >= length;
    for (std::size_t index = 1; valid && index < length; ++index) {
        valid = (byte(index) & 0xc0) == 0x80;
        point = point << 6 | (byte(index) & 0x3fu);
    }
    valid = valid && point >= smallest && point < 0x110000 && (point < 0xd800 || point >= 0xe000);
    text.remove_prefix(valid ? length : 1);
    return valid ? point : replacement_character;
}

/// Characters that show nothing themselves, or that change how their neighbours are shown: controls, line and paragraph
/// separators, marks of zero width and of direction.
inline bool is_invisible(char32_t point) {
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0xad || point == 0x61c ||
           (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2060 && point <= 0x206f) || point == 0xfeff;
}

/// As much of `text` as `longest` bytes hold, cut between characters.
inline std::string_view beginning_of(std::string_view text, std::size_t longest) {
    if (text.size() <= longest) return text;
    while (longest > 0 && (static_cast<unsigned char>(text[longest]) & 0xc0) == 0x80) --longest;
    return text.substr(0, longest);
}

}  // namespace overlap
