#include "core/files/json_list_pieces.h"

#include <algorithm>

#include "core/files/json_scan.h"

namespace overlap {

namespace {

constexpr std::size_t npos = std::string_view::npos;
constexpr std::string_view white = " \n\t\r";
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// The place of the first letter from `at` on that is not white, where it is `letter`; else npos.
std::size_t find_next(std::string_view text, std::size_t at, char letter) {
    const std::size_t place = text.find_first_not_of(white, at);
    return place != npos && text[place] == letter ? place : npos;
}

/// The place of the bracket that opens the list of the member `key` of the outermost object.
std::size_t find_list(std::string_view text, std::string_view key) {
    std::size_t at = find_next(text, text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0, '{');
    while (at != npos) {
        const std::size_t quote = find_next(text, at + 1, '"');
        if (quote == npos) return npos;
        const std::size_t length = json_value_end(text.substr(quote));
        if (length == npos) return npos;
        const std::string_view name = text.substr(quote + 1, length - 2);
        if (name.find('\\') != npos) return npos;
        const std::size_t colon = find_next(text, quote + length, ':');
        if (colon == npos) return npos;
        if (name == key) return find_next(text, colon + 1, '[');
        const std::size_t value = text.find_first_not_of(white, colon + 1);
        if (value == npos) return npos;
        const std::size_t value_length = json_value_end(text.substr(value));
        if (value_length == npos) return npos;
        at = find_next(text, value + value_length, ',');
    }
    return npos;
}

bool is_blank(std::string_view text) {
    return text.find_first_not_of(white) == npos;
}

}  // namespace

std::optional<JsonListPieces> json_list_pieces(std::string_view document, std::string_view key, std::size_t piece_bytes,
                                               const std::stop_token& stop) {
    const std::size_t open = find_list(document, key);
    if (open == npos) return std::nullopt;
    JsonListPieces taken;
    std::size_t begin = open + 1, room = piece_bytes;
    while (true) {
        if (stop.stop_requested()) return std::nullopt;
        const JsonListCut cut = json_list_cut(document.substr(begin, room));
        if (cut.place == npos) {  // an entry continues beyond the limit
            if (room >= document.size() - begin) return std::nullopt;
            room *= 2;
            continue;
        }
        const std::string_view piece = document.substr(begin, cut.place);
        begin += cut.place;
        const bool is_empty_list = cut.is_closed && taken.pieces.empty();
        if (is_blank(piece)) {
            if (!is_empty_list) return std::nullopt;  // nothing between two commas, or behind the last
        } else {
            taken.pieces.push_back(piece);
        }
        if (cut.is_closed) break;
        ++begin;
        room = piece_bytes;
    }
    if (document[begin] != ']') return std::nullopt;
    taken.rest.append(document.substr(0, open + 1)).append(document.substr(begin));
    return taken;
}

}  // namespace overlap
