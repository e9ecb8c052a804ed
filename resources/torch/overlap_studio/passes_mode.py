"""Mode "passes": runs PyTorch's own passes, and torchtitan's, with the plan's options."""

from __future__ import annotations

import importlib
import types
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.fx as fx
from torch._inductor import config as inductor_config
from torch._inductor.fx_passes import (
    bucketing, fsdp, low_contention_collectives, overlap_manual_scheduling, overlap_scheduling)
from torch._inductor.pattern_matcher import stable_topological_sort

from .analytic_times import PlanTimes
from .errors import PlanError
from .group_names import GroupNames
from .job_plan import JobPlan
from .overlap_order import order_by_hand
from .versions import require_same_pass

Options = dict[str, Any]

_TRAINER = "torchtitan.experiments.graph_trainer"
_TRAINER_PASSES = {
    "eliminate_dead_code_pass": "remove_noop_passes",
    "canonicalize_graph_pass": "remove_noop_passes",
    "deduplicate_fsdp_unshard_chains_pass": "fsdp_passes",
    "reassign_collective_pgs_pass": "fsdp_passes",
    "overlap_fsdp_ag_rs_pass": "fsdp_passes",
    "joint_transformer_block_bucketing_reordering_pass": "fsdp_passes",
    "transformer_block_bucketing_reordering_pass": "fsdp_passes",
    "schedule_fsdp_comms_to_dense_regions_pass": "fsdp_passes",
    "isolate_ep_process_group_pass": "ep_process_group_pass",
    "populate_chunk_dim_metadata_pass": "ep_chunk_pass",
    "ep_overlap_chunk_pass": "ep_chunk_pass",
    "populate_eager_chunk_metadata_pass": "ep_eager_chunk",
    "ep_overlap_schedule_pass": "ep_overlap_pass",
    "concretize_ep_chunk_symbolic_shapes_pass": "ep_pass_utils",
    "tag_with_memory_policy_pass": "memory_policy",
    "apply_cpu_offload_pass": "cpu_offload",
    "selective_activation_remat_pass": "selective_activation_remat",
}
_FORMER_NAMES = {"overlap_fsdp_ag_rs_pass": "reassign_collective_pgs_pass"}


def run_passes(gm: fx.GraphModule, plan: JobPlan, groups: GroupNames) -> fx.GraphModule:
    """Runs the plan's pipeline, then its overlaps by hand; the graph that results may be another object.

    @raises PlanError for a pass that is not installed, that this PyTorch has otherwise (versions.py), or an option that it does not have. What a pass raises itself
    comes through.
    """
    if plan.exact_only is not None:
        raise PlanError(f"{plan.path}: {plan.exact_only}: apply the plan with mode=\"exact\"")
    _tell_of_settings(plan)
    times = PlanTimes(plan.times, [node["name"] for node in plan.input], groups) if plan.times is not None else None
    for number, step in enumerate(plan.pipeline, 1):
        require_same_pass(plan.path, number, step["pass"])
        run = _runner(step["pass"], times)
        try:
            gm = run(gm, dict(step.get("options") or {}))
        except TypeError as error:
            raise PlanError(f"{plan.path}: step {number} ({step['pass']}): {error}") from error
    order_by_hand(gm.graph, plan.overlaps)
    return gm


def _tell_of_settings(plan: JobPlan) -> None:
    asked = [group["name"] for group in plan.created_groups if "settings" in group]
    if asked:
        warnings.warn(f"{plan.path}: its settings of {', '.join(asked)} are ignored, because torchtitan's passes set "
                      "up these process groups themselves; apply the plan with mode=\"exact\"", stacklevel=2)


def _runner(name: str, times: PlanTimes | None) -> Callable[[fx.GraphModule, Options], fx.GraphModule]:
    if name == "tag_with_memory_policy_pass":
        return lambda gm, options: _trainer_pass(name)(gm, None, config=_memory_config(**options))
    if name in _TRAINER_PASSES:
        return lambda gm, options: _trainer_pass(name)(gm, None, **_trainer_options(options))
    if name == "schedule_overlap_bucketing":
        return lambda gm, options: overlap_scheduling.schedule_overlap_bucketing(
            gm, **{"compute_estimator": "analytical", **options, "custom_runtime_estimation": times})
    if name == "manual_overlap_bucketing":
        return lambda gm, options: overlap_manual_scheduling.manual_overlap_bucketing(gm, **_with_stack_fn(options))
    in_place = _IN_PLACE.get(name)
    if in_place is None:
        raise PlanError(f"this version knows no pass {name}; apply the plan with mode=\"exact\"")

    def run(gm: fx.GraphModule, options: Options) -> fx.GraphModule:
        in_place(gm, options)
        return gm

    return run


_IN_PLACE: Mapping[str, Callable[[fx.GraphModule, Options], Any]] = {
    "bucket_all_gather": lambda gm, options: bucketing.bucket_all_gather(gm, **_with_cap(options)),
    "bucket_reduce_scatter": lambda gm, options: bucketing.bucket_reduce_scatter(gm, **_with_cap(options)),
    "bucket_all_reduce": lambda gm, options: bucketing.bucket_all_reduce(gm, **_with_cap(options)),
    "pre_bucket_fsdp_collectives": lambda gm, options: fsdp.pre_bucket_fsdp_collectives(gm, **options),
    "deduplicate_wait_tensors": lambda gm, options: bucketing.deduplicate_wait_tensors(gm.graph, **options),
    "replace_collectives_with_low_contention": lambda gm, options: _with_copy_engines(gm.graph, options),
    "stable_topological_sort": lambda gm, options: stable_topological_sort(gm.graph, **options),
}


def _with_copy_engines(graph: fx.Graph, settings: Options) -> None:
    """PyTorch reads these options from Inductor's settings."""
    with inductor_config.patch({f"aten_distributed_optimizations.{name}": value for name, value in settings.items()}):
        low_contention_collectives.replace_collectives_with_low_contention(graph)


def _with_cap(options: Options) -> Options:
    cap = options.pop("bucket_cap_mb", None)
    return options if cap is None else {**options, "bucket_cap_mb_by_bucket_idx": lambda _: cap}


def _with_stack_fn(options: Options) -> Options:
    """The option `module_stack_fn` names where modules are looked up; PyTorch wants a function."""
    source = options.pop("module_stack_fn", None)
    return options if source != "custom.module_fqn" else {**options, "module_stack_fn": _module_fqn_stack}


def _module_fqn_stack(node: fx.Node) -> list[tuple[str, type[torch.nn.Module]]]:
    name = (node.meta.get("custom") or {}).get("module_fqn")
    return [(name, torch.nn.Module)] if name else []


def _trainer_pass(name: str) -> Callable[..., fx.GraphModule]:
    module = f"{_TRAINER}.{_TRAINER_PASSES[name]}"
    try:
        return getattr(importlib.import_module(module), _FORMER_NAMES.get(name, name))
    except (ImportError, AttributeError) as error:
        raise PlanError(f"the plan's pass {name} is part of torchtitan, and {module} cannot be imported here "
                        f"({error}); install torchtitan, or apply the plan with mode=\"exact\"") from error


def _trainer_options(options: Options) -> Options:
    """JSON has neither sets nor numbers as keys."""
    if "moe_layer_ids" in options:
        options["moe_layer_ids"] = frozenset(options["moe_layer_ids"] or ())
    counts = options.get("transformer_bucket_counts_by_layer")
    if isinstance(counts, dict):
        options["transformer_bucket_counts_by_layer"] = {int(layer): count for layer, count in counts.items()}
    return options


def _memory_config(memory_policy: str = "default", full_recompute_save_ops: str = "",
                   cpu_offload_budget_gb: float = 100.0, reshard_after_forward: bool = True,
                   rules: str = "") -> types.SimpleNamespace:
    """The part of the trainer's configuration that its memory policy reads."""
    if rules:
        raise PlanError("torchtitan has no rules beside its memory policies; apply the plan with mode=\"exact\"")
    return types.SimpleNamespace(
        compile=types.SimpleNamespace(memory_policy=memory_policy, full_recompute_save_ops=full_recompute_save_ops,
                                      cpu_offload_budget_gb=cpu_offload_budget_gb),
        parallelism=types.SimpleNamespace(fsdp_reshard_after_forward="always" if reshard_after_forward else "never",
                                          pipeline_parallel_degree=1))
