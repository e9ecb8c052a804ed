"""Times for PyTorch's overlap scheduler: those that the plan was made with.

Nodes of the plan's graph have the times that the application had; for those that passes make, its analytic model is
asked, which the overlap-graph format describes under "Cost model".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
import torch.fx as fx
from torch._inductor.fx_passes.fusion_regions import is_view_node
from torch._inductor.fx_passes.overlap_scheduling import get_group_name
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.flop_counter import flop_registry

from .errors import PlanError
from .group_names import GroupNames, ranks_of_group

_DECIMALS = 6
#: Kinds of collectives, as a link's `kinds` names them, by operator.
_COLLECTIVES = {
    "all_gather_into_tensor": "all_gather", "all_gather_into_tensor_out": "all_gather",
    "reduce_scatter_tensor": "reduce_scatter", "all_reduce": "all_reduce", "all_reduce_": "all_reduce",
    "all_to_all_single": "all_to_all"}


class PlanTimes:
    """Milliseconds of a node, in the form of the scheduler's option `custom_runtime_estimation`.

    @param times the section's `times`: `node_ms` and `cost_model`.
    @param names of the nodes that `node_ms` belongs to.
    """

    def __init__(self, times: Mapping[str, Any], names: Sequence[str], groups: GroupNames) -> None:
        self._known = dict(zip(names, times["node_ms"], strict=True))
        self._device = times.get("cost_model", {}).get("device", {})
        self._classes = times.get("cost_model", {}).get("classes", {})
        self._links = {groups.job_name(link["process_group"]): link
                       for link in times.get("cost_model", {}).get("links", ())}

    def __call__(self, node: fx.Node, override_size: int | None = None) -> float:
        """@param override_size bytes that a collective is to move instead of its own."""
        if override_size is None and node.name in self._known:
            return self._known[node.name]
        if node.op != "call_function":
            return 0.0
        target = node.target
        if isinstance(target, torch._ops.OpOverload) and target.namespace == "_c10d_functional":
            kind = _COLLECTIVES.get(target._opname)
            return self._collective(node, kind, override_size) if kind else 0.0
        # higher_order.control_deps stands for what it wraps, which has been counted.
        is_free = is_view_node(node) or "val" not in node.meta or "getitem" in str(target)
        return 0.0 if is_free or isinstance(target, torch._ops.HigherOrderOperator) else self._operator(node)

    def _collective(self, node: fx.Node, kind: str, size: int | None) -> float:
        link = self._link(get_group_name(node))
        if link is None:
            raise PlanError(f"the plan's cost model has no link for the process group of {node.name}")
        if size is None:
            size = max(_bytes(_values(node.args[0])), _bytes(node.meta["val"]))
        # Of several ways to run a kind of collective the fastest counts.
        ways = link.get("kinds", {}).get(kind, (link,))
        return round(min(way["latency_ms"] + size / way["bytes_per_s"] * 1e3 for way in ways), _DECIMALS)

    def _link(self, name: str) -> Mapping[str, Any] | None:
        """The link of a group; one that a pass has created has that of the group of the same ranks."""
        if name in self._links:
            return self._links[name]
        ranks = ranks_of_group(name)
        return next((link for other, link in self._links.items()
                     if ranks is not None and sorted(ranks_of_group(other) or ()) == ranks), None)

    def _operator(self, node: fx.Node) -> float:
        if not self._device:
            raise PlanError(f"the plan has no cost model to estimate {node.name} with")
        value, args, kwargs = node.meta["val"], _values(node.args), _values(node.kwargs)
        # A class that the model lists has one efficiency for flops and bytes, and an overhead for each kernel.
        of_class = self._classes.get(_class_of(node.target), {})
        memory_efficiency = of_class.get("efficiency", self._device.get("memory_efficiency", 1))
        flops_efficiency = of_class.get("efficiency", self._device.get("flops_efficiency", 1))
        rate = self._device["memory_bytes_per_s"] * memory_efficiency
        time_ms = (_bytes(args) + _bytes(kwargs) + _bytes(value)) / rate * 1e3
        formula = flop_registry.get(getattr(node.target, "overloadpacket", None))
        if formula is not None:
            rates = self._device["flops_per_s"]
            dtype = next(leaf.dtype for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor))
            peak = rates.get(str(dtype).removeprefix("torch."), rates["float32"])
            flops = formula(*args, **kwargs, out_val=value)
            time_ms = max(time_ms, flops / (peak * flops_efficiency) * 1e3)
        return round(time_ms + of_class.get("overhead_ms", 0), _DECIMALS)


def _class_of(target: Any) -> str:
    """The class of compute that the application counts an operator under."""
    packet = getattr(target, "overloadpacket", None)
    if packet not in flop_registry:
        return "memory"
    name = str(packet).removeprefix("aten.")
    if "conv" in name:
        return "convolution"
    return "attention" if "attention" in name else "matrix_multiply"


def _values(arguments: Any) -> Any:
    return tree_map(lambda item: item.meta.get("val") if isinstance(item, fx.Node) else item, arguments)


def _bytes(values: Any) -> int:
    return sum(leaf.numel() * leaf.element_size() for leaf in tree_leaves(values) if isinstance(leaf, torch.Tensor))
