#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/module_tree.h"
#include "core/passes/pass.h"
#include "core/plan/plan.h"

namespace overlap {

/// A pipeline by name, made for one graph: what torchtitan's trainer would run on it (graph_trainer/passes.py,
/// construct_default_graph_passes), as far as the graph shows which of its conditions hold.
struct PipelinePreset {
    std::string name;   ///< one of preset_names
    std::string title;  ///< for display
    std::string help;   ///< one sentence
    /// In order. Steps that take buckets have none of their own: they take the plan's.
    std::vector<PassStep> steps;
    /// The trainer's own plan for the graph, as an initial plan.
    std::vector<BucketEntry> buckets;
    /// The trainer's passes that are not among `steps` although they would run, and why; what could not be read from
    /// the graph. Of severity note and kind `not_in_preset`; a caution `no_modules` where no node names a module.
    std::vector<Problem> notes;
};

/// Stable names of the presets, in their order.
inline const std::array<std::string, 2> preset_names{"torchtitan_default", "torchtitan_performance"};

/// The presets for a graph, in the order of preset_names. Graphs of separate forward and backward passes, with module
/// stacks, get the pass that torchtitan's compile mode runs on each; joint graphs of its graph trainer get the whole
/// list. The performance preset adds what `enable_fsdp_ag_rs_overlap`, `enable_fsdp_dense_region_overlap` and expert
/// parallelism's overlap switch on.
std::vector<PipelinePreset> pipeline_presets(const Graph& graph);
/// @param tree the graph's, by preferred_module_source().
std::vector<PipelinePreset> pipeline_presets(const Graph& graph, const ModuleTree& tree);

/// A plan of a preset: its buckets and steps.
Plan plan_of(const PipelinePreset& preset, const Graph& graph, std::string name);

/// A step as one would add it to a plan for the graph: as a preset has it; otherwise with the module source that fits,
/// and required options at their start values. Buckets come from the plan.
/// @param pass the name of a pass that exists.
PassStep suggested_step(const Graph& graph, std::string_view pass);
/// @param empty_plan the graph's, see make_plan().
/// @param presets the graph's, see pipeline_presets().
PassStep suggested_step(const Plan& empty_plan, const std::vector<PipelinePreset>& presets, std::string_view pass);

}  // namespace overlap
