#include "core/plan/found_note.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

#include "core/base/number_text.h"

namespace overlap {

namespace {

constexpr std::string_view found_word = "Found", edited_word = "Edited", before_peak = " at ";

std::string name_of_figures(std::string_view words, double step_ms, std::optional<std::int64_t> peak_bytes) {
    std::string name = std::string(words).append(" ").append(time_text(step_ms));
    if (peak_bytes) name.append(before_peak).append(bytes_text(*peak_bytes));
    return name;
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

/// Whether a name is one of name_of_figures() that begins with these words, and a number behind it at most.
/// @param always_with_peak false: also one without a peak.
bool tells_figures(std::string_view name, std::string_view beginning, bool always_with_peak = true) {
    constexpr std::array time_units = {"s", "ms", "µs", "ns"};
    constexpr std::array byte_units = {"B", "KiB", "MiB", "GiB", "TiB"};
    if (!name.starts_with(beginning) || name.size() == beginning.size()) return false;
    const std::vector<std::string_view> words = words_of(name.substr(beginning.size()));  // the first one is empty
    const auto has = [&](std::size_t at, const auto& units) {
        return words.size() > at + 1 && is_number(words[at]) &&
               std::ranges::find(units, words[at + 1]) != std::ranges::end(units);
    };
    if (!words.front().empty() || !has(1, time_units)) return false;
    const bool peak = words.size() > 3 && words[3] == "at" && has(4, byte_units);
    if (!peak && always_with_peak) return false;
    const std::size_t figures = peak ? 6 : 3;
    return words.size() == figures || (words.size() == figures + 1 && is_number(words.back()));
}

}  // namespace

std::string found_plan_name(double step_ms, std::int64_t peak_bytes) {
    return name_of_figures(found_word, step_ms, peak_bytes);
}

std::string found_so_far_name(double step_ms, std::int64_t peak_bytes) {
    return name_of_figures(found_so_far_words, step_ms,
                           peak_bytes > 0 ? std::optional<std::int64_t>(peak_bytes) : std::nullopt);
}

std::string edited_plan_name(double step_ms, std::int64_t peak_bytes) {
    return name_of_figures(edited_word, step_ms, peak_bytes);
}

bool is_found_plan_name(std::string_view name) {
    return tells_figures(name, found_word) || tells_figures(name, found_so_far_words, false);
}

bool is_edited_plan_name(std::string_view name) {
    return name == edited_plan_words || tells_figures(name, edited_word);
}

bool gives_another_peak(std::string_view name, std::int64_t peak_bytes) {
    const std::size_t at = name.find(before_peak);
    if (at == std::string_view::npos || !(is_found_plan_name(name) || is_edited_plan_name(name))) return false;
    const std::string_view given = name.substr(at + before_peak.size());
    const std::string peak = bytes_text(peak_bytes);
    return given != peak && !given.starts_with(peak + ' ');  // a number may tell it from another plan
}

bool gives_another_step(std::string_view name, double step_ms) {
    if (name == edited_plan_words || !(is_found_plan_name(name) || is_edited_plan_name(name))) return false;
    for (const std::string_view words : {found_so_far_words, found_word, edited_word}) {
        if (!name.starts_with(words)) continue;
        const std::string_view given = name.substr(words.size() + 1);
        const std::string step = time_text(step_ms);
        return given != step && !given.starts_with(step + ' ');  // the peak, or a number, comes behind it
    }
    return false;
}

}  // namespace overlap
