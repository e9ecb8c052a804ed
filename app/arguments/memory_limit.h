#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/graph/graph.h"

namespace overlap::commands {

/// Help of `--memory-limit`.
inline constexpr const char* memory_limit_help =
    "the most that the peak may be: bytes, GiB such as 40GiB, baseline for the graph's own peak, or +10% above it";

/// The limit that `text` says; nothing where it is empty.
/// @param graph whose peak `baseline` and percentages mean, as all figures count it.
/// @throws InputError where it is none of these.
std::optional<std::int64_t> read_memory_limit(const std::string& text, const Graph& graph);

}  // namespace overlap::commands
