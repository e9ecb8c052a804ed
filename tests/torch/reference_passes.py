"""PyTorch's and torchtitan's own passes, by the names and with the options that the application has for them."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
import torch._inductor.inductor_prims  # noqa: F401 (registers operators)
import torch.fx as fx
from torch._inductor.fx_passes import bucketing, fsdp, overlap_manual_scheduling, overlap_scheduling, post_grad

from programs import REPOSITORY  # noqa: F401 (makes torchtitan_passes importable)

import torchtitan_passes

Times = Callable[..., "float | None"]
Pipeline = Sequence[dict[str, Any]]


@cache
def trainer() -> torchtitan_passes.Passes:
    """torchtitan's graph passes, which pip has installed beside torch."""
    return torchtitan_passes.load_installed()


def module_of_annotation(node: fx.Node) -> list[tuple[str, type]]:
    """What torchtitan passes as `module_stack_fn`: the one module that a node is annotated with."""
    name = (node.meta.get("custom") or {}).get("module_fqn")
    return [(name, torch.nn.Module)] if name else []


def run_pipeline(graph_module: fx.GraphModule, pipeline: Pipeline, times: Times) -> fx.GraphModule:
    """The graph that PyTorch makes of this one, which is changed."""
    for step in pipeline:
        graph_module = run_pass(graph_module, step["pass"], dict(step["options"]), times)
    return graph_module


def run_pass(graph_module: fx.GraphModule, name: str, options: dict[str, Any], times: Times) -> fx.GraphModule:
    if name == "manual_overlap_bucketing":
        if options.pop("module_stack_fn", None):
            options["module_stack_fn"] = module_of_annotation
        return overlap_manual_scheduling.manual_overlap_bucketing(graph_module, **options)
    if name == "schedule_overlap_bucketing":
        return overlap_scheduling.schedule_overlap_bucketing(
            graph_module, custom_runtime_estimation=times, compute_estimator="analytical", **options)
    if name == "pre_bucket_fsdp_collectives":
        fsdp.pre_bucket_fsdp_collectives(graph_module, **options)
    elif name in ("bucket_all_gather", "bucket_reduce_scatter", "bucket_all_reduce"):
        cap = options.pop("bucket_cap_mb", None)
        if cap is not None:
            options["bucket_cap_mb_by_bucket_idx"] = lambda index: cap
        getattr(bucketing, name)(graph_module, **options)
    elif name == "stable_topological_sort":
        post_grad.stable_topological_sort(graph_module.graph)
    else:
        return trainer().run(graph_module, name, options)
    return graph_module
