#include "core/io/json_scan.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace overlap {

namespace {

constexpr std::size_t npos = std::string_view::npos;

enum class Letter : std::uint8_t { other, quote, open, close, comma };

constexpr std::array<Letter, 256> letters = [] {
    std::array<Letter, 256> table{};
    table['"'] = Letter::quote;
    table['{'] = table['['] = Letter::open;
    table['}'] = table[']'] = Letter::close;
    table[','] = Letter::comma;
    return table;
}();

Letter letter_at(std::string_view text, std::size_t at) {
    return letters[static_cast<unsigned char>(text[at])];
}

bool is_white(char letter) {
    return letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r';
}

/// The place behind the quote that ends the string which begins in front of `at`; npos if it is not there.
std::size_t string_end(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const void* quote = std::memchr(text.data() + at, '"', text.size() - at);
        if (!quote) return npos;
        const auto place = static_cast<std::size_t>(static_cast<const char*>(quote) - text.data());
        std::size_t backslashes = 0;
        while (place - backslashes > at && text[place - backslashes - 1] == '\\') ++backslashes;
        if (backslashes % 2 == 0) return place + 1;
        at = place + 1;
    }
    return npos;
}

}  // namespace

std::size_t json_value_end(std::string_view text) {
    if (text.empty()) return npos;
    const Letter first = letter_at(text, 0);
    if (first == Letter::quote) return string_end(text, 1);
    std::size_t depth = 0, at = 0;
    while (at < text.size()) {
        switch (letter_at(text, at)) {
            case Letter::quote:
                at = string_end(text, at + 1);
                if (at == npos) return npos;
                continue;
            case Letter::open:
                ++depth;
                break;
            case Letter::close:
                if (depth == 0) return at;
                if (--depth == 0) return at + 1;
                break;
            case Letter::comma:
                if (depth == 0) return at;
                break;
            case Letter::other:
                if (depth == 0 && is_white(text[at])) return at;
                break;
        }
        ++at;
    }
    return npos;
}

JsonListCut json_list_cut(std::string_view text) {
    JsonListCut cut;
    std::size_t depth = 0, at = 0;
    const std::size_t size = text.size();
    while (true) {
        while (at < size && letter_at(text, at) == Letter::other) ++at;
        if (at >= size) break;
        switch (letter_at(text, at)) {
            case Letter::quote:
                at = string_end(text, at + 1);
                if (at == npos) return cut;
                continue;
            case Letter::open:
                ++depth;
                break;
            case Letter::close:
                if (depth == 0) return {at, true, false};
                --depth;
                break;
            default:
                if (depth == 0) cut.place = at;
                break;
        }
        ++at;
    }
    cut.is_whole = depth == 0;
    return cut;
}

}  // namespace overlap
