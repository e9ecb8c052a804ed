#pragma once

#include <cstdint>
#include <string>

namespace overlap {

// Numbers as core's sentences and tables show them: at most four significant digits, and a unit.

/// `21.9 ms`; seconds from 10 s, microseconds below 0.1 ms, nanoseconds below 1 µs. The same as the application's
/// figures.
std::string time_text(double time_ms);
/// `436.2 MiB`; whole bytes below a KiB.
std::string bytes_text(std::int64_t bytes);

}  // namespace overlap
