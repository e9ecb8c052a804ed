"""Tensors that new nodes return, made as the core has them.

The core knows type, sizes, strides and memory of what its passes make, so the operators need not be run with fake tensors
to find out: that takes half of the time of applying. Where sizes are symbols they are run all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
import torch.fx as fx
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._pytree import tree_leaves

from .job_plan import Node


class PlannedTensors:
    """@param storages by the numbers that the graph's document has for them."""

    def __init__(self, storages: Mapping[int, torch.UntypedStorage]) -> None:
        self._storages = dict(storages)
        self._devices: dict[str, torch.device] = {}

    def begin(self, nodes: Sequence[fx.Node], result: Sequence[Node]) -> None:
        """@param nodes of the graph, whose devices the tensors of the result are on."""
        missing = {memory[0] for node in result for memory in node.get("memory", ()) if memory is not None}
        for node in nodes:
            if not missing:
                return
            value = node.meta.get("val")
            if isinstance(value, torch.Tensor):
                device = value.device
                name = device.type if not device.index else str(device)
                if name in missing:
                    self._devices[name] = device
                    missing.remove(name)

    def value(self, node: Node, mode: FakeTensorMode) -> FakeTensor | None:
        """What a new node returns, as a tensor of the mode; None where that is not one tensor, or its device is new.

        @pre no mode is active, which would make other tensors of these.
        """
        memory = node.get("memory")
        if not memory or len(memory) != 1 or memory[0] is None or node.get("multi") or "wraps" in node:
            return None
        device_name, number, offset, size = memory[0]
        device = self._devices.get(device_name)
        if device is None:
            return None
        tensor = node["outputs"][0]
        storage = self._storages.get(number)
        if storage is None:
            storage = self._storages[number] = torch.UntypedStorage(size, device="meta")
        element = torch.empty(0, dtype=getattr(torch, tensor["dtype"]), device="meta")
        element.set_(storage, offset, tensor["shape"], tensor["stride"])  # type: ignore[call-overload]
        return FakeTensor(mode, element, device)

    def learn(self, node: Node, value: Any) -> None:
        """Takes note of the memory of what a new node returns that was run."""
        for leaf, memory in zip(tree_leaves(value, is_leaf=lambda item: item is None), node.get("memory") or ()):
            if memory is not None and isinstance(leaf, torch.Tensor):
                self._storages.setdefault(memory[1], leaf.untyped_storage())
