#include "core/files/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>

namespace overlap {

namespace {

/// Appends the shortest text that reads back as `number`. @return that text.
template <typename Number>
std::string_view append_number(std::string& text, Number number) {
    char digits[32];
    const auto written = std::to_chars(digits, digits + sizeof digits, number);
    const auto length = static_cast<std::size_t>(written.ptr - digits);
    text.append(digits, length);
    return std::string_view(text).substr(text.size() - length);
}

/// Letters that JSON wants escaped. A table, since strings are most of a graph's text.
constexpr std::array<bool, 256> is_escaped = [] {
    std::array<bool, 256> table{};
    for (std::size_t code = 0; code < 0x20; ++code) table[code] = true;
    table['"'] = table['\\'] = true;
    return table;
}();

void append_escaped(std::string& text, char character) {
    constexpr std::string_view hexadecimal = "0123456789abcdef";
    const auto code = static_cast<unsigned char>(character);
    text += '\\';
    switch (character) {
        case '"':
        case '\\':
            text += character;
            break;
        case '\n':
            text += 'n';
            break;
        case '\t':
            text += 't';
            break;
        case '\r':
            text += 'r';
            break;
        default:
            text += "u00";
            text += hexadecimal[code >> 4];
            text += hexadecimal[code & 15];
    }
}

}  // namespace

void JsonWriter::clear() {
    text_.clear();
    needs_comma_ = false;
}

JsonWriter& JsonWriter::key(std::string_view name) {
    separate();
    quote(name);
    text_ += ':';
    needs_comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
    separate();
    quote(text);
    return *this;
}

JsonWriter& JsonWriter::value(double number) {
    if (!std::isfinite(number)) return null();
    separate();
    append_number(text_, number);
    return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
    separate();
    append_number(text_, number);
    return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
    return json(truth ? "true" : "false");
}

JsonWriter& JsonWriter::floating(double number) {
    if (!std::isfinite(number)) return null();
    separate();
    if (append_number(text_, number).find_first_of(".e") == std::string_view::npos) text_ += ".0";
    return *this;
}

JsonWriter& JsonWriter::null() {
    return json("null");
}

JsonWriter& JsonWriter::json(std::string_view text) {
    separate();
    text_ += text;
    return *this;
}

JsonWriter& JsonWriter::members(std::string_view object_json) {
    return object_json.size() <= 2 ? *this : json(object_json.substr(1, object_json.size() - 2));
}

void JsonWriter::quote(std::string_view text) {
    text_ += '"';
    std::size_t copied = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!is_escaped[static_cast<unsigned char>(text[at])]) continue;
        text_.append(text, copied, at - copied);
        copied = at + 1;
        append_escaped(text_, text[at]);
    }
    text_.append(text, copied);
    text_ += '"';
}

}  // namespace overlap
