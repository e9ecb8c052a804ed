#pragma once

#include <string>
#include <string_view>

#include "core/timeline/timeline.h"

// Timelines as drawings in a page (SVG). Colours are classes, which the page's style sheet fills: `r0` to `r12` by
// EventRole, `stall` for hatching, `held` and `held-before` for memory.
namespace overlap {

/// What the drawings of a page share; once in a page, before the first of them.
std::string picture_definitions();

/// The lanes of a timeline with a ruler.
/// @param range of the ruler: pictures of two timelines with one range can be compared by eye.
/// @param title of the picture, for those who cannot see it.
std::string timeline_picture(const Timeline& timeline, TimeRange range, std::string_view title);

/// Memory over the step, and that of another timeline as a line behind it.
std::string memory_picture(const Timeline& timeline, const Timeline& before, TimeRange range, std::string_view title);

}  // namespace overlap
