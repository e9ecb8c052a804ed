#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace overlap {

/// The value below which the given share of values lies, linear between neighbours. @param values is not empty.
inline double quantile(std::vector<double> values, double share) {
    std::ranges::sort(values);
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(place));
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace overlap
