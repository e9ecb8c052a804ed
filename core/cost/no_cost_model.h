#pragma once

#include <string_view>

namespace overlap {

/// How errors begin that are for want of times, so that those who know a remedy can name it.
inline constexpr std::string_view no_cost_model = "the graph has no cost_model";

}  // namespace overlap
