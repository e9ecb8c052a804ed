"""Sources of times for the nodes of a graph: milliseconds of a node by itself, as PyTorch's own passes would take it.

A source is a function of a node. `export_graph(estimate=...)` takes any; these are those of torch.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import torch
import torch.fx as fx

from .errors import ExportError

Estimate = Callable[[fx.Node], "float | None"]


def torch_times() -> Estimate:
    """What PyTorch's overlap scheduler estimates without measuring.

    Collectives: its NCCL model. Everything else: the larger of flops and memory traffic on this machine's GPU.

    @raises ExportError where there is none: torch then takes all compute for free. Leave the times to a cost model.
    """
    if not torch.cuda.is_available():
        raise ExportError("torch_times() needs the GPU that the job runs on, and torch finds none here; export with "
                          "cost_model= and without estimate=, and the application works the times out")
    from torch._inductor.comm_analysis import estimate_nccl_collective_runtime_from_fx_node
    from torch._inductor.fx_passes.bucketing import is_wait_tensor
    from torch._inductor.fx_passes.overlap_scheduling import estimate_roofline_runtime_ms

    def estimate(node: fx.Node) -> float | None:
        if node.op != "call_function" or is_wait_tensor(node):
            return 0.0
        try:
            if _starts_collective(node):
                return float(estimate_nccl_collective_runtime_from_fx_node(node))
            return float(estimate_roofline_runtime_ms(node))
        except Exception as error:
            raise ExportError(f"torch's estimate of node {node.name} fails: {str(error).splitlines()[0]}") from error

    return estimate


def profile_times(path: str | os.PathLike[str], otherwise: Estimate | None = None) -> Estimate:
    """Times of a profiler's trace of the job, as PyTorch's profile-guided estimator reads them.

    `otherwise` is asked for nodes of which the trace says nothing. Raises ExportError where the file cannot be read.
    """
    from torch._inductor.fx_passes.profile_guided_estimation import ProfileGuidedEstimator

    try:
        profile = ProfileGuidedEstimator(os.fspath(path))
    except (OSError, ValueError, KeyError) as error:
        raise ExportError(f"{os.fspath(path)}: not a profiler's trace that torch can read: {error}") from error

    def estimate(node: fx.Node) -> float | None:
        if node.op != "call_function":
            return 0.0
        time_ms = profile(node)
        return otherwise(node) if time_ms is None and otherwise is not None else time_ms

    return estimate


def _starts_collective(node: fx.Node) -> bool:
    return isinstance(node.target, torch._ops.OpOverload) and node.target.namespace == "_c10d_functional"
