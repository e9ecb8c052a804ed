#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace overlap::scheduling {

/// The value of a size that torch printed as an expression, such as `u4 + u5` or `Max(0, -Min(u0, 5*((u0//8))) + u1)`:
/// whole numbers, symbols, `+ - * // %`, brackets, Max, Min, Mod and FloorDiv.
/// @param value_of_symbol for a symbol's name.
/// @returns nothing for anything else, and where a number does not fit or is divided by 0.
std::optional<std::int64_t> evaluate_size(std::string_view expression,
                                          const std::function<std::int64_t(std::string_view)>& value_of_symbol);

}  // namespace overlap::scheduling
