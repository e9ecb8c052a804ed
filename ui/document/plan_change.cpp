#include "ui/document/plan_change.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace overlap::ui {
namespace {

using Entries = std::vector<BucketEntry>;

Plan without_entries(Plan plan) {
    plan.buckets.clear();
    plan.buckets.shrink_to_fit();
    return plan;
}

/// `plan` with `removed` entries from `first` on replaced, and its rest where one is given.
Plan replaced(Plan plan, std::size_t first, std::size_t removed, const PlanChange::Side& added) {
    Entries entries = std::move(plan.buckets);
    // As many as there are go where others were: those behind need not be moved.
    const auto same = static_cast<std::ptrdiff_t>(std::min(removed, added.entries.size()));
    const auto begin = entries.begin() + static_cast<std::ptrdiff_t>(first);
    std::copy_n(added.entries.begin(), same, begin);
    const auto place = entries.erase(begin + same, begin + static_cast<std::ptrdiff_t>(removed));
    entries.insert(place, added.entries.begin() + same, added.entries.end());
    if (added.rest) plan = *added.rest;
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
    count_ = old_entries.size();
    first_ = static_cast<std::size_t>(old_begin - old_entries.begin());
    before_.entries.assign(old_begin, old_end.base());
    after_.entries.assign(new_begin, new_end.base());
    Plan rest_before = without_entries(before), rest_after = without_entries(after);
    if (rest_before == rest_after) return;
    before_.rest = std::make_shared<const Plan>(std::move(rest_before));
    after_.rest = std::make_shared<const Plan>(std::move(rest_after));
}

PlanChange::PlanChange(std::size_t count, std::size_t first, Side before, Side after)
    : count_(count), first_(first), before_(std::move(before)), after_(std::move(after)) {}

Plan PlanChange::undone(Plan after) const {
    return replaced(std::move(after), first_, after_.entries.size(), before_);
}

Plan PlanChange::redone(Plan before) const {
    return replaced(std::move(before), first_, before_.entries.size(), after_);
}

bool PlanChange::finds(Plan& plan) const {
    return has(plan, count_, before_);
}

bool PlanChange::leaves(Plan& plan) const {
    return has(plan, count_ - before_.entries.size() + after_.entries.size(), after_);
}

bool PlanChange::has(Plan& plan, std::size_t count, const Side& side) const {
    if (plan.buckets.size() != count || first_ > count || side.entries.size() > count - first_) return false;
    const auto begin = plan.buckets.begin() + static_cast<std::ptrdiff_t>(first_);
    if (!std::equal(side.entries.begin(), side.entries.end(), begin)) return false;
    if (!side.rest) return true;
    // In place: thousands of entries need not be copied for it.
    Entries entries = std::exchange(plan.buckets, {});
    std::string name = std::exchange(plan.name, side.rest->name);
    const bool same = plan == *side.rest;
    plan.name = std::move(name);
    plan.buckets = std::move(entries);
    return same;
}

}  // namespace overlap::ui
