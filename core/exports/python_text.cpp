#include "core/exports/python_text.h"

#include <cmath>

#include "core/base/number_text.h"
#include "core/exports/code_points.h"
#include "core/files/ordered_json.h"
#include "core/io/plan/option_json.h"

namespace overlap {

namespace {

constexpr std::size_t line_width = 88;
constexpr std::size_t indent_width = 4;

void append_hexadecimal(std::string& text, std::string_view prefix, char32_t point, int digits) {
    text += prefix;
    for (int digit = digits - 1; digit >= 0; --digit) text += "0123456789abcdef"[point >> (4 * digit) & 0xf];
}

void append_escaped(std::string& text, char32_t point) {
    switch (point) {
        case '"':
            text += "\\\"";
            return;
        case '\\':
            text += "\\\\";
            return;
        case '\n':
            text += "\\n";
            return;
        case '\r':
            text += "\\r";
            return;
        case '\t':
            text += "\\t";
            return;
        default:
            break;
    }
    if (point >= 0x20 && point < 0x7f) {
        text += static_cast<char>(point);
    } else if (point < 0x100) {
        append_hexadecimal(text, "\\x", point, 2);
    } else if (point < 0x10000) {
        append_hexadecimal(text, "\\u", point, 4);
    } else {
        append_hexadecimal(text, "\\U", point, 8);
    }
}

/// The shortest text that Python reads as the same number; always a float where JSON has one.
std::string number_literal(double number) {
    if (std::isnan(number)) return "float(\"nan\")";
    if (!std::isfinite(number)) return number < 0 ? "float(\"-inf\")" : "float(\"inf\")";
    std::string text = shortest_text(number);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

std::string scalar(const Json& value) {
    if (value.is_null()) return "None";
    if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
    if (value.is_string()) return python_string(value.get_ref<const std::string&>());
    if (value.is_number_float()) return number_literal(value.get<double>());
    return value.dump();
}

/// All in one line.
std::string flat(const Json& value) {
    if (!value.is_structured()) return scalar(value);
    std::string text = value.is_array() ? "[" : "{";
    bool first = true;
    for (const auto& [key, item] : value.items()) {
        if (!first) text += ", ";
        first = false;
        if (value.is_object()) text += python_string(key) + ": ";
        text += flat(item);
    }
    return text += value.is_array() ? "]" : "}";
}

}  // namespace

std::string python_string(std::string_view text) {
    std::string literal = "\"";
    while (!text.empty()) append_escaped(literal, take_code_point(text));
    return literal += '"';
}

std::string python_value(const OptionValue& value, std::size_t indent) {
    return python_value(option_json(value), indent);
}

std::string python_value(const Json& value, std::size_t indent) {
    std::string text = flat(value);
    if (!value.is_structured() || value.empty() || indent + text.size() <= line_width) return text;
    const std::size_t inner = indent + indent_width;
    text = value.is_array() ? "[\n" : "{\n";
    for (const auto& [key, item] : value.items()) {
        text.append(inner, ' ');
        if (value.is_object()) text += python_string(key) + ": ";
        text += python_value(item, inner) + ",\n";
    }
    text.append(indent, ' ');
    return text += value.is_array() ? "]" : "}";
}

}  // namespace overlap
