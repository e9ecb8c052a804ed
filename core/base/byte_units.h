#pragma once

namespace overlap {

// As doubles, since what they scale are figures and settings that may be fractions. Powers of two: scaling by them
// rounds nothing.

inline constexpr double bytes_per_mib = 1024.0 * 1024.0;
inline constexpr double bytes_per_gib = 1024.0 * bytes_per_mib;

}  // namespace overlap
