#include "core/plan/plan_edits.h"

#include <algorithm>

#include "core/passes/registry/registry.h"
#include "core/plan/expert_overlap.h"
#include "core/plan/memory_obstacles.h"

namespace overlap {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

void append_new(std::vector<std::string>& names, const std::vector<std::string>& more) {
    for (const std::string& name : more)
        if (!contains(names, name)) names.push_back(name);
}

std::vector<std::size_t> sorted_within(std::vector<std::size_t> indices, std::size_t size) {
    std::sort(indices.begin(), indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
    std::erase_if(indices, [size](std::size_t index) { return index >= size; });
    return indices;
}

/// Takes the modules out of all entries but `keep` and drops the entries that this empties; returns the new place of
/// entry or position `keep`.
std::size_t take_out_except(Buckets& buckets, const std::vector<std::string>& modules, std::size_t keep,
                            bool keep_is_entry) {
    std::size_t shift = 0;
    Buckets result;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        if (keep_is_entry && i == keep) {
            result.push_back(std::move(buckets[i]));
            continue;
        }
        const std::size_t before = buckets[i].modules.size();
        std::erase_if(buckets[i].modules, [&](const std::string& name) { return contains(modules, name); });
        const bool emptied = before > 0 && buckets[i].modules.empty();
        if (emptied && i < keep) ++shift;
        if (!emptied) result.push_back(std::move(buckets[i]));
    }
    buckets = std::move(result);
    return keep - shift;
}

}  // namespace

namespace edits {

Buckets add(Buckets buckets, std::size_t at, const Buckets& entries) {
    at = std::min(at, buckets.size());
    buckets.insert(buckets.begin() + static_cast<std::ptrdiff_t>(at), entries.begin(), entries.end());
    return buckets;
}

Buckets remove(Buckets buckets, std::vector<std::size_t> entries) {
    entries = sorted_within(std::move(entries), buckets.size());
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)
        buckets.erase(buckets.begin() + static_cast<std::ptrdiff_t>(*entry));
    return buckets;
}

Buckets move_modules(Buckets buckets, const std::vector<std::string>& modules, std::size_t target) {
    if (target >= buckets.size()) return buckets;
    target = take_out_except(buckets, modules, target, true);
    append_new(buckets[target].modules, modules);
    return buckets;
}

Buckets move_modules_to_new(Buckets buckets, const std::vector<std::string>& modules, std::size_t at) {
    at = take_out_except(buckets, modules, std::min(at, buckets.size()), false);
    BucketEntry entry;
    append_new(entry.modules, modules);
    if (entry.modules.empty()) return buckets;
    return add(std::move(buckets), at, {entry});
}

Buckets take_out(Buckets buckets, const std::vector<std::string>& modules) {
    take_out_except(buckets, modules, buckets.size(), false);
    return buckets;
}

Buckets merge(Buckets buckets, std::vector<std::size_t> entries) {
    entries = sorted_within(std::move(entries), buckets.size());
    if (entries.size() < 2) return buckets;
    for (auto entry = entries.begin() + 1; entry != entries.end(); ++entry)
        append_new(buckets[entries[0]].modules, buckets[*entry].modules);
    entries.erase(entries.begin());
    return remove(std::move(buckets), entries);
}

Buckets split(Buckets buckets, std::size_t entry) {
    if (entry >= buckets.size() || buckets[entry].modules.size() < 2) return buckets;
    Buckets parts;
    for (const std::string& name : buckets[entry].modules) parts.push_back({{name}, false, {}});
    buckets.erase(buckets.begin() + static_cast<std::ptrdiff_t>(entry));
    return add(std::move(buckets), entry, parts);
}

Buckets rename(Buckets buckets, std::size_t entry, const std::string& title) {
    if (entry < buckets.size()) buckets[entry].title = title;
    return buckets;
}

Buckets move_entry(Buckets buckets, std::size_t from, std::size_t to) {
    if (from >= buckets.size() || to >= buckets.size()) return buckets;
    BucketEntry entry = std::move(buckets[from]);
    buckets.erase(buckets.begin() + static_cast<std::ptrdiff_t>(from));
    buckets.insert(buckets.begin() + static_cast<std::ptrdiff_t>(to), std::move(entry));
    return buckets;
}

Buckets move_module_within(Buckets buckets, std::size_t entry, std::size_t from, std::size_t to) {
    if (entry >= buckets.size()) return buckets;
    auto& modules = buckets[entry].modules;
    if (from >= modules.size() || to >= modules.size()) return buckets;
    std::string name = std::move(modules[from]);
    modules.erase(modules.begin() + static_cast<std::ptrdiff_t>(from));
    modules.insert(modules.begin() + static_cast<std::ptrdiff_t>(to), std::move(name));
    return buckets;
}

Buckets replace_module(Buckets buckets, std::size_t entry, const std::string& module, const std::string& replacement) {
    if (entry < buckets.size())
        std::replace(buckets[entry].modules.begin(), buckets[entry].modules.end(), module, replacement);
    return buckets;
}

Buckets remove_module(Buckets buckets, std::size_t entry, const std::string& module) {
    if (entry >= buckets.size()) return buckets;
    std::erase(buckets[entry].modules, module);
    return buckets[entry].modules.empty() ? remove(std::move(buckets), {entry}) : buckets;
}

Buckets without_modules(Buckets buckets, const std::vector<std::string>& modules) {
    std::erase_if(buckets, [&](BucketEntry& entry) {
        const auto goes = [&](const std::string& module) { return std::ranges::count(modules, module) > 0; };
        return std::erase_if(entry.modules, goes) > 0 && entry.modules.empty();
    });
    return buckets;
}

std::optional<Plan> with_directions_apart(const Plan& plan) {
    const auto merges_both = [](const PassStep& step) {
        return step.enabled && step.pass == "manual_overlap_bucketing" && step.options.contains("module_stack_fn");
    };
    Plan apart = plan;
    const auto step = std::ranges::find_if(apart.pipeline, merges_both);
    if (step == apart.pipeline.end()) return std::nullopt;
    PassStep joint{"joint_transformer_block_bucketing_reordering_pass"};
    for (const PassOption& option : require_pass(joint.pass).options())
        if (const OptionValue* value = step->options.find(option.name)) joint.options[option.name] = *value;
    *step = std::move(joint);
    return apart;
}

std::optional<Plan> with_fix(const Plan& plan, const Problem& problem) {
    if (problem.kind == ProblemKind::gathered_for_both && !problem.fix.empty()) return with_directions_apart(plan);
    if (problem.kind == ProblemKind::incomplete_expert_overlap && !problem.fix.empty())
        return with_rest_of_expert_overlap(plan);
    if (problem.kind == ProblemKind::rest_of_expert_overlap) return without_expert_overlap(plan);
    // The one refusal with a fix, see JoinedGradientRefusal.
    if (problem.kind == ProblemKind::refused && !problem.fix.empty()) return with_gradients_joined_last(plan);
    Plan fixed = plan;
    if (problem.kind == ProblemKind::memory_not_carried_out) {
        std::optional<std::vector<PassStep>> pipeline = with_memory_fix(plan.pipeline, problem.fix);
        if (!pipeline) return std::nullopt;
        fixed.pipeline = std::move(*pipeline);
        return fixed;
    }
    if (problem.kind == ProblemKind::overlap_refused) {
        if (!problem.directive || *problem.directive >= plan.overlaps.list.size()) return std::nullopt;
        fixed.overlaps.list.erase(fixed.overlaps.list.begin() + static_cast<std::ptrdiff_t>(*problem.directive));
        return fixed;
    }
    if (problem.fix.empty() || problem.plan_entry < 0) return std::nullopt;
    const auto entry = static_cast<std::size_t>(problem.plan_entry);
    if (entry >= plan.buckets.size()) return std::nullopt;
    if (problem.kind == ProblemKind::empty_entry || problem.kind == ProblemKind::nothing_gathered) {
        fixed.buckets = remove(std::move(fixed.buckets), {entry});
        return fixed;
    }
    if (problem.module.empty()) return std::nullopt;
    if (problem.kind == ProblemKind::overlapping_entries &&
        std::ranges::count(plan.buckets[entry].modules, problem.module) > 1) {
        // Named twice: one of them stays.
        std::vector<std::string>& modules = fixed.buckets[entry].modules;
        modules.erase(std::find(modules.rbegin(), modules.rend(), problem.module).base() - 1);
        return fixed;
    }
    fixed.buckets = problem.replacement
                        ? replace_module(std::move(fixed.buckets), entry, problem.module, *problem.replacement)
                        : remove_module(std::move(fixed.buckets), entry, problem.module);
    return fixed;
}

}  // namespace edits

int bucket_of_module(const Buckets& buckets, const std::string& path) {
    for (std::size_t i = 0; i < buckets.size(); ++i)
        for (const std::string& module : buckets[i].modules)
            if (is_within(path, module)) return static_cast<int>(i);
    return -1;
}

}  // namespace overlap
