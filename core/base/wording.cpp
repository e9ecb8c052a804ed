#include "core/base/wording.h"

#include <algorithm>

namespace overlap {

namespace {

constexpr std::size_t names_told = 4;

}  // namespace

std::string counted(std::size_t count, std::string_view noun) {
    std::string text = std::to_string(count);
    text.append(" ").append(noun);
    return count == 1 ? text : text + "s";
}

std::string listed(std::span<const std::string> parts) {
    std::string text;
    for (std::size_t index = 0; index < parts.size(); ++index) {
        const bool last = index + 1 == parts.size();
        text.append(index == 0 ? "" : last ? " and " : ", ").append(parts[index]);
    }
    return text;
}

std::string enumerated(std::span<const std::string> names) {
    std::string text;
    for (std::size_t index = 0; index < std::min(names.size(), names_told); ++index) {
        text.append(index == 0 ? "" : ", ").append(names[index]);
    }
    if (names.size() > names_told)
        text.append(" and ").append(std::to_string(names.size() - names_told)).append(" more");
    return text;
}

}  // namespace overlap
