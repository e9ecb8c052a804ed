#include "core/files/json_members.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace overlap {

namespace {

bool is_white_space(char letter) {
    return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n';
}

std::size_t skip_white_space(std::string_view text, std::size_t at) {
    while (at < text.size() && is_white_space(text[at])) ++at;
    return std::min(at, text.size());
}

/// Behind the string whose opening quote is at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
    const std::size_t quote = std::min(text.find('"', ++at), text.size());
    if (at >= quote || text.substr(at, quote - at).find('\\') == text.npos) return std::min(quote + 1, text.size());
    for (; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
    }
    return std::min(at + 1, text.size());
}

enum class Letter : std::uint8_t { other, quote, opening, closing, ending };

/// What a letter outside of strings means for where a value ends.
constexpr auto letters = [] {
    std::array<Letter, 256> kinds{};
    for (const char letter : {'{', '['}) kinds[static_cast<unsigned char>(letter)] = Letter::opening;
    for (const char letter : {'}', ']'}) kinds[static_cast<unsigned char>(letter)] = Letter::closing;
    for (const char letter : {',', ' ', '\t', '\r', '\n'}) kinds[static_cast<unsigned char>(letter)] = Letter::ending;
    kinds['"'] = Letter::quote;
    return kinds;
}();

/// Behind the value that begins at `at`: the comma or bracket of what it is in, or white space before that.
std::size_t end_of_value(std::string_view text, std::size_t at) {
    if (at < text.size() && text[at] == '"') return end_of_string(text, at);
    int depth = 0;
    while (at < text.size()) {
        switch (letters[static_cast<unsigned char>(text[at])]) {
            case Letter::other:
                ++at;
                break;
            case Letter::quote:
                at = end_of_string(text, at);
                break;
            case Letter::opening:
                ++depth;
                ++at;
                break;
            case Letter::closing:
                if (depth == 0) return at;
                ++at;
                if (--depth == 0) return at;
                break;
            case Letter::ending:
                if (depth == 0) return at;
                ++at;
                break;
        }
    }
    return at;
}

/// The place of the first member or item of `text` behind its opening bracket; its size where it is something else.
std::size_t first_inside(std::string_view text, char bracket) {
    const std::size_t begin = skip_white_space(text, 0);
    return begin < text.size() && text[begin] == bracket ? skip_white_space(text, begin + 1) : text.size();
}

/// The place of the member or item behind the one that ends at `end`; the text's size behind the last.
std::size_t next_inside(std::string_view text, std::size_t end) {
    end = skip_white_space(text, end);
    return end < text.size() && text[end] == ',' ? skip_white_space(text, end + 1) : text.size();
}

/// Calls visit(key, value, whole) for each member of an object, in order; `whole` is the text from key to value.
template <typename Visit>
void for_each_member(std::string_view object, Visit&& visit) {
    for (std::size_t at = first_inside(object, '{'); at < object.size() && object[at] == '"';) {
        const std::size_t key_end = end_of_string(object, at);
        const std::size_t colon = skip_white_space(object, key_end);
        const std::size_t begin = skip_white_space(object, std::min(colon + 1, object.size()));
        const std::size_t end = end_of_value(object, begin);
        visit(object.substr(at + 1, key_end - at - 2), object.substr(begin, end - begin), object.substr(at, end - at));
        at = next_inside(object, end);
    }
}

/// Adds a member to the text of an object that has its opening bracket only, or members and no closing one yet.
void add_member(std::string& object, std::string_view whole) {
    if (object.size() > 1) object += ',';
    object += whole;
}

}  // namespace

std::string_view json_member(std::string_view object, std::string_view key) {
    std::string_view found;
    for_each_member(object, [&](std::string_view name, std::string_view value, std::string_view) {
        if (name == key) found = value;
    });
    return found;
}

void for_each_json_member(std::string_view object,
                          const std::function<void(std::string_view key, std::string_view value)>& visit) {
    for_each_member(object,
                    [&](std::string_view name, std::string_view value, std::string_view) { visit(name, value); });
}

std::string with_json_member(std::string_view object, std::string_view key, std::string_view value) {
    std::string member = "\"";
    member.reserve(key.size() + value.size() + 3);
    ((member += key) += "\":") += value;
    std::string made = "{";
    made.reserve(object.size() + member.size() + 2);
    bool placed = false;
    for_each_member(object, [&](std::string_view name, std::string_view, std::string_view whole) {
        if (name != key) return add_member(made, whole);
        if (!placed) add_member(made, member);
        placed = true;
    });
    if (!placed) add_member(made, member);
    return made += '}';
}

std::string without_json_member(std::string_view object, std::string_view key) {
    if (first_inside(object, '{') == object.size()) return std::string(object);
    std::string made = "{";
    for_each_member(object, [&](std::string_view name, std::string_view, std::string_view whole) {
        if (name != key) add_member(made, whole);
    });
    return made.size() == 1 ? std::string() : made += '}';
}

std::vector<std::string_view> json_items(std::string_view list) {
    std::vector<std::string_view> items;
    for (std::size_t at = first_inside(list, '['); at < list.size() && list[at] != ']';) {
        const std::size_t end = end_of_value(list, at);
        items.push_back(list.substr(at, end - at));
        at = next_inside(list, end);
    }
    return items;
}

}  // namespace overlap
