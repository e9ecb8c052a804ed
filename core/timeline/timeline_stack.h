#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/timeline/timeline.h"

namespace overlap {

/// A timeline as one of several.
struct TimelinePart {
    std::shared_ptr<const Timeline> timeline;
    std::string prefix;                 ///< in front of the titles of its lanes
    std::int64_t offset_ns = 0;         ///< added to its times
    std::uint32_t first_reference = 0;  ///< added to its references; no_reference stays
    std::optional<TimeRange> only{};    ///< events outside of it, in its own times, are left out
};

/// One timeline of several: their lanes one part below the other, on one axis. The memory curve is that of the first
/// part that has one. References of different parts must not meet, see TimelinePart::first_reference.
std::shared_ptr<const Timeline> stack_timelines(std::span<const TimelinePart> parts);

}  // namespace overlap
