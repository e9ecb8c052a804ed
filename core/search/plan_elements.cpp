#include "core/search/plan_elements.h"

#include <algorithm>
#include <utility>

#include "core/passes/overlaps/overlap_directives.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/memory_edits.h"

namespace overlap {
namespace {

/// What a plan says of memory in words; empty where it says nothing.
std::string memory_text(const Plan& plan) {
    const bool has_passes = std::ranges::any_of(plan.pipeline, carries_out_memory);
    if (!plan.memory) return has_passes ? "memory passes" : "";
    return "memory section, policy " + plan.memory->policy + (has_passes ? ", with its passes" : "");
}

}  // namespace

std::vector<ElementRemoval> elements_of(const Plan& plan) {
    using Kind = ElementRemoval::Kind;
    std::vector<ElementRemoval> elements;
    for (std::size_t index = 0; index < plan.overlaps.list.size(); ++index)
        elements.push_back({Kind::overlap, describe(plan.overlaps.list[index]), 0, index, {}});
    for (std::size_t index = 0; index < plan.buckets.size(); ++index)
        elements.push_back({Kind::bucket, "bucket " + display_name(plan.buckets[index]), 0, index, {}});
    if (std::string memory = memory_text(plan); !memory.empty())
        elements.push_back({Kind::memory, std::move(memory), 0, 0, {}});
    if (plan.memory) {
        for (std::size_t index = 0; index < plan.memory->rules.size(); ++index)
            elements.push_back(
                {Kind::memory_rule, "memory: " + memory_rule_text(plan.memory->rules[index]), 0, index, {}});
    }
    for (std::size_t step = 0; step < plan.pipeline.size(); ++step) {
        const PassStep& given = plan.pipeline[step];
        if (!given.enabled || carries_out_memory(given)) continue;
        elements.push_back({Kind::step, "pass " + given.pass, step, 0, {}});
        if (given.pass != automatic_pass) continue;
        for (const auto& [option, value] : given.options)
            elements.push_back({Kind::option, option + " = " + describe(value) + " of " + given.pass, step, 0, option});
    }
    return elements;
}

Plan without(const Plan& plan, const std::vector<ElementRemoval>& removals) {
    using Kind = ElementRemoval::Kind;
    Plan changed = plan;
    const auto is_removed = [&](Kind kind, std::size_t at) {
        return std::ranges::any_of(removals, [&](const ElementRemoval& removal) {
            return removal.kind == kind && (kind == Kind::step ? removal.step : removal.index) == at;
        });
    };
    for (const ElementRemoval& removal : removals) {
        if (removal.kind == Kind::option) changed.pipeline[removal.step].options.erase(removal.option);
    }
    const auto erase = [&](auto& list, Kind kind) {
        std::size_t at = 0;
        std::erase_if(list, [&](const auto&) { return is_removed(kind, at++); });
    };
    erase(changed.overlaps.list, Kind::overlap);
    erase(changed.buckets, Kind::bucket);
    erase(changed.pipeline, Kind::step);
    if (changed.memory) erase(changed.memory->rules, Kind::memory_rule);
    return is_removed(Kind::memory, 0) ? edits::without_memory_passes(edits::without_memory(std::move(changed)))
                                       : changed;
}

}  // namespace overlap
