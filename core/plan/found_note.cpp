#include "core/plan/found_note.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "core/base/number_text.h"

namespace overlap {

namespace {

constexpr std::string_view found_word = "Found", edited_word = "Edited";

std::string name_of_figures(std::string_view word, double step_ms, std::int64_t peak_bytes) {
    return std::string(word).append(" ").append(time_text(step_ms)).append(" at ").append(bytes_text(peak_bytes));
}

bool is_number(std::string_view text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](unsigned char letter) { return std::isdigit(letter) || letter == '.'; });
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    while (true) {
        const std::size_t space = text.find(' ');
        words.push_back(text.substr(0, space));
        if (space == std::string_view::npos) return words;
        text.remove_prefix(space + 1);
    }
}

/// Whether a name is one of name_of_figures() with this word, and a number behind it at most.
bool tells_figures(std::string_view name, std::string_view word) {
    constexpr std::array time_units = {"s", "ms", "µs", "ns"};
    constexpr std::array byte_units = {"B", "KiB", "MiB", "GiB", "TiB"};
    const std::vector<std::string_view> words = words_of(name);
    if (words.size() < 6 || words.size() > 7 || words[0] != word || words[3] != "at") return false;
    if (words.size() == 7 && !is_number(words[6])) return false;
    return is_number(words[1]) && std::ranges::find(time_units, words[2]) != time_units.end() && is_number(words[4]) &&
           std::ranges::find(byte_units, words[5]) != byte_units.end();
}

}  // namespace

std::string found_plan_name(double step_ms, std::int64_t peak_bytes) {
    return name_of_figures(found_word, step_ms, peak_bytes);
}

std::string edited_plan_name(double step_ms, std::int64_t peak_bytes) {
    return name_of_figures(edited_word, step_ms, peak_bytes);
}

bool is_found_plan_name(std::string_view name) {
    return tells_figures(name, found_word);
}

bool is_edited_plan_name(std::string_view name) {
    return name == edited_plan_words || tells_figures(name, edited_word);
}

}  // namespace overlap
