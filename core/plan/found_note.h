#pragma once

#include <string_view>

namespace overlap {

/// How the note of a plan begins that a search found. A plan file keeps notes as plain text, so this is by what is
/// known that a note says figures of the plan as it was found.
inline constexpr std::string_view found_note_words = "Found by a search of ";

}  // namespace overlap
