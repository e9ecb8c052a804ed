"""Times of compute that ranks measure differently, made the same on all of them, as PyTorch's scheduler does it.

All ranks must decide the same. Where PyTorch's `schedule_overlap_bucketing` takes measured times of compute
(`compute_estimator="benchmark"`, its default), it gathers them from all ranks and takes each node's median
(torch/_inductor/fx_passes/overlap_scheduling.py); times of all other nodes stay each rank's own. Nodes of one operator with
equal tensors have one time, that of the first, which PyTorch keeps in its cache for later graphs too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist
import torch.fx as fx
from torch._inductor.fx_passes.overlap_scheduling import (
    get_cached_node_time, get_hint, is_compute_node, set_cached_node_time)
from torch._inductor.fx_utils import get_fake_args_kwargs
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.utils._pytree import tree_leaves

from .errors import PlanError
from .estimates import Estimate


class ComputeTimes:
    """This rank's times of a graph's compute, then those that all ranks have.

    @param estimate milliseconds of a node by itself.
    @raises PlanError for compute without a time: nothing is measured here.
    """

    def __init__(self, graph: fx.Graph, estimate: Estimate) -> None:
        # What PyTorch has no key for it neither measures nor aligns.
        self._nodes = [(node, key) for node in graph.nodes if is_compute_node(node) and (key := _key(node)) is not None]
        known: dict[str, float] = {}
        self._own = [self._time(node, key, known, estimate) for node, key in self._nodes]

    def align(self, ranks: dist.ProcessGroup | None, alone: bool) -> dict[fx.Node, float]:
        """The times that all ranks have; in a process `alone`, or with the fake backend, its own.

        @param ranks that run the graph, all of them at once; None for all of the job.
        """
        gathered = [self._own] if alone else _gathered(self._own, ranks)
        counts = sorted({len(times) for times in gathered})
        if len(counts) > 1:
            raise PlanError(f"ranks have graphs with {', '.join(map(str, counts))} nodes of compute, whose times cannot be "
                            "aligned; give native_pass() the ranks that run one graph, as group=")
        medians: list[float] = torch.median(torch.tensor(gathered), dim=0).values.tolist() if self._own else []
        for key, median in {key: median for (_, key), median in zip(self._nodes, medians)}.items():
            set_cached_node_time(key, median)
        return {node: median for (node, _), median in zip(self._nodes, medians)}

    @staticmethod
    def _time(node: fx.Node, key: str, known: dict[str, float], estimate: Estimate) -> float:
        time_ms: float | None = known.get(key) or get_cached_node_time(key)
        if not time_ms:
            time_ms = 0.0 if _has_unknown_sizes(node) else estimate(node)
        if time_ms is None:
            raise PlanError(f"nothing gives a time for {node.name}: native_pass() measures nothing on the job's device; "
                            "give it cost_model= or estimate=")
        known[key] = time_ms
        return time_ms


def _gathered(own: Sequence[float], ranks: dist.ProcessGroup | None) -> list[list[float]]:
    gathered: list[Any] = [None] * dist.get_world_size(ranks)
    with unset_fake_temporarily():
        dist.all_gather_object(gathered, own, ranks)
    return gathered


def _tensors(node: fx.Node) -> list[torch.Tensor] | None:
    """What a node is called with; None where that is not known."""
    known, args, kwargs = get_fake_args_kwargs(node)
    return [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)] if known else None


def _key(node: fx.Node) -> str | None:
    """PyTorch's own, since its cache goes by it (benchmark_node_with_cache_key)."""
    tensors = None if isinstance(node.target, torch._ops.HigherOrderOperator) else _tensors(node)
    if tensors is None:
        return None
    key = f"{node.target}: "
    for tensor in tensors:
        shape, stride = [get_hint(size) for size in tensor.shape], [get_hint(size) for size in tensor.stride()]
        if None not in (*shape, *stride):
            key += f"T: {shape, stride, tensor.dtype} "
    return key


def _has_unknown_sizes(node: fx.Node) -> bool:
    return any(get_hint(size) is None for tensor in _tensors(node) or () for size in (*tensor.shape, *tensor.stride()))
