#pragma once

#include "core/files/ordered_json.h"
#include "core/plan/memory_section.h"

namespace overlap {

/// A plan's `memory` (docs/formats.md). Abbreviations of modules, such as `layers.[28-31]`, are expanded.
/// @throws InputError with the place in the plan.
MemorySection read_memory_section(const Json& json);
Json memory_section_json(const MemorySection& section);

}  // namespace overlap
