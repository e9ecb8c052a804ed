#pragma once

#include <string_view>

namespace overlap {

/// How many decimals give a number at most so many significant digits; none where more of them stand before the point.
int decimals_for(double value, int significant_digits);

/// A time in the unit in which it is shown.
struct ScaledTime {
    double value = 0;
    std::string_view unit;  ///< with the space before it: ` ms`
    int decimals = 0;       ///< at most
};

/// Unit and decimals by which time_text() writes a time.
ScaledTime scaled_time(double time_ms);

}  // namespace overlap
