#include "ui/document/plan_change.h"

#include <algorithm>
#include <iterator>

namespace overlap::ui {
namespace {

using Entries = std::vector<BucketEntry>;

Plan without_entries(Plan plan) {
    plan.buckets.clear();
    plan.buckets.shrink_to_fit();
    return plan;
}

/// `plan` with `removed` entries from `first` on replaced, and its rest where one is given.
Plan replaced(Plan plan, std::size_t first, std::size_t removed, const Entries& added,
              const std::optional<Plan>& rest) {
    Entries entries = std::move(plan.buckets);
    const auto begin = entries.begin() + static_cast<std::ptrdiff_t>(first);
    const auto place = entries.erase(begin, begin + static_cast<std::ptrdiff_t>(removed));
    entries.insert(place, added.begin(), added.end());
    if (rest) plan = *rest;
    plan.buckets = std::move(entries);
    return plan;
}

}  // namespace

PlanChange::PlanChange(const Plan& before, const Plan& after) {
    const Entries &old_entries = before.buckets, &new_entries = after.buckets;
    const auto [old_begin, new_begin] =
        std::mismatch(old_entries.begin(), old_entries.end(), new_entries.begin(), new_entries.end());
    // Not beyond where they begin to differ: entries may be equal to their neighbours.
    const auto [old_end, new_end] = std::mismatch(old_entries.rbegin(), std::make_reverse_iterator(old_begin),
                                                  new_entries.rbegin(), std::make_reverse_iterator(new_begin));
    first_ = static_cast<std::size_t>(old_begin - old_entries.begin());
    before_.assign(old_begin, old_end.base());
    after_.assign(new_begin, new_end.base());
    Plan rest_before = without_entries(before), rest_after = without_entries(after);
    if (rest_before == rest_after) return;
    rest_before_ = std::move(rest_before);
    rest_after_ = std::move(rest_after);
}

Plan PlanChange::undone(Plan after) const {
    return replaced(std::move(after), first_, after_.size(), before_, rest_before_);
}

Plan PlanChange::redone(Plan before) const {
    return replaced(std::move(before), first_, before_.size(), after_, rest_after_);
}

}  // namespace overlap::ui
