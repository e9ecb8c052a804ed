#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace overlap {

/// Edits that turn one string into the other: insertions, deletions, replacements and exchanges of neighbours
/// (optimal string alignment), counted over bytes. Distances above `limit` are reported as limit + 1.
std::size_t edit_distance(std::string_view left, std::string_view right, std::size_t limit = 1'000'000);

/// The candidates that a user who typed `wanted` most likely meant, best first: those within a third of its length
/// (at least two) of edits, ties in the order given. Candidates that differ in case only come first.
std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> candidates,
                                       std::size_t count = 3);

/// How a message about an unknown name continues: `; nearest: "x"` where one of `names` is near, else
/// `; there are: "x", "y"`. Nothing where there are none.
std::string suggest_names(std::string_view wanted, std::span<const std::string> names);

}  // namespace overlap
