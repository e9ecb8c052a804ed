#pragma once

#include <span>
#include <string>
#include <vector>

namespace overlap {

/// Paths in short, in their order: neighbours that differ in one number, which rises by one, are a range as plans
/// abbreviate it. `layers.1`, `layers.2`, `layers.3` and `norm` are `layers.[1-3]` and `norm`.
std::vector<std::string> module_ranges(std::span<const std::string> paths);

/// Paths as texts name them: up to three as they are, more as module_ranges(). Titles of buckets, descriptions,
/// messages and texts of edits all name modules by this function.
std::vector<std::string> short_names(std::span<const std::string> paths);

}  // namespace overlap
