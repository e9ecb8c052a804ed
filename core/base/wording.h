#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace overlap {

// Parts of sentences for messages.

/// `1 bucket`, `7 buckets`.
std::string counted(std::size_t count, std::string_view noun);

/// `a`, `a and b`, `a, b and c`: all of them.
std::string listed(std::span<const std::string> parts);

/// `a, b and 7 more`: the first four names.
std::string enumerated(std::span<const std::string> names);

}  // namespace overlap
