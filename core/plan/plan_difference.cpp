#include "core/plan/plan_difference.h"

#include <algorithm>
#include <vector>

#include "core/base/wording.h"

namespace overlap {
namespace {

/// What a person would add, change or take away to get from one list to the other, whatever the order.
template <class Part>
std::size_t changed(std::vector<Part> from, std::vector<Part> to) {
    std::erase_if(from, [&](const Part& part) {
        const auto same = std::ranges::find(to, part);
        if (same == to.end()) return false;
        to.erase(same);
        return true;
    });
    return std::max(from.size(), to.size());
}

std::vector<std::vector<std::string>> modules_of(const std::vector<BucketEntry>& buckets) {
    std::vector<std::vector<std::string>> modules;
    for (const BucketEntry& entry : buckets) modules.push_back(entry.modules);
    return modules;
}

std::size_t changed_options(const Options& from, const Options& to) {
    std::size_t count = 0;
    for (const auto& [name, value] : from) {
        const OptionValue* const other = to.find(name);
        if (!other || *other != value) ++count;
    }
    for (const auto& [name, value] : to) count += from.find(name) ? 0 : 1;
    return count;
}

/// Steps that run in both, each with the first one of its name that no other has taken.
void compare_passes(const Plan& from, const Plan& to, PlanDifference& difference) {
    std::vector<const PassStep*> left;
    for (const PassStep& step : to.pipeline)
        if (step.enabled) left.push_back(&step);
    const std::vector<const PassStep*> in_order = left;
    std::size_t missing = 0;
    std::ptrdiff_t last = -1;
    for (const PassStep& step : from.pipeline) {
        if (!step.enabled) continue;
        const auto same = std::ranges::find(left, step.pass, [](const PassStep* other) { return other->pass; });
        if (same == left.end()) {
            ++missing;
            continue;
        }
        difference.options += changed_options(step.options, (*same)->options);
        const std::ptrdiff_t place = std::ranges::find(in_order, *same) - in_order.begin();
        difference.order = difference.order || place < last;
        last = place;
        left.erase(same);
    }
    difference.passes = missing + left.size();
}

}  // namespace

PlanDifference plan_difference(const Plan& from, const Plan& to) {
    PlanDifference difference;
    difference.buckets = changed(modules_of(from.buckets), modules_of(to.buckets));
    difference.overlaps = changed(from.overlaps.list, to.overlaps.list);
    compare_passes(from, to, difference);
    const auto compare = [&](bool same, std::string_view what) {
        if (!same) difference.others.push_back(what);
    };
    compare(from.memory == to.memory, "the memory section");
    compare(from.module_rules == to.module_rules, "rules of modules");
    compare(from.device_orders == to.device_orders, "device orders");
    compare(from.process_groups == to.process_groups, "settings of process groups");
    compare(from.overlaps.keep_group_order == to.overlaps.keep_group_order &&
                from.overlaps.insert_overlap_deps == to.overlaps.insert_overlap_deps,
            "settings of overlaps by hand");
    return difference;
}

std::string describe(const PlanDifference& difference) {
    std::vector<std::string> parts;
    const auto add = [&](std::size_t count, std::string_view noun, std::string_view rest = {}) {
        if (count > 0) parts.push_back(counted(count, noun).append(rest));
    };
    add(difference.buckets, "bucket");
    if (difference.passes > 0)
        parts.push_back(
            (difference.passes == 1 ? std::string("1 pass") : std::to_string(difference.passes) + " passes") +
            " added or removed");
    add(difference.options, "option");
    add(difference.overlaps, "overlap", " by hand");
    if (difference.order) parts.emplace_back("the order of passes");
    for (const std::string_view other : difference.others) parts.emplace_back(other);
    return parts.empty() ? "nothing" : listed(parts);
}

}  // namespace overlap
