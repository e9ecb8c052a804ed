#pragma once

#include <chrono>

namespace overlap {

/// How long ago `begin` was.
inline double milliseconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace overlap
