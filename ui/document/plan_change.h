#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/plan/plan.h"

namespace overlap::ui {

/// What an edit changed in a plan: the entries from the first to the last that differ, and the rest of the plan only
/// where it differs. Thousands of steps of a plan with thousands of buckets can be kept this way.
class PlanChange {
  public:
    /// One side of a change.
    struct Side {
        std::vector<BucketEntry> entries;  ///< in their place
        std::shared_ptr<const Plan> rest;  ///< without entries; null where no more than entries changed
    };

    PlanChange(const Plan& before, const Plan& after);
    /// A change that was kept.
    /// @param count entries of the plan before. @param first entry from which on plans differ.
    PlanChange(std::size_t count, std::size_t first, Side before, Side after);

    /// The plan before the edit. @param after as the edit left it.
    Plan undone(Plan after) const;
    /// The plan after the edit. @param before as the edit found it.
    Plan redone(Plan before) const;
    /// Whether the edit left, or found, such a plan. Its name does not count, which may follow the figures. Where not,
    /// undone() or redone() must not be called. The plan is as it was afterwards.
    bool leaves(Plan& plan) const;
    bool finds(Plan& plan) const;

    std::size_t count() const { return count_; }    ///< entries of the plan before
    std::size_t first() const { return first_; }    ///< entry from which on plans differ
    const Side& before() const { return before_; }  ///< those entries before the edit
    const Side& after() const { return after_; }    ///< and after it

  private:
    bool has(Plan& plan, std::size_t count, const Side& side) const;

    std::size_t count_ = 0;  ///< entries of the plan before
    std::size_t first_ = 0;  ///< entry from which on plans differ
    Side before_, after_;
};

}  // namespace overlap::ui
