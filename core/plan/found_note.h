#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace overlap {

/// How the note of a plan begins that a search found. A plan file keeps notes as plain text, so this is by what is
/// known that a note says figures of the plan as it was found.
inline constexpr std::string_view found_note_words = "Found by a search of ";

/// What a plan that a search found is called, such as `Found 1588.2 ms at 29.6 GiB`: plans of one search, and of
/// several, stand beside one another.
/// @param step_ms as the search has it. @param peak_bytes the corrected peak.
std::string found_plan_name(double step_ms, std::int64_t peak_bytes);

}  // namespace overlap
