#include "core/exports/expert_overlap_notes.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/files/json_members.h"

namespace overlap {
namespace {

bool has_step(std::span<const PassStep> steps, std::string_view pass) {
    return std::ranges::find(steps, pass, &PassStep::pass) != steps.end();
}

/// Whether the job was traced with compile.ep_overlap.enabled: modules are halved, or inputs have a size to halve.
bool traced_for_expert_overlap(const Graph& graph) {
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const NodeMetadata& metadata = graph.metadata(node);
        const std::string_view custom = graph.text(metadata.custom_json), fields = graph.text(metadata.extra_json);
        if (custom.find("chunked_region_fqn") != custom.npos || fields.find("chunked_region_fqn") != fields.npos)
            return true;
        if (graph.op(node) == NodeOp::placeholder && fields.find("symbolic_shapes") != fields.npos) return true;
    }
    return false;
}

}  // namespace

std::vector<std::string> expert_overlap_notes(const Graph& graph, std::span<const PassStep> steps) {
    constexpr std::string_view order = "ep_overlap_schedule_pass";
    if (has_step(steps, order) || !traced_for_expert_overlap(graph)) return {};
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
