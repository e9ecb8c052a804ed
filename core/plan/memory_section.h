#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/unknown_fields.h"
#include "core/graph/graph.h"
#include "core/passes/memory/memory_rules.h"
#include "core/passes/pass.h"

namespace overlap {

/// What a plan says of memory between forward and backward: which outputs are saved, computed again or kept on the
/// host, and which gathered parameters are kept (docs/formats.md, `memory`). Names and defaults are those of
/// torchtitan's options.
struct MemorySection {
    std::string policy = "default";       ///< memory_policy of tag_with_memory_policy_pass
    std::vector<MemoryRule> rules;        ///< exceptions from it; the last that names a node counts
    double cpu_offload_budget_gb = 100;   ///< GiB of host memory for what the policy offloads; 0 or less: no limit
    std::int64_t prefetch_lookahead = 1;  ///< layers by which copies back to the device start earlier
    std::int64_t defer_n_layers = 1;      ///< layers by which waits for copies to the host come later
    UnknownFields extra{};

    bool operator==(const MemorySection&) const = default;
};

/// The passes that carry the section out, in their order.
inline constexpr std::string_view memory_tag_pass = "tag_with_memory_policy_pass",
                                  memory_offload_pass = "apply_cpu_offload_pass",
                                  memory_remat_pass = "selective_activation_remat_pass";

bool takes_memory_section(std::string_view pass);
/// Whether the step is on and its pass takes the section.
bool carries_out_memory(const PassStep& step);

/// The options that a pass gets from the section where its step does not give them; none for other passes.
Options memory_options(const MemorySection& section, std::string_view pass);

/// The pipeline with the section's passes: those that are missing are added where torchtitan has them, behind the
/// clean-ups. Steps that are there stay as they are.
std::vector<PassStep> with_memory_steps(std::vector<PassStep> pipeline);

/// Whether a graph recomputes or offloads activations: the passes have been run on it.
bool has_run_memory_passes(const Graph& graph);

/// Why a plan with the section cannot be run on a graph, as a sentence without full stop, with the remedy; empty where
/// it can.
std::string memory_section_refusal(const Graph& graph);

}  // namespace overlap
