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
/// @param step_ms as the window tells it, see told_step_ms(). @param peak_bytes the corrected peak.
std::string found_plan_name(double step_ms, std::int64_t peak_bytes);

/// What the best plan of a search is called that did not end, such as `Found so far 1588.2 ms at 29.6 GiB`.
/// @param peak_bytes 0: not known, and not in the name.
std::string found_so_far_name(double step_ms, std::int64_t peak_bytes);
/// The same without figures.
inline constexpr std::string_view found_so_far_words = "Found so far";

/// What it is called when it has been edited: by the figures that it has then, such as `Edited 1579.4 ms at 29.6 GiB`.
std::string edited_plan_name(double step_ms, std::int64_t peak_bytes);
/// The same while these are not known.
inline constexpr std::string_view edited_plan_words = "Edited plan";

/// Whether a name is a found_plan_name() or a found_so_far_name(), also with a number behind it that tells it from
/// another.
bool is_found_plan_name(std::string_view name);
/// Whether a name is an edited_plan_name() or edited_plan_words.
bool is_edited_plan_name(std::string_view name);

/// Whether a name of one of these kinds gives another peak than this one. One without a peak does not.
bool gives_another_peak(std::string_view name, std::int64_t peak_bytes);
/// Whether a name of one of these kinds gives another step than this one. One without figures does not.
bool gives_another_step(std::string_view name, double step_ms);

}  // namespace overlap
