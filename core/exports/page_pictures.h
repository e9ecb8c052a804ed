#pragma once

#include <string>
#include <string_view>

#include "core/timeline/timeline.h"

// Timelines as drawings in a page (SVG). Colours are classes, which the page's style sheet fills: `r0` to `r14` by
// EventRole, `stall` for hatching, `held` and `held-before` for memory.
namespace overlap {

/// Where a drawing is shown.
enum class PictureHome {
    page,   ///< in a page that has the style sheet and picture_definitions()
    alone,  ///< as a document of its own, with its style
};

/// What the drawings of a page share; once in a page, before the first of them.
std::string picture_definitions();

/// The lanes of a timeline with a ruler.
/// @param range of the ruler: pictures of two timelines with one range can be compared by eye.
/// @param title of the picture, for those who cannot see it.
std::string timeline_picture(const Timeline& timeline, TimeRange range, std::string_view title,
                             PictureHome home = PictureHome::page);

/// Memory over the step.
/// @param before another timeline, whose memory is a line behind it; null: none.
std::string memory_picture(const Timeline& timeline, const Timeline* before, TimeRange range, std::string_view title,
                           PictureHome home = PictureHome::page);

}  // namespace overlap
