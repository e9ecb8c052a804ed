#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace overlap {

/// The ranks in a text such as `[0, 1]`; nothing where it is no list of integers, such as an elided one.
std::optional<std::vector<std::int64_t>> ranks_in(std::string_view text);

}  // namespace overlap
