#include "core/base/nearest_name.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/base/quote.h"

namespace overlap {

namespace {

std::string lower_case(std::string_view text) {
    std::string lowered(text);
    for (char& letter : lowered) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return lowered;
}

}  // namespace

std::size_t edit_distance(std::string_view left, std::string_view right, std::size_t limit) {
    const std::size_t difference = left.size() > right.size() ? left.size() - right.size() : right.size() - left.size();
    if (difference > limit) return limit + 1;
    // Three rows of the table: exchanges look two rows back.
    std::vector<std::size_t> before(right.size() + 1), above(right.size() + 1), row(right.size() + 1);
    for (std::size_t column = 0; column <= right.size(); ++column) above[column] = column;
    for (std::size_t line = 1; line <= left.size(); ++line) {
        row[0] = line;
        std::size_t least = row[0];
        for (std::size_t column = 1; column <= right.size(); ++column) {
            const std::size_t replaced = above[column - 1] + (left[line - 1] == right[column - 1] ? 0 : 1);
            row[column] = std::min({replaced, above[column] + 1, row[column - 1] + 1});
            if (line > 1 && column > 1 && left[line - 1] == right[column - 2] && left[line - 2] == right[column - 1]) {
                row[column] = std::min(row[column], before[column - 2] + 1);
            }
            least = std::min(least, row[column]);
        }
        // An exchange may still undercut a row by one edit, so only rows that are clearly above the limit end it.
        if (least > limit + 1) return limit + 1;
        std::swap(before, above);
        std::swap(above, row);
    }
    return std::min(above[right.size()], limit + 1);
}

std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> candidates,
                                       std::size_t count) {
    const std::size_t limit = std::max<std::size_t>(2, wanted.size() / 3);
    const std::string wanted_lower = lower_case(wanted);
    std::vector<std::pair<std::size_t, const std::string*>> near;
    for (const std::string& candidate : candidates) {
        const std::size_t distance =
            lower_case(candidate) == wanted_lower ? 0 : edit_distance(wanted, candidate, limit);
        // A name that shares nothing with what was typed is no suggestion, however short both are.
        if (distance <= limit && distance < std::max(wanted.size(), candidate.size())) {
            near.emplace_back(distance, &candidate);
        }
    }
    std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> names;
    for (std::size_t index = 0; index < std::min(count, near.size()); ++index) names.push_back(*near[index].second);
    return names;
}

std::string suggest_names(std::string_view wanted, std::span<const std::string> names) {
    if (names.empty()) return {};
    const std::vector<std::string> near = nearest_names(wanted, names, 1);
    std::string text = near.empty() ? "; there are: " : "; nearest: ";
    bool first = true;
    for (const std::string& name : near.empty() ? names : std::span<const std::string>(near)) {
        text += (first ? "" : ", ") + in_quotes(name);
        first = false;
    }
    return text;
}

}  // namespace overlap
