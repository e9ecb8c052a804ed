#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/graph/graph.h"

namespace overlap::commands {

/// Help of `--memory-limit`.
inline constexpr const char* memory_limit_help =
    "the most that the peak may be: bytes, 40GiB, baseline for the graph's own peak, device for what the device holds, "
    "or a sum such as baseline+10%, baseline+6GiB, device-2GiB, or +10% for a tenth above the baseline";

/// Whether `text` says a limit, whatever the graph: a sentence without full stop where it says none, else empty.
std::string memory_limit_error(const std::string& text);

/// The limit that `text` says; nothing where it is empty.
/// @param graph whose peak `baseline` means, as all figures count it, and whose device `device`, where that is known.
/// @throws InputError where it is none of these.
std::optional<std::int64_t> read_memory_limit(const std::string& text, const Graph& graph);

}  // namespace overlap::commands
