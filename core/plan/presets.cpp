#include "core/plan/presets.h"

#include <algorithm>

#include "core/passes/registry/registry.h"
#include "core/plan/preset_titles.h"
#include "core/plan/trainer_traits.h"

namespace overlap {

namespace {

/// Writes one preset: the trainer's list from the first pass to the last.
class PresetWriter {
  public:
    PresetWriter(const TrainerTraits& traits, bool performance) : traits_(traits), performance_(performance) {}

    PipelinePreset write() {
        if (!traits_.joint) {
            add("transformer_block_bucketing_reordering_pass");
            if (performance_) {
                note("reassign_collective_pgs_pass, schedule_fsdp_comms_to_dense_regions_pass",
                     "torchtitan runs them on joint graphs only");
            }
            return std::move(preset_);
        }
        if (traits_.bucketed) {
            note("everything up to joint_transformer_block_bucketing_reordering_pass",
                 "the graph has been bucketed already");
        } else {
            add_clean_ups();
            add_expert_overlap();
            if (performance_) add_group_of_gathers();
            add_bucketing();
        }
        if (overlaps_experts()) add_order_of_halves();
        if (performance_) add_dense_regions();
        if (traits_.communicates_activations) {
            note(
                "async_tensor_parallel_pass",
                "torchtitan runs it last where the job switches it on (compile.enable_async_tensor_parallel); it fuses "
                "collectives with their products, which changes the graph: add micro_pipeline_tp_pass for it");
        }
        note("Inductor, kernel annotations, CUDA graphs",
             "they compile what the steps above leave; where the job is compiled as a whole, Inductor orders "
             "collectives "
             "once more");
        return std::move(preset_);
    }

  private:
    void add(std::string pass, Options options = {}) { preset_.steps.push_back({std::move(pass), std::move(options)}); }

    void note(const std::string& what, const std::string& why) {
        Problem problem;
        problem.kind = ProblemKind::not_in_preset;
        problem.title = "Not in the preset";
        problem.message = what + ": " + why;
        preset_.notes.push_back(std::move(problem));
    }

    /// A graph that recomputes activations comes after rematerialisation. Deduplicating then would remove the gathers
    /// of the backward pass.
    void add_clean_ups() {
        const std::vector<std::string> passes = {
            "eliminate_dead_code_pass",    "canonicalize_graph_pass", "deduplicate_fsdp_unshard_chains_pass",
            "tag_with_memory_policy_pass", "apply_cpu_offload_pass",  "selective_activation_remat_pass"};
        if (!traits_.recomputes) {
            for (const std::string& pass : passes) add(pass);
            return;
        }
        std::string names;
        for (const std::string& pass : passes) names += (names.empty() ? "" : ", ") + pass;
        note(names, "the graph recomputes or offloads activations, so they have been run already");
    }

    /// What compile.ep_overlap.enabled switches on: the job has traced for it, or the preset has all that there is.
    bool overlaps_experts() const {
        const bool traced_for_it = traits_.symbolic_inputs || traits_.chunked || !traits_.halved_by_model.empty();
        return traits_.exchanges && (performance_ || traced_for_it);
    }

    void add_expert_overlap() {
        if (!overlaps_experts()) {
            if (performance_) note("isolate_ep_process_group_pass", "the graph exchanges no tokens");
            return;
        }
        if (!traits_.chunked) add_halving();
        add("isolate_ep_process_group_pass");
        add("eliminate_dead_code_pass");
    }

    void add_group_of_gathers() {
        if (traits_.reassigned) return note("reassign_collective_pgs_pass", "it has been run already");
        add("reassign_collective_pgs_pass");
    }

    void add_halving() {
        constexpr const char *dimension = "populate_chunk_dim_metadata_pass", *chunk = "ep_overlap_chunk_pass";
        if (!traits_.halved_by_model.empty()) return add("populate_eager_chunk_metadata_pass");
        if (!traits_.pass_halves()) {
            return note(std::string(dimension) + ", " + chunk,
                        "no input has a size to halve, because the job traces for it only with "
                        "compile.ep_overlap.enabled");
        }
        add(dimension, {{"mode", std::string("batch")}});
        add(chunk, {{"mode", std::string("batch")}, {"module_pattern", whole_blocks}});
        note("the job's own halves",
             "whole blocks are halved along the batch here, as by default; a job may set compile.ep_overlap.module_fqn "
             "to layers.*.moe, and its chunk_dim to seq, so give the two passes what it sets");
    }

    void add_order_of_halves() {
        constexpr const char *order = "ep_overlap_schedule_pass", *sizes = "concretize_ep_chunk_symbolic_shapes_pass";
        if (traits_.halves_ordered) return note(order, "it has been run already");
        const std::string halved = traits_.halved_modules();
        if (halved.empty()) return note(std::string(order) + ", " + sizes, "no module is halved");
        add(order, {{"module_pattern", halved}, {"pair_first_token_exchange", halved == expert_modules}});
        if (!traits_.halved_by_model.empty())
            return note(sizes, "no size is symbolic where the model halves its batch itself");
        add(sizes);
    }

    void add_bucketing() {
        Options options;
        if (traits_.module_order.empty()) {
            note("fsdp_param_module_order",
                 "the file does not say which parameters the inputs are, so buckets are packed in the order of the "
                 "graph, and torchtitan packs them in the order of the parameters");
        } else {
            options["fsdp_param_module_order"] = traits_.module_order;
        }
        add("joint_transformer_block_bucketing_reordering_pass", std::move(options));
    }

    void add_dense_regions() {
        constexpr const char* pass = "schedule_fsdp_comms_to_dense_regions_pass";
        const bool with_halves = traits_.halved_by_model.empty() && traits_.halved_modules() == expert_modules;
        if (!traits_.halved_modules().empty() && !with_halves)
            return note(pass,
                        "torchtitan leaves it out where modules are halved for expert overlap, unless its pass halves "
                        "layers.*.moe");
        if (traits_.layers == 0) return note(pass, "the graph has no modules layers.0, layers.1, ...");
        // The memory policy of the trainer's default gathers parameters again.
        const bool recomputes_here = !traits_.recomputes && !traits_.bucketed;
        if (!traits_.gathers_again && !recomputes_here) {
            return note(pass,
                        "no parameters are gathered for the backward pass, because they are kept; torchtitan would "
                        "raise a ValueError");
        }
        if (traits_.communicates_activations) {
            return note(pass,
                        "it counts the blocks' gathers and scatters, and those of activations (tensor parallelism) "
                        "are not expected: torchtitan would raise a ValueError");
        }
        // The trainer is strict. Graphs with chunked loss, whose gradients' views have several users, raise then.
        note(std::string(pass) + ", strict",
             "false here, so that what cannot move stays in place and is reported; torchtitan's trainer would raise a "
             "ValueError for it");
        add(pass, {{"moe_layer_ids", traits_.expert_layers}, {"n_layers", traits_.layers}, {"strict", false}});
    }

    const TrainerTraits& traits_;
    bool performance_;
    PipelinePreset preset_;
};

/// torchtitan's compile mode puts norm and head before the blocks (get_transformer_block_buckets).
void move_tail_behind_embeddings(std::vector<BucketEntry>& buckets) {
    const auto is_block = [](const BucketEntry& entry) { return entry.modules.front().starts_with("layers."); };
    const auto first_block = std::ranges::find_if(buckets, is_block);
    const auto tail = std::find_if_not(first_block, buckets.end(), is_block);
    std::rotate(first_block, tail, buckets.end());
}

}  // namespace

std::vector<PipelinePreset> pipeline_presets(const Graph& graph) {
    return pipeline_presets(graph, ModuleTree(graph, preferred_module_source(graph)));
}

std::vector<PipelinePreset> pipeline_presets(const Graph& graph, const ModuleTree& tree) {
    const TrainerTraits traits = trainer_traits(graph, tree);
    std::vector<BucketEntry> buckets = one_bucket_per_block(tree, &graph);
    if (!traits.joint) move_tail_behind_embeddings(buckets);

    PipelinePreset by_default = PresetWriter(traits, false).write();
    by_default.name = preset_names[0];
    by_default.title = preset_titles[0];
    by_default.help = "What torchtitan runs unless configured otherwise: clean-ups, then one bucket a block.";
    PipelinePreset performance = PresetWriter(traits, true).write();
    performance.name = preset_names[1];
    performance.title = preset_titles[1];
    performance.help =
        "The default, and everything that torchtitan can switch on for overlap: process groups of their own for "
        "gathers and token exchange, and launches in dense regions.";
    if (!tree.exists()) {
        // The pass for graphs that are not joint looks for module stacks.
        const Problem problem = no_modules(graph, ModuleTree(graph, ModuleSource::module_stack));
        for (PipelinePreset* preset : {&by_default, &performance}) preset->notes.push_back(problem);
    }
    by_default.buckets = buckets;
    performance.buckets = std::move(buckets);
    std::vector<PipelinePreset> presets;
    presets.push_back(std::move(by_default));
    presets.push_back(std::move(performance));
    return presets;
}

Plan plan_of(const PipelinePreset& preset, const Graph& graph, std::string name) {
    Plan plan;
    plan.name = std::move(name);
    plan.graph = fingerprint(graph);
    plan.buckets = preset.buckets;
    plan.pipeline = preset.steps;
    return plan;
}

PassStep suggested_step(const Graph& graph, std::string_view pass) {
    return suggested_step(make_plan(graph, ""), pipeline_presets(graph), pass);
}

PassStep suggested_step(const Plan& empty_plan, const std::vector<PipelinePreset>& presets, std::string_view pass) {
    for (const PassStep& step : empty_plan.pipeline) {
        if (step.pass == pass) return step;
    }
    for (auto preset = presets.rbegin(); preset != presets.rend(); ++preset) {
        const auto step = std::ranges::find(preset->steps, pass, &PassStep::pass);
        if (step != preset->steps.end()) return *step;
    }
    PassStep step;
    step.pass = pass;
    for (const PassOption& option : require_pass(pass).options()) {
        const bool given = option.required && option.type != PassOption::Type::module_lists;
        if (given) step.options[option.name] = option.default_value;
    }
    return step;
}

}  // namespace overlap
