// A Python module for torchtitan's graph trainer: the plan's buckets as its passes take them, and the plan's steps as a
// pipeline of passes (torchtitan/experiments/graph_trainer: registry.py, passes.py, fsdp_passes.py). The passes are
// named by data; the code around them is the same in every file.

#include <algorithm>
#include <array>
#include <iterator>

#include "core/base/error.h"
#include "core/exports/expert_overlap_notes.h"
#include "core/exports/formats.h"
#include "core/exports/left_out.h"
#include "core/exports/python_file.h"
#include "core/exports/python_text.h"
#include "core/io/plan/option_json.h"
#include "core/passes/registry/registry.h"

namespace overlap {

namespace {

constexpr std::string_view docstring = R"py(A plan for torchtitan's graph trainer.

Put this file where the training job can import it, and before the trainer starts:

    import FILE
    FILE.register()            # then run with --compile.pass_pipeline overlap_plan

The trainer's own list of passes stays; the plan's steps take the place of its process-group, bucketing and
dense-region passes, and of its passes for memory, expert overlap and asynchronous tensor parallelism where the plan
has them. For a graph outside the trainer, `apply(gm)`
runs the plan's steps on it.
`module_bucket_plans` alone is what the trainer's bucketing passes call by that name.
)py";

constexpr std::string_view pipeline_code = R"py(

def module_fqn_stack(node):
    """The module that torchtitan notes on a node, as PyTorch's passes want module stacks."""
    import torch

    name = node.meta.get("custom", {}).get("module_fqn")
    return [(name, torch.nn.Module)] if name else []


def bucket_counts(n_layers):
    """How many buckets each block has, as the trainer counts them."""
    from torchtitan.experiments.graph_trainer.fsdp_passes import get_transformer_block_bucket_counts

    return get_transformer_block_bucket_counts(module_bucket_plans, n_layers=n_layers)


def constant_cap(megabytes):
    """One size for every bucket."""
    return lambda bucket_index: megabytes


def graph_pass(name, module, takes, options):
    """A pass as the trainer calls it, (gm, example_inputs) -> gm, under the pass's own name."""
    function = getattr(importlib.import_module(module), name)
    if takes == "inputs":
        return functools.partial(function, **options)
    if takes == "config":
        reshards = options.pop("reshard_after_forward", True)
        config = types.SimpleNamespace(
            compile=types.SimpleNamespace(**options),
            parallelism=types.SimpleNamespace(
                fsdp_reshard_after_forward="always" if reshards else "never", pipeline_parallel_degree=1
            ),
        )
        return functools.partial(function, config=config)

    def run(gm, example_inputs=None):
        if takes == "graph":
            function(gm.graph, **options)
        elif takes == "settings":
            from torch._inductor import config

            with config.patch({f"aten_distributed_optimizations.{key}": value for key, value in options.items()}):
                function(gm.graph)
        else:
            gm = function(gm, **options) or gm
        gm.graph.lint()
        gm.recompile()
        return gm

    run.__name__ = name
    return run


def apply(gm, example_inputs=None):
    """Runs the plan's steps on a graph module, one after the other, and returns the result."""
    for run in plan_passes():
        gm = run(gm, example_inputs)
    return gm


# Passes of the trainer's default list that the plan decides on.
DECIDED_BY_PLAN = (
    "isolate_ep_process_group_pass",
    "reassign_collective_pgs_pass",
    "joint_transformer_block_bucketing_reordering_pass",
    "schedule_fsdp_comms_to_dense_regions_pass",
)
# Those that it decides on where it has one of them; else the trainer's configuration does.
MEMORY_PASSES = ("tag_with_memory_policy_pass", "apply_cpu_offload_pass", "selective_activation_remat_pass")


# Passes that hide the collectives of experts and of tensor parallelism: a plan decides on each that it has.
HIDING_PASSES = (
    "populate_chunk_dim_metadata_pass",
    "ep_overlap_chunk_pass",
    "populate_eager_chunk_metadata_pass",
    "ep_overlap_schedule_pass",
    "concretize_ep_chunk_symbolic_shapes_pass",
    "async_tensor_parallel_pass",
)


def name_of(graph_pass):
    return getattr(graph_pass, "func", graph_pass).__name__


def construct_passes(traced_result, config, *, parallel_dims=None):
    """The trainer's default passes with the plan's steps in place of its bucketing.

    Steps that the plan begins with and the trainer begins with as well (clean-ups) are run once.
    """
    from torchtitan.experiments.graph_trainer.passes import construct_default_graph_passes

    default = construct_default_graph_passes(traced_result, config, parallel_dims=parallel_dims)
    names = [name_of(graph_pass) for graph_pass in default]
    bucketing = "joint_transformer_block_bucketing_reordering_pass"
    if bucketing not in names:
        raise RuntimeError(f"the trainer's passes lack {bucketing}, in whose place the plan runs: {names}")
    place = names.index(bucketing)
    steps = plan_passes()
    has_memory_passes = any(name_of(step) in MEMORY_PASSES for step in steps)
    decided = DECIDED_BY_PLAN + (MEMORY_PASSES if has_memory_passes else ())
    decided += tuple(name_of(step) for step in steps if name_of(step) in HIDING_PASSES)
    shared = 0
    while shared < min(place, len(steps)) and name_of(steps[shared]) == names[shared] not in decided:
        shared += 1
    before = [run for run in default[:place] if name_of(run) not in decided]
    after = [run for run in default[place:] if name_of(run) not in decided]
    return before + steps[shared:] + after


def register(name="overlap_plan"):
    """Makes the pipeline known to the trainer; choose it with --compile.pass_pipeline NAME."""
    from torchtitan.experiments.graph_trainer.registry import register_pass_pipeline

    register_pass_pipeline(name)(construct_passes)
    return name
)py";

/// Where a training job finds a pass, and what it hands it beside the options.
struct JobPass {
    std::string_view name;
    std::string_view module;
    /// `inputs` beside the graph module, these and the trainer's `config`, the graph `module` alone, or its `graph`,
    /// which with `settings` has its options in Inductor's.
    std::string_view takes;
    /// What the job calls it where that is another name.
    std::string_view function = {};
};

constexpr std::string_view trainer_fsdp = "torchtitan.experiments.graph_trainer.fsdp_passes";
constexpr std::string_view trainer_clean_ups = "torchtitan.experiments.graph_trainer.remove_noop_passes";
constexpr std::string_view trainer_expert_groups = "torchtitan.experiments.graph_trainer.ep_process_group_pass";
constexpr std::string_view trainer_chunks = "torchtitan.experiments.graph_trainer.ep_chunk_pass";
constexpr std::string_view torch_bucketing = "torch._inductor.fx_passes.bucketing";

constexpr std::array job_passes = {
    JobPass{"apply_cpu_offload_pass", "torchtitan.experiments.graph_trainer.cpu_offload", "inputs"},
    JobPass{"bucket_all_gather", torch_bucketing, "module"},
    JobPass{"bucket_all_reduce", torch_bucketing, "module"},
    JobPass{"bucket_reduce_scatter", torch_bucketing, "module"},
    JobPass{"canonicalize_graph_pass", trainer_clean_ups, "inputs"},
    JobPass{"concretize_ep_chunk_symbolic_shapes_pass", "torchtitan.experiments.graph_trainer.ep_pass_utils", "inputs"},
    JobPass{"dedup_fsdp_reduce_scatter", "torch._inductor.fx_passes.fsdp", "module"},
    JobPass{"deduplicate_fsdp_unshard_chains_pass", trainer_fsdp, "inputs"},
    JobPass{"deduplicate_wait_tensors", torch_bucketing, "graph"},
    JobPass{"eliminate_dead_code_pass", trainer_clean_ups, "inputs"},
    JobPass{"ep_overlap_chunk_pass", trainer_chunks, "inputs"},
    JobPass{"ep_overlap_schedule_pass", "torchtitan.experiments.graph_trainer.ep_overlap_pass", "inputs"},
    JobPass{"isolate_ep_process_group_pass", trainer_expert_groups, "inputs"},
    JobPass{"joint_transformer_block_bucketing_reordering_pass", trainer_fsdp, "inputs"},
    JobPass{"manual_overlap_bucketing", "torch._inductor.fx_passes.overlap_manual_scheduling", "module"},
    // torchtitan's pass of this one enables symmetric memory before.
    JobPass{"micro_pipeline_tp_pass", "torchtitan.experiments.graph_trainer.passes", "inputs",
            "async_tensor_parallel_pass"},
    JobPass{"overlap_fsdp_ag_rs_pass", trainer_fsdp, "inputs", "reassign_collective_pgs_pass"},  // its former name
    JobPass{"populate_chunk_dim_metadata_pass", trainer_chunks, "inputs"},
    JobPass{"populate_eager_chunk_metadata_pass", "torchtitan.experiments.graph_trainer.ep_eager_chunk", "inputs"},
    JobPass{"pre_bucket_fsdp_collectives", "torch._inductor.fx_passes.fsdp", "module"},
    JobPass{"reassign_collective_pgs_pass", trainer_fsdp, "inputs"},
    JobPass{"replace_collectives_with_low_contention", "torch._inductor.fx_passes.low_contention_collectives",
            "settings"},
    JobPass{"schedule_fsdp_comms_to_dense_regions_pass", trainer_fsdp, "inputs"},
    JobPass{"schedule_overlap_bucketing", "torch._inductor.fx_passes.overlap_scheduling", "module"},
    JobPass{"selective_activation_remat_pass", "torchtitan.experiments.graph_trainer.selective_activation_remat",
            "inputs"},
    JobPass{"stable_topological_sort", "torch._inductor.pattern_matcher", "graph"},
    JobPass{"tag_with_memory_policy_pass", "torchtitan.experiments.graph_trainer.memory_policy", "config"},
    JobPass{"transformer_block_bucketing_reordering_pass", trainer_fsdp, "inputs"},
};

const JobPass& job_pass(const PassStep& step) {
    const std::string_view name = require_pass(step.pass).name();
    const auto known = std::ranges::find(job_passes, name, &JobPass::name);
    if (known != job_passes.end()) return *known;
    throw InputError("pipeline", "the pass " + step.pass + " has no counterpart in a training job");
}

/// An integer map, whose keys are text in JSON and whole numbers in Python.
std::string integer_map(const NamedIntegers& map) {
    std::string text = "{";
    for (const auto& [key, value] : map) {
        text += (text.size() > 1 ? ", " : "") + std::to_string(std::stoll(key)) + ": " + std::to_string(value);
    }
    return text + "}";
}

/// One option as an item of a dictionary, `"name": value`, or nothing where the job's default says the same.
std::string option_item(const Plan& plan, const PassStep& step, const PassOption& option) {
    const OptionValue value = option_value(step, option);
    const std::string item = python_string(option.name) + ": ";
    if (option.type == PassOption::Type::module_lists) {
        return item +
               (value == OptionValue(module_lists(plan.buckets)) ? "module_bucket_plans" : python_value(value, 16));
    }
    if (option.name == "module_stack_fn") return is_null(value) ? "" : item + "module_fqn_stack";
    if (option.name == "moe_layer_ids") return item + "frozenset(" + python_value(value) + ")";
    if (option.name == "bucket_cap_mb" && require_pass(step.pass).name() != "pre_bucket_fsdp_collectives") {
        return is_null(value) ? "" : "\"bucket_cap_mb_by_bucket_idx\": constant_cap(" + python_value(value) + ")";
    }
    if (option.type == PassOption::Type::integer_map) {
        if (const auto* map = std::get_if<NamedIntegers>(&value)) return item + integer_map(*map);
        // Of the choices that stand for a map there is one: what the plan's buckets make.
        if (std::holds_alternative<std::string>(value)) {
            const OptionValue layers = option_value(step, require_option(require_pass(step.pass), "n_layers"));
            return item + "bucket_counts(" + python_value(layers) + ")";
        }
    }
    const bool says_something = !is_null(value) || (option.nullable && step.options.contains(option.name));
    return says_something ? item + python_value(value, 16) : "";
}

std::string step_expression(const Plan& plan, const PassStep& step) {
    const JobPass& pass = job_pass(step);
    std::string text = "        graph_pass(\n            " +
                       python_string(pass.function.empty() ? pass.name : pass.function) + ",\n            " +
                       python_string(pass.module) + ",\n            " + python_string(pass.takes) + ",\n            {";
    std::string items;
    for (const PassOption& option : require_pass(step.pass).options()) {
        if (!option.of_reference) continue;
        const std::string item = option_item(plan, step, option);
        if (!item.empty()) items += "\n                " + item + ",";
    }
    text += items;
    return text + (items.empty() ? "},\n        ),\n" : "\n            },\n        ),\n");
}

}  // namespace

ExportOutput export_graph_trainer(const ExportInput& input) {
    const Plan& plan = input.plan;
    const std::vector<PassStep> steps = steps_that_run(plan, input.result.get());
    const auto by_module = std::ranges::find_if(steps, [](const PassStep& step) { return takes_buckets(step.pass); });
    if (!plan.module_rules.empty() && by_module != steps.end()) {
        throw InputError("module_rules",
                         "the plan gives nodes their modules by rules, which the graph trainer's own graph would lack, "
                         "so that " +
                             by_module->pass + " finds nothing there; export the plan to job, which carries them");
    }
    ExportOutput output;
    output.notes = parts_left_out(plan, "graph_trainer");
    const Graph* graph = input.result ? input.result->original.get() : nullptr;
    if (graph) std::ranges::move(expert_overlap_notes(*graph, steps), std::back_inserter(output.notes));
    std::string passes;
    for (const PassStep& step : steps) {
        passes += step_expression(plan, graph ? with_static_inputs(step, *graph) : step);
        for (std::string& note : own_options_left_out(step)) output.notes.push_back(std::move(note));
    }
    output.bytes =
        python_file_head(input, docstring, "import functools\nimport importlib\nimport types\n", output.notes);
    output.bytes += "\n# Buckets in order: a module each, or a list of modules that share one.";
    output.bytes += python_assignment("module_bucket_plans", option_json(module_lists(plan.buckets)));
    output.bytes +=
        "\n\ndef plan_passes():\n    \"\"\"The plan's steps in order.\"\"\"\n    return [\n" + passes + "    ]\n";
    output.bytes += pipeline_code;
    return output;
}

}  // namespace overlap
