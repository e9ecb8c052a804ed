#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/plan.h"

namespace overlap {

/// How far one plan is from another, in what a person would have to change: parts of one that the other does not have
/// in the same form. A part that is changed counts once.
struct PlanDifference {
    std::size_t buckets = 0;   ///< entries with other modules; their order counts nothing
    std::size_t passes = 0;    ///< steps that run in one plan alone
    std::size_t options = 0;   ///< of passes that run in both
    std::size_t overlaps = 0;  ///< by hand
    bool order = false;        ///< passes that run in both come in another order
    /// What else they set in different ways, in words: `the memory section`, `device orders`.
    std::vector<std::string_view> others{};

    /// All others count as one.
    std::size_t count() const {
        return buckets + passes + options + overlaps + (order ? 1 : 0) + (others.empty() ? 0 : 1);
    }
};

PlanDifference plan_difference(const Plan& from, const Plan& to);

/// Such as `3 buckets, 1 pass added or removed, 12 overlaps by hand and the memory section`; `nothing`.
std::string describe(const PlanDifference& difference);

}  // namespace overlap
