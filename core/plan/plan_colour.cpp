#include "core/plan/plan_colour.h"

#include <algorithm>

namespace overlap {

namespace {

constexpr std::array<std::string_view, plan_colours.size() + 1> colour_names = {
    "", "blue", "green", "amber", "magenta", "teal", "orange", "violet", "lime"};

}  // namespace

std::string_view plan_colour_name(PlanColour colour) {
    return colour_names[static_cast<std::size_t>(colour)];
}

std::optional<PlanColour> plan_colour_by_name(std::string_view name) {
    const auto found = std::ranges::find(colour_names, name);
    if (found == colour_names.end()) return std::nullopt;
    return static_cast<PlanColour>(found - colour_names.begin());
}

}  // namespace overlap
