#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace overlap {

/// A mark by which people tell plans apart. Themes decide what a colour looks like.
enum class PlanColour : std::uint8_t { none, blue, green, amber, magenta, teal, orange, violet, lime };

/// All but `none`, in the order in which they are offered.
inline constexpr std::array plan_colours = {PlanColour::blue,    PlanColour::green, PlanColour::amber,
                                            PlanColour::magenta, PlanColour::teal,  PlanColour::orange,
                                            PlanColour::violet,  PlanColour::lime};

/// As plan documents have it; empty for `none`.
std::string_view plan_colour_name(PlanColour colour);
/// @returns nothing for a name that is no colour's. Empty is `none`.
std::optional<PlanColour> plan_colour_by_name(std::string_view name);

}  // namespace overlap
