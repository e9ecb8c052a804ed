#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/graph/graph.h"

namespace overlap {

/// What the user adds to an import, as it is written. @param place where it was written, for errors, such as `--group`.
/// @throws InputError without a file.

/// A process group from `NAME=0,1,2` or, with ranges, `NAME=0-7,16-23`.
ProcessGroup told_process_group(std::string_view text, const std::string& place);
/// A symbol's value from `s0=8`.
std::pair<std::string, std::int64_t> told_symbol(std::string_view text, const std::string& place);

}  // namespace overlap
