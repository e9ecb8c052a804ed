#include "core/exports/expert_overlap_notes.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/files/json_members.h"
#include "core/plan/presets.h"

namespace overlap {
namespace {

bool has_step(std::span<const PassStep> steps, std::string_view pass) {
    return std::ranges::find(steps, pass, &PassStep::pass) != steps.end();
}

}  // namespace

std::vector<std::string> expert_overlap_notes(const Graph& graph, std::span<const PassStep> steps) {
    constexpr std::string_view order = "ep_overlap_schedule_pass";
    // What the trainer runs by itself is in its preset.
    if (has_step(steps, order) || !has_step(pipeline_presets(graph).front().steps, order)) return {};
    return {"the job was traced for expert overlap, and the plan does not have " + std::string(order) +
            ": the trainer runs its own behind the plan, so the order of the job is not the one shown here; add it "
            "to the plan"};
}

PassStep with_static_inputs(PassStep step, const Graph& graph) {
    constexpr const char *pass = "ep_overlap_chunk_pass", *option = "num_static_inputs";
    if (step.pass != pass || step.options.contains(option)) return step;
    const std::string_view text = json_member(graph.header().extra_json, option);
    std::int64_t inputs = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), inputs);
    if (error == std::errc() && end == text.data() + text.size()) step.options[option] = inputs;
    return step;
}

}  // namespace overlap
