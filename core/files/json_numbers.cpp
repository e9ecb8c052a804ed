#include "core/files/json_numbers.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace overlap {

namespace {

// 17 digits name every double, and with a point they are 18 characters; 18 digits are an integer that fits 64 bits.
constexpr std::size_t suspicious_run = 19;
constexpr std::size_t digits_of_double = 17;

bool is_digit(char character) {
    return character >= '0' && character <= '9';
}
bool is_digit_or_point(char character) {
    return is_digit(character) || character == '.';
}
bool is_number_part(char character) {
    return is_digit_or_point(character) || character == '-' || character == '+' || character == 'e' || character == 'E';
}

bool loses_digits(std::string_view token) {
    if (token.find_first_of(".eE") == std::string_view::npos) {
        const auto fits = [&](auto integer) {
            return std::from_chars(token.data(), token.data() + token.size(), integer).ec == std::errc();
        };
        return !fits(std::int64_t{}) && !fits(std::uint64_t{});
    }
    double value = 0;
    if (std::from_chars(token.data(), token.data() + token.size(), value).ec == std::errc::result_out_of_range)
        return true;
    std::size_t digits = 0;
    for (const char character : token.substr(0, token.find_first_of("eE"))) {
        if (is_digit(character) && (digits > 0 || character != '0')) ++digits;
    }
    return digits > digits_of_double;
}

/// JSON's grammar of a number; anything else stays as it is, for the parser to report.
bool is_json_number(std::string_view token) {
    std::size_t at = 0;
    const auto digits = [&] {
        const std::size_t begin = at;
        while (at < token.size() && is_digit(token[at])) ++at;
        return at - begin;
    };
    if (at < token.size() && token[at] == '-') ++at;
    const std::size_t first = at;
    const std::size_t whole = digits();
    if (whole == 0 || (whole > 1 && token[first] == '0')) return false;
    if (at < token.size() && token[at] == '.') {
        ++at;
        if (digits() == 0) return false;
    }
    if (at < token.size() && (token[at] == 'e' || token[at] == 'E')) {
        ++at;
        if (at < token.size() && (token[at] == '+' || token[at] == '-')) ++at;
        if (digits() == 0) return false;
    }
    return at == token.size();
}

}  // namespace

bool may_have_wide_numbers(std::string_view text) {
    // Every run of that length covers one of the characters looked at here.
    for (std::size_t probe = suspicious_run - 1; probe < text.size(); probe += suspicious_run) {
        if (!is_digit_or_point(text[probe])) continue;
        std::size_t begin = probe;
        while (begin > 0 && is_digit_or_point(text[begin - 1])) --begin;
        std::size_t end = probe + 1;
        while (end < text.size() && is_digit_or_point(text[end])) ++end;
        if (begin > 0 && text[begin - 1] == '-') --begin;
        if (end - begin >= suspicious_run && loses_digits(text.substr(begin, end - begin))) return true;
    }
    return false;
}

std::optional<std::string> wrap_wide_numbers(std::string_view text) {
    std::optional<std::string> wrapped;
    std::size_t copied = 0;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '"') {
            for (++at; at < text.size() && text[at] != '"'; ++at) {
                if (text[at] == '\\') ++at;
            }
            ++at;
        } else if (is_digit(text[at]) || text[at] == '-') {
            const std::size_t begin = at;
            while (at < text.size() && is_number_part(text[at])) ++at;
            const std::string_view token = text.substr(begin, at - begin);
            if (!is_json_number(token) || !loses_digits(token)) continue;
            if (!wrapped) wrapped.emplace();
            wrapped->append(text, copied, begin - copied);
            wrapped->append("{\"\\u0000number\":\"").append(token).append("\"}");
            copied = at;
        } else {
            ++at;
        }
    }
    if (wrapped) wrapped->append(text, std::min(copied, text.size()));
    return wrapped;
}

}  // namespace overlap
