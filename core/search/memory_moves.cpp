#include <algorithm>
#include <string>

#include "core/plan/memory_choices.h"
#include "core/plan/memory_edits.h"
#include "core/plan/presets.h"
#include "core/search/moves.h"

namespace overlap {
namespace {

/// Policies with gathers kept in some of the last layers, whose gathers in the backward pass come soonest.
std::vector<MemoryChoice> with_some_kept(const std::vector<MemoryChoice>& choices, const ModuleTree& tree) {
    const std::vector<std::string> layers = numbered_layers(tree);
    std::vector<MemoryChoice> some;
    for (const std::string_view policy : {"default", "full"}) {
        const auto choice = std::ranges::find(choices, policy, &MemoryChoice::name);
        if (choice == choices.end()) continue;
        for (const std::size_t eighths : {1, 4, 6}) {
            const std::size_t count = layers.size() * eighths / 8;
            if (count == 0) continue;
            MemoryChoice kept = *choice;
            kept.title += ", gathers kept in last " + std::to_string(count);
            kept.section.rules.push_back(
                {MemoryAction::keep, {layers.end() - static_cast<std::ptrdiff_t>(count), layers.end()}, {}});
            some.push_back(std::move(kept));
        }
    }
    return some;
}

}  // namespace

std::vector<MemoryChoice> memory_settings(const Graph& graph) {
    const ModuleTree tree(graph, preferred_module_source(graph));
    const std::vector<PassStep> steps = pipeline_presets(graph, tree).front().steps;
    const bool can_choose = std::ranges::find(steps, memory_tag_pass, &PassStep::pass) != steps.end();
    if (!can_choose || !memory_section_refusal(graph).empty()) return {};
    std::vector<MemoryChoice> settings = memory_choices(tree);
    for (MemoryChoice& more : with_some_kept(settings, tree)) settings.push_back(std::move(more));
    return settings;
}

std::vector<Proposal> memory_moves(const Plan& plan, const std::vector<MemoryChoice>& settings) {
    std::vector<Proposal> proposals;
    for (const MemoryChoice& setting : settings) {
        if (plan.memory == setting.section) continue;
        proposals.push_back({edits::with_memory(plan, setting.section), "memory: " + setting.title});
    }
    if (!proposals.empty() && plan.memory) {
        proposals.push_back(
            {edits::without_memory_passes(edits::without_memory(plan)), "nothing recomputed or gathered again"});
    }
    return proposals;
}

}  // namespace overlap
