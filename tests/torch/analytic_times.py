"""The analytic model of node times, as the README of core/cost describes it, for PyTorch's passes to work with.

Where a job would measure, both sides take these times.
"""
from __future__ import annotations

from typing import Any

import torch
import torch.fx as fx
from torch._inductor.fx_passes.fusion_regions import is_view_node
from torch._inductor.fx_passes.overlap_scheduling import get_group_name
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.flop_counter import flop_registry

DEVICE = {"name": "made up", "flops_per_s": {"bfloat16": 4e11, "float32": 2e11}, "flops_efficiency": 0.5,
          "memory_bytes_per_s": 2e9, "memory_efficiency": 0.8}
STARTS = ("all_gather_into_tensor", "all_gather_into_tensor_out", "reduce_scatter_tensor", "all_reduce",
          "all_to_all_single")


def cost_model(group_names: list[str]) -> dict[str, Any]:
    """The document's field: a slow machine, since the tests' tensors are small; each further group is faster. Gathers
    have two ways, of which the first is the faster one for large tensors."""
    links = []
    for index, name in enumerate(group_names):
        rate = 1e9 * (1 + index)
        kinds = {"all_gather": [{"latency_ms": 0.001, "bytes_per_s": rate},
                                {"latency_ms": 0.0005, "bytes_per_s": rate / 2}],
                 "all_reduce": [{"latency_ms": 0.002, "bytes_per_s": rate / 2}]}
        links.append({"process_group": name, "latency_ms": 0.001, "bytes_per_s": rate, "kinds": kinds})
    return {"device": DEVICE, "links": links}


def tensor_bytes(value: Any) -> int:
    return sum(leaf.numel() * leaf.element_size() for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor))


class AnalyticTimes:
    """Milliseconds of a node; `override_size` in bytes replaces the size of a collective."""

    def __init__(self, model: dict[str, Any]) -> None:
        self.links = {link["process_group"]: link for link in model["links"]}

    def __call__(self, node: fx.Node, override_size: int | None = None) -> float:
        target = node.target
        if node.op != "call_function" or isinstance(target, torch._ops.HigherOrderOperator):
            return 0.0
        if isinstance(target, torch._ops.OpOverload) and target.namespace == "_c10d_functional":
            return self._collective(node, override_size) if target._opname in STARTS else 0.0
        if is_view_node(node) or "val" not in node.meta or "getitem" in str(target):
            return 0.0
        out = node.meta["val"]
        args, kwargs = (tree_map(lambda item: item.meta.get("val") if isinstance(item, fx.Node) else item, part)
                        for part in (node.args, node.kwargs))
        rate = DEVICE["memory_bytes_per_s"] * DEVICE["memory_efficiency"]
        time_ms = (tensor_bytes(args) + tensor_bytes(kwargs) + tensor_bytes(out)) / rate * 1e3
        packet = getattr(target, "overloadpacket", None)
        if packet in flop_registry:
            dtype = next(leaf.dtype for leaf in tree_leaves(out) if isinstance(leaf, torch.Tensor))
            rates = DEVICE["flops_per_s"]
            peak = rates.get(str(dtype).removeprefix("torch."), rates["float32"]) * DEVICE["flops_efficiency"]
            time_ms = max(time_ms, flop_registry[packet](*args, **kwargs, out_val=out) / peak * 1e3)
        return round(time_ms, 6)

    def _collective(self, node: fx.Node, override_size: int | None) -> float:
        link = self.links[get_group_name(node)]
        size = override_size
        if size is None:
            size = max(tensor_bytes(node.args[0].meta["val"]), tensor_bytes(node.meta["val"]))
        ways = link["kinds"].get(kind_of(node.target._opname), [link])
        return round(min(way["latency_ms"] + size / way["bytes_per_s"] * 1e3 for way in ways), 6)


def kind_of(operator: str) -> str:
    """`all_gather` of `all_gather_into_tensor_out`."""
    return next(kind for kind in ("all_gather", "reduce_scatter", "all_reduce", "all_to_all") if operator.startswith(kind))
