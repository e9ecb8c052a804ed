#include "core/files/json_text.h"

#include <array>
#include <charconv>

#include "core/files/json_numbers.h"

namespace overlap {

using simdjson::dom::element_type;

void append_json_string(std::string& text, std::string_view value) {
    constexpr std::string_view hexadecimal = "0123456789abcdef";
    text += '"';
    std::size_t copied = 0;
    for (std::size_t at = 0; at < value.size(); ++at) {
        const auto character = static_cast<unsigned char>(value[at]);
        if (character >= 0x20 && character != '"' && character != '\\') continue;
        text.append(value, copied, at - copied);
        copied = at + 1;
        text += '\\';
        switch (character) {
            case '"':
                text += '"';
                break;
            case '\\':
                text += '\\';
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
                text += hexadecimal[character >> 4];
                text += hexadecimal[character & 15];
        }
    }
    text.append(value, copied);
    text += '"';
}

void append_json_integer(std::string& text, std::int64_t value) {
    std::array<char, 24> digits;
    text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

void append_json_number(std::string& text, double value) {
    std::array<char, 40> digits;
    const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    const std::string_view written(digits.data(), static_cast<std::size_t>(end - digits.data()));
    text += written;
    if (written.find_first_of(".e") == std::string_view::npos) text += ".0";
}

void append_json(std::string& text, simdjson::dom::element value) {
    switch (value.type()) {
        case element_type::NULL_VALUE:
            text += "null";
            break;
        case element_type::BOOL:
            text += value.get_bool().value_unsafe() ? "true" : "false";
            break;
        case element_type::INT64:
            append_json_integer(text, value.get_int64().value_unsafe());
            break;
        case element_type::UINT64:
            text += std::to_string(value.get_uint64().value_unsafe());
            break;
        case element_type::DOUBLE:
            append_json_number(text, value.get_double().value_unsafe());
            break;
        case element_type::STRING:
            append_json_string(text, value.get_string().value_unsafe());
            break;
        case element_type::ARRAY: {
            const simdjson::dom::array items = value.get_array();
            char separator = '[';
            for (const simdjson::dom::element item : items) {
                text += separator;
                append_json(text, item);
                separator = ',';
            }
            text += separator == '[' ? "[]" : "]";
            break;
        }
        case element_type::OBJECT: {
            if (const std::string_view digits = wide_number(value); !digits.empty()) {
                text += digits;
                break;
            }
            const simdjson::dom::object members = value.get_object();
            char separator = '{';
            for (const auto [key, item] : members) {
                text += separator;
                append_json_string(text, key);
                text += ':';
                append_json(text, item);
                separator = ',';
            }
            text += separator == '{' ? "{}" : "}";
            break;
        }
    }
}

std::string json_text(simdjson::dom::element value) {
    std::string text;
    append_json(text, value);
    return text;
}

std::string_view wide_number(simdjson::dom::element value) {
    simdjson::dom::object object;
    if (value.get(object) || object.size() != 1) return {};
    const auto [key, digits] = *object.begin();
    std::string_view text;
    if (key != wide_number_key || digits.get(text)) return {};
    return text;
}

void JsonMembers::add(std::string_view key, simdjson::dom::element value) {
    text_ += text_.empty() ? '{' : ',';
    append_json_string(text_, key);
    text_ += ':';
    append_json(text_, value);
}

std::string_view JsonMembers::close() {
    if (!text_.empty()) text_ += '}';
    return text_;
}

void append_json_members(std::string& text, std::string_view object_json, bool& first) {
    if (object_json.size() <= 2) return;
    if (!first) text += ',';
    text += object_json.substr(1, object_json.size() - 2);
    first = false;
}

}  // namespace overlap
