#pragma once

#include <span>
#include <string>
#include <vector>

namespace overlap {

/// Times that stand below one another, as time_text() writes them; those that differ have as many digits as tell them
/// apart, at most ten.
std::vector<std::string> times_apart(std::span<const double> times_ms);

}  // namespace overlap
