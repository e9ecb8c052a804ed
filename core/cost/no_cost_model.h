#pragma once

#include <string_view>

namespace overlap {

/// The beginning of errors about missing times, so that a caller that knows a remedy can add it.
inline constexpr std::string_view no_cost_model = "the graph has no cost_model";

}  // namespace overlap
