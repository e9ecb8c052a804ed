#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/plan.h"

namespace overlap {

/// Parts of a plan that a search keeps as they are.
struct PlanLocks {
    std::vector<BucketEntry> buckets{};        ///< by their modules
    std::vector<OverlapDirective> overlaps{};  ///< by hand
    std::vector<std::string> passes{};         ///< by name: whether they run, and with which options
    bool pipeline = false;                     ///< all passes, with their options and in their order
    bool memory = false;                       ///< the memory section, and the passes that carry it out

    bool empty() const { return buckets.empty() && overlaps.empty() && passes.empty() && !pipeline && !memory; }
};

/// What `overlap search --lock` may be given, for its help.
inline constexpr std::string_view lock_help =
    "keep a part of the plan to start from as it is: buckets, bucket:MODULE or bucket:NUMBER (from 1), overlaps, "
    "overlap:COLLECTIVE, passes, pass:NAME, memory; may be given several times";

/// @throws InputError where the text is none of lock_help, whatever the plan.
void check_lock(std::string_view text);
/// Adds what a text names.
/// @param plan the plan to start from.
/// @throws InputError where the text is none of lock_help, or the plan has no such part.
void add_lock(PlanLocks& locks, std::string_view text, const Plan& plan);

/// What is locked, each in words: `bucket layers.0 + layers.1`, `all passes`.
std::vector<std::string> describe(const PlanLocks& locks);

/// The locked parts of a plan, to be kept in others. A bucket is kept where the same passes merge it.
class LockedParts {
  public:
    /// Nothing is locked.
    LockedParts() = default;
    /// @throws StartPlanError for a bucket that no pass of the plan merges.
    LockedParts(const Plan& from, PlanLocks locks);

    bool empty() const { return locks_.empty(); }
    const PlanLocks& locks() const { return locks_; }
    /// The first locked part that a plan does not have as it was, in words; empty where it has all.
    std::string missing_in(const Plan& plan) const;
    bool kept_in(const Plan& plan) const { return missing_in(plan).empty(); }
    /// The plan with these parts in place of what it says of the same.
    Plan put_into(Plan plan) const;

  private:
    bool locks_pass(std::string_view pass) const;
    bool same_locked_passes(const Plan& plan) const;
    void put_passes(Plan& plan) const;
    void put_buckets(Plan& plan) const;
    void put_overlaps(Plan& plan) const;

    Plan from_;
    PlanLocks locks_;
};

}  // namespace overlap
