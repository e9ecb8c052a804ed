#include "core/search/plan_locks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/graph/module_tree.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/memory_section.h"
#include "core/search/start_plan.h"

namespace overlap {
namespace {

/// Names of the passes of a plan that merge or order collectives, as they run.
std::vector<std::string> merging_passes(const Plan& plan) {
    std::vector<std::string> names;
    for (const PassStep& step : plan.pipeline)
        if (step.enabled && merges_or_orders(step.pass)) names.push_back(step.pass);
    return names;
}

/// Locks that name no single part.
constexpr std::array<std::string_view, 4> whole_parts = {"buckets", "overlaps", "passes", "memory"};

/// Whether one of the modules is the other or within it.
bool share_modules(const BucketEntry& entry, std::string_view module) {
    return std::ranges::any_of(
        entry.modules, [&](const std::string& named) { return is_within(named, module) || is_within(module, named); });
}

bool has_entry(const Plan& plan, const BucketEntry& entry) {
    return std::ranges::find(plan.buckets, entry.modules, &BucketEntry::modules) != plan.buckets.end();
}

bool is_merged(const Plan& plan, const BucketEntry& entry) {
    return std::ranges::any_of(plan.pipeline, [&](const PassStep& step) {
        if (!step.enabled || !takes_buckets(step.pass)) return false;
        const std::optional<StepBuckets> made = step_buckets(lower(plan, step));
        return made && std::ranges::find(made->entries, entry.modules, &BucketEntry::modules) != made->entries.end();
    });
}

void add_bucket(PlanLocks& locks, std::string_view name, const Plan& plan) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool is_number = error == std::errc{} && end == name.data() + name.size();
    if (is_number && number >= 1 && number <= plan.buckets.size()) {
        locks.buckets.push_back(plan.buckets[number - 1]);
        return;
    }
    for (const BucketEntry& entry : plan.buckets) {
        if (std::ranges::find(entry.modules, name) == entry.modules.end()) continue;
        locks.buckets.push_back(entry);
        return;
    }
    if (plan.buckets.empty())
        throw InputError("--lock",
                         "the plan to start from has no buckets of its own; those that a pass is given as its option "
                         "are kept with the pass (pass:NAME)");
    throw InputError("--lock", is_number ? "the plan to start from has no bucket " + std::string(name) + "; it has " +
                                               std::to_string(plan.buckets.size())
                                         : "no bucket of the plan to start from has the module " + in_quotes(name));
}

void add_overlap(PlanLocks& locks, std::string_view name, const Plan& plan) {
    const auto found = std::ranges::find(plan.overlaps.list, name, &OverlapDirective::collective);
    if (found == plan.overlaps.list.end())
        throw InputError("--lock", "the plan to start from has no overlap by hand of " + in_quotes(name));
    locks.overlaps.push_back(*found);
}

void add_pass(PlanLocks& locks, std::string_view name, const Plan& plan) {
    if (std::ranges::find(plan.pipeline, name, &PassStep::pass) == plan.pipeline.end())
        throw InputError("--lock", "the plan to start from does not run the pass " + in_quotes(name));
    locks.passes.emplace_back(name);
}

}  // namespace

void check_lock(std::string_view text) {
    if (std::ranges::find(whole_parts, text) != whole_parts.end()) return;
    const std::size_t colon = text.find(':');
    const std::string_view kind = text.substr(0, colon);
    const bool names_one = colon != std::string_view::npos && colon + 1 < text.size();
    if (names_one && (kind == "bucket" || kind == "overlap" || kind == "pass")) return;
    throw InputError("--lock", in_quotes(text) +
                                   " is no part of a plan; expected buckets, bucket:MODULE, overlaps, "
                                   "overlap:COLLECTIVE, passes, pass:NAME or memory");
}

void add_lock(PlanLocks& locks, std::string_view text, const Plan& plan) {
    check_lock(text);
    if (text == "passes") {
        locks.pipeline = true;
    } else if (text == "memory") {
        locks.memory = true;
    } else if (text == "buckets" || text == "overlaps") {
        const bool any = text == "buckets" ? !plan.buckets.empty() : !plan.overlaps.list.empty();
        if (!any) throw InputError("--lock", "the plan to start from has no " + std::string(text));
        if (text == "buckets") locks.buckets = plan.buckets;
        if (text == "overlaps") locks.overlaps = plan.overlaps.list;
    } else {
        const std::size_t colon = text.find(':');
        const std::string_view kind = text.substr(0, colon);
        const std::string_view name = text.substr(colon + 1);
        if (kind == "bucket") return add_bucket(locks, name, plan);
        if (kind == "overlap") return add_overlap(locks, name, plan);
        add_pass(locks, name, plan);
    }
}

std::vector<std::string> describe(const PlanLocks& locks) {
    std::vector<std::string> parts;
    for (const BucketEntry& entry : locks.buckets) parts.push_back("bucket " + display_name(entry));
    for (const OverlapDirective& directive : locks.overlaps) parts.push_back(describe(directive));
    if (locks.pipeline) parts.emplace_back("all passes");
    for (const std::string& pass : locks.passes) parts.push_back("pass " + pass);
    if (locks.memory) parts.emplace_back("memory");
    return parts;
}

LockedParts::LockedParts(const Plan& from, PlanLocks locks) : from_(from), locks_(std::move(locks)) {
    for (const BucketEntry& entry : locks_.buckets) {
        if (!is_merged(from, entry))
            throw StartPlanError("the bucket " + display_name(entry) +
                                 " cannot be kept: no pass of the plan to start from merges it");
    }
}

bool LockedParts::locks_pass(std::string_view pass) const {
    return locks_.pipeline || std::ranges::find(locks_.passes, pass) != locks_.passes.end() ||
           (locks_.memory && takes_memory_section(pass));
}

bool LockedParts::same_locked_passes(const Plan& plan) const {
    const auto locked = [this](const Plan& of) {
        std::vector<PassStep> steps;
        std::ranges::copy_if(of.pipeline, std::back_inserter(steps),
                             [this](const PassStep& step) { return locks_pass(step.pass); });
        return steps;
    };
    if (locks_.pipeline) return plan.pipeline == from_.pipeline;
    return locked(plan) == locked(from_);
}

std::string LockedParts::missing_in(const Plan& plan) const {
    if (empty()) return {};
    if (!same_locked_passes(plan)) return "passes";
    // Buckets and the rules of memory may be of modules that the plan's own rules make.
    const bool of_modules = !locks_.buckets.empty() || locks_.memory;
    if (of_modules && plan.module_rules != from_.module_rules) return "module rules";
    if (locks_.memory && plan.memory != from_.memory) return "memory";
    const bool merged_as_before = locks_.buckets.empty() || merging_passes(plan) == merging_passes(from_);
    for (const BucketEntry& entry : locks_.buckets)
        if (!merged_as_before || !has_entry(plan, entry)) return "bucket " + display_name(entry);
    for (const OverlapDirective& directive : locks_.overlaps) {
        const auto& list = plan.overlaps.list;
        if (std::ranges::find(list, directive) == list.end()) return describe(directive);
    }
    return {};
}

Plan LockedParts::put_into(Plan plan) const {
    if (empty()) return plan;
    // Buckets and the rules of memory may be of modules that the plan's own rules make.
    plan.module_rules = from_.module_rules;
    if (locks_.memory) plan.memory = from_.memory;
    put_passes(plan);
    put_buckets(plan);
    put_overlaps(plan);
    return plan;
}

void LockedParts::put_passes(Plan& plan) const {
    const bool merges_otherwise = !locks_.buckets.empty() && merging_passes(plan) != merging_passes(from_);
    if (locks_.pipeline || merges_otherwise) plan.pipeline = from_.pipeline;
    if (same_locked_passes(plan)) return;
    std::erase_if(plan.pipeline, [this](const PassStep& step) { return locks_pass(step.pass); });
    for (std::size_t index = 0; index < from_.pipeline.size(); ++index) {
        if (!locks_pass(from_.pipeline[index].pass)) continue;
        // Behind the nearest pass that came before it and is there, else first.
        std::size_t at = 0;
        for (std::size_t before = index; before-- > 0 && at == 0;) {
            for (std::size_t place = plan.pipeline.size(); place-- > 0 && at == 0;)
                if (plan.pipeline[place].pass == from_.pipeline[before].pass) at = place + 1;
        }
        plan.pipeline.insert(plan.pipeline.begin() + static_cast<std::ptrdiff_t>(at), from_.pipeline[index]);
    }
}

void LockedParts::put_buckets(Plan& plan) const {
    for (std::size_t index = 0; index < locks_.buckets.size(); ++index) {
        const BucketEntry& locked = locks_.buckets[index];
        if (has_entry(plan, locked)) continue;
        std::size_t at = plan.buckets.size();
        for (std::size_t entry = plan.buckets.size(); entry-- > 0;) {
            const auto taken = std::erase_if(plan.buckets[entry].modules,
                                             [&](const std::string& module) { return share_modules(locked, module); });
            if (taken > 0) at = entry;
        }
        plan.buckets.insert(plan.buckets.begin() + static_cast<std::ptrdiff_t>(at), locked);
    }
    std::erase_if(plan.buckets, [](const BucketEntry& entry) { return entry.modules.empty(); });
}

void LockedParts::put_overlaps(Plan& plan) const {
    if (locks_.overlaps.empty()) return;
    plan.overlaps.keep_group_order = from_.overlaps.keep_group_order;
    plan.overlaps.insert_overlap_deps = from_.overlaps.insert_overlap_deps;
    for (const OverlapDirective& locked : locks_.overlaps) {
        std::vector<OverlapDirective>& list = plan.overlaps.list;
        if (std::ranges::find(list, locked) != list.end()) continue;
        std::erase_if(list, [&](const OverlapDirective& other) { return other.collective == locked.collective; });
        list.push_back(locked);
    }
}

}  // namespace overlap
