"""Tensors that new nodes return, made as the core has them.

The core knows type, sizes, strides and memory of what its passes make, so the operators need not be run with fake tensors
to find out: that takes half of the time of applying. The core has numbers for sizes that are symbols: what is made of such
tensors is run all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
import torch.fx as fx
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._pytree import tree_leaves

from .arguments import resolve_target
from .job_plan import Node
from .symbols import SymbolicNumber

# Operators whose results have sizes that are known only when they run.
_TELL_SIZES = (torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape)


class PlannedTensors:
    """@param storages by the numbers that the graph's document has for them.
    @param has_symbols whether sizes of the graph may be symbols.
    """

    def __init__(self, storages: Mapping[int, torch.UntypedStorage], has_symbols: bool) -> None:
        self._storages = dict(storages)
        self._has_symbols = has_symbols
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

    def value(self, node: Node, mode: FakeTensorMode, value_of: Callable[[str], Any]) -> FakeTensor | None:
        """What a new node returns, as a tensor of the mode; None where that is not one tensor, its device is new, or its
        sizes may be symbols.

        @param value_of what nodes return that it may use, by name.
        @pre no mode is active, which would make other tensors of these.
        """
        memory = node.get("memory")
        if not memory or len(memory) != 1 or memory[0] is None or node.get("multi") or "wraps" in node:
            return None
        if self._has_symbols and self._may_have_symbols(node, value_of):
            return None
        device_name, number, offset, size = memory[0]
        device = self._devices.get(device_name)
        if device is None:
            return None
        tensor = node["outputs"][0]
        storage = self._storages.get(number)
        if storage is None:
            storage = self._storages[number] = torch.UntypedStorage(size, device="meta")
        elif self._has_symbols and type(storage.nbytes()) is not int:
            return None
        element = torch.empty(0, dtype=getattr(torch, tensor["dtype"]), device="meta")
        element.set_(storage, offset, tensor["shape"], tensor["stride"])  # type: ignore[call-overload]
        return FakeTensor(mode, element, device)

    @staticmethod
    def _may_have_symbols(node: Node, value_of: Callable[[str], Any]) -> bool:
        tags = getattr(resolve_target(node["target"]), "tags", ())
        arguments = _leaves([node.get("args"), node.get("kwargs")])
        return any(tag in tags for tag in _TELL_SIZES) or any(
            "symbol" in argument or _is_symbolic(value_of(argument["node"])) for argument in arguments)

    def learn(self, node: Node, value: Any) -> None:
        """Takes note of the memory of what a new node returns that was run."""
        for leaf, memory in zip(tree_leaves(value, is_leaf=lambda item: item is None), node.get("memory") or ()):
            if memory is not None and isinstance(leaf, torch.Tensor):
                self._storages.setdefault(memory[1], leaf.untyped_storage())


def _leaves(arguments: Any) -> Iterator[Mapping[str, Any]]:
    """Nodes and symbols among a node's arguments, as a document has them."""
    if isinstance(arguments, list):
        for item in arguments:
            yield from _leaves(item)
    elif isinstance(arguments, Mapping):
        if "node" in arguments or "symbol" in arguments:
            yield arguments
        else:
            for item in arguments.values():
                yield from _leaves(item)


def _is_symbolic(value: Any) -> bool:
    return any(isinstance(leaf, SymbolicNumber) or (isinstance(leaf, torch.Tensor) and leaf._has_symbolic_sizes_strides)
               for leaf in tree_leaves(value))
