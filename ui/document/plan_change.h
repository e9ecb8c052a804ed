#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/plan/plan.h"

namespace overlap::ui {

/// What an edit changed in a plan: the entries from the first to the last that differ, and the rest of the plan only
/// where it differs. Thousands of steps of a plan with thousands of buckets can be kept this way.
class PlanChange {
  public:
    PlanChange(const Plan& before, const Plan& after);

    /// The plan before the edit. @param after as the edit left it.
    Plan undone(Plan after) const;
    /// The plan after the edit. @param before as the edit found it.
    Plan redone(Plan before) const;

  private:
    std::size_t first_ = 0;                         ///< entry from which on plans differ
    std::vector<BucketEntry> before_, after_;       ///< entries in their place
    std::optional<Plan> rest_before_, rest_after_;  ///< without entries; where more than entries changed
};

}  // namespace overlap::ui
