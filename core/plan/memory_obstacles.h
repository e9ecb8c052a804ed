#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/memory_section.h"

namespace overlap {

/// Why a memory section changes nothing on a pipeline, or not what it says.
struct MemoryObstacle {
    std::string message;  ///< a clause
    std::string fix;      ///< label of what mends it, `switch X on` or `add X`; empty where an option is the user's own
};

/// Those of each pass of the section, in the order of its passes.
std::vector<MemoryObstacle> memory_obstacles(const MemorySection& section, const std::vector<PassStep>& pipeline);

/// The pipeline with what the label of a fix says, see MemoryObstacle; nothing where it is no such label.
std::optional<std::vector<PassStep>> with_memory_fix(std::vector<PassStep> pipeline, std::string_view fix);

}  // namespace overlap
