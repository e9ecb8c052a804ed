#pragma once

#include <cstdint>
#include <vector>

namespace overlap {

/// The middle value, or the mean of the two in the middle; 0 of none.
double median(std::vector<double> values);

/// The middle value, or the greater of the two in the middle: of whole numbers, one of them. @param values not empty.
std::int64_t upper_median(std::vector<std::int64_t> values);

/// The value below which a share of the values lies, linear between neighbours. @param values not empty.
/// @param share from 0, the least value, to 1, the greatest.
double quantile(std::vector<double> values, double share);

}  // namespace overlap
