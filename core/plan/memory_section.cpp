#include "core/plan/memory_section.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/graph/direction.h"

namespace overlap {

namespace {

constexpr std::array section_passes = {memory_tag_pass, memory_offload_pass, memory_remat_pass};

/// torchtitan's passes before those of the section.
constexpr std::array<std::string_view, 3> clean_ups = {"eliminate_dead_code_pass", "canonicalize_graph_pass",
                                                       "deduplicate_fsdp_unshard_chains_pass"};

bool is_any(std::string_view pass, const auto& passes) {
    return std::ranges::find(passes, pass) != passes.end();
}

}  // namespace

bool takes_memory_section(std::string_view pass) {
    return is_any(pass, section_passes);
}

bool carries_out_memory(const PassStep& step) {
    return step.enabled && takes_memory_section(step.pass);
}

Options memory_options(const MemorySection& section, std::string_view pass) {
    if (pass == memory_tag_pass) {
        Options options{{"memory_policy", section.policy}, {"cpu_offload_budget_gb", section.cpu_offload_budget_gb}};
        if (!section.rules.empty()) options["rules"] = memory_rules_text(section.rules);
        return options;
    }
    if (pass == memory_offload_pass) {
        return {{"prefetch_lookahead", section.prefetch_lookahead}, {"defer_n_layers", section.defer_n_layers}};
    }
    return {};
}

std::vector<PassStep> with_memory_steps(std::vector<PassStep> pipeline) {
    auto place = pipeline.begin();
    while (place != pipeline.end() && is_any(place->pass, clean_ups)) ++place;
    for (const std::string_view pass : section_passes) {
        const auto there = std::ranges::find(pipeline, pass, &PassStep::pass);
        if (there != pipeline.end()) {
            place = there + 1;
        } else {
            place = pipeline.insert(place, PassStep{std::string(pass)}) + 1;
        }
    }
    return pipeline;
}

bool has_run_memory_passes(const Graph& graph) {
    std::vector<bool> offloads(graph.target_count());
    for (std::uint32_t target = 0; target < offloads.size(); ++target)
        offloads[target] = graph.target_text(target).starts_with("ao.");
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) != NodeOp::call_function) continue;
        if (offloads[graph.record(node).target] || is_recomputed(graph, node)) return true;
    }
    return false;
}

std::string memory_section_refusal(const Graph& graph) {
    if (!has_run_memory_passes(graph)) return {};
    return "the graph recomputes or offloads activations already, so the plan's memory section comes too late for it: "
           "export the graph before the trainer's memory passes (register_pipeline(..., memory=True))";
}

}  // namespace overlap
