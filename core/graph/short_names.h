#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace overlap {

/// Paths in short, in their order: neighbours that differ in one number, which rises by one, are a range as plans
/// abbreviate it. `layers.1`, `layers.2`, `layers.3` and `norm` are `layers.[1-3]` and `norm`.
std::vector<std::string> module_ranges(std::span<const std::string> paths);

/// A name that stands for one path or, as a range, for several beside each other.
struct ShortName {
    std::string text;
    std::size_t paths = 1;
};

/// Paths as texts name them: up to three as they are, more as module_ranges(). Titles of buckets, descriptions,
/// messages and texts of edits all name modules by this function.
std::vector<ShortName> short_names_of(std::span<const std::string> paths);

/// The texts alone.
std::vector<std::string> short_names(std::span<const std::string> paths);

}  // namespace overlap
