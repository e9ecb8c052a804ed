#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/search/plan_search.h"

namespace overlap {

/// The shortest steps within 10 limits between the least peak of all and the peak of the shortest step, one of them
/// marked as the knee: the farthest below the line between both ends. Limits at which nothing changes are left out.
/// @param recommended a plan that need not be among the others: the front has it, or one that is at least as good in
/// step and peak.
/// @param asked a limit of its own that the front has, too.
/// @param stop when requested, the bound of all points is that without a limit: it holds, and takes no time.
std::vector<FrontPoint> front_of(const std::vector<Candidate>& usable, const Candidate& recommended,
                                 const BoundUnderLimits& bounds, std::optional<std::int64_t> asked,
                                 const std::stop_token& stop = {});

}  // namespace overlap
