#include "core/files/json_writer.h"

#include <charconv>
#include <cmath>

namespace overlap {

void JsonWriter::separate() {
    if (needs_comma_) text_ += ',';
    needs_comma_ = true;
}

JsonWriter& JsonWriter::begin(char bracket) {
    separate();
    text_ += bracket;
    needs_comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
    text_ += bracket;
    needs_comma_ = true;
    return *this;
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
    char digits[32];
    const auto written = std::to_chars(digits, digits + sizeof digits, number);
    text_.append(digits, written.ptr);
    return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
    separate();
    char digits[32];
    const auto written = std::to_chars(digits, digits + sizeof digits, number);
    text_.append(digits, written.ptr);
    return *this;
}

JsonWriter& JsonWriter::null() {
    separate();
    text_ += "null";
    return *this;
}

void JsonWriter::quote(std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    text_ += '"';
    for (const char character : text) {
        const auto code = static_cast<unsigned char>(character);
        if (character == '"' || character == '\\') {
            text_ += '\\';
            text_ += character;
        } else if (code < 0x20) {
            text_ += "\\u00";
            text_ += hex[code >> 4];
            text_ += hex[code & 15];
        } else {
            text_ += character;
        }
    }
    text_ += '"';
}

}  // namespace overlap
