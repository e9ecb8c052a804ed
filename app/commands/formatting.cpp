#include "app/commands/formatting.h"

#include <algorithm>
#include <iostream>

#include "core/base/error.h"

namespace overlap::commands {

namespace {

bool continues_a_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

std::size_t character_count(std::string_view text) {
    return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_a_character));
}

/// The character that `text` begins with, and its length in bytes. A byte that begins none counts as one character.
std::pair<char32_t, std::size_t> first_character(std::string_view text) {
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t length = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (length == 1 || first > 0xf4 || text.size() < length) return {first, 1};
    char32_t letter = first & (0x7fu >> length);
    for (std::size_t index = 1; index < length; ++index) {
        if (!continues_a_character(text[index])) return {first, 1};
        letter = letter << 6 | (static_cast<unsigned char>(text[index]) & 0x3fu);
    }
    return {letter, length};
}

/// Whether a terminal shows a character as itself, in its place on the line.
bool is_seen(char32_t letter) {
    const bool is_control = letter < 0x20 || (letter >= 0x7f && letter < 0xa0);
    const bool breaks_lines = letter == 0x2028 || letter == 0x2029;
    const bool directs = letter == 0x61c || letter == 0x200e || letter == 0x200f ||
                         (letter >= 0x202a && letter <= 0x202e) || (letter >= 0x2066 && letter <= 0x2069);
    return !is_control && !breaks_lines && !directs;
}

}  // namespace

std::string one_line(std::string_view text) {
    std::string line;
    line.reserve(text.size());
    while (!text.empty()) {
        const auto [letter, length] = first_character(text);
        if (is_seen(letter)) {
            line += text.substr(0, length);
        } else {
            line += ' ';
        }
        text.remove_prefix(length);
    }
    return line;
}

std::string name_text(std::string_view name, std::size_t longest) {
    std::size_t characters = 0;
    for (std::size_t index = 0; index < name.size(); ++index) {
        if (continues_a_character(name[index]) || ++characters <= longest) continue;
        return one_line(name.substr(0, index)) + "...";
    }
    return one_line(name);
}

void require_standard_output() {
    std::cout.flush();
    if (!std::cout) throw InputError("standard output", "cannot be written");
}

std::string json_text(const nlohmann::ordered_json& json) {
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

TextTable::TextTable(std::vector<std::string> header) {
    rows_.push_back(std::move(header));
}

void TextTable::add(std::vector<std::string> cells) {
    for (std::string& cell : cells) cell = one_line(cell);
    rows_.push_back(std::move(cells));
}

void TextTable::write(std::ostream& out, const std::string& indent) const {
    std::vector<std::size_t> widths(rows_.front().size(), 0);
    for (const std::vector<std::string>& row : rows_) {
        for (std::size_t column = 0; column < row.size(); ++column) {
            widths[column] = std::max(widths[column], character_count(row[column]));
        }
    }
    for (const std::vector<std::string>& row : rows_) {
        std::string line = indent;
        for (std::size_t column = 0; column < row.size(); ++column) {
            const std::string padding(widths[column] - character_count(row[column]), ' ');
            if (column > 0) line += "  ";
            line += column == 0 ? row[column] + padding : padding + row[column];
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out << line << '\n';
    }
}

}  // namespace overlap::commands
