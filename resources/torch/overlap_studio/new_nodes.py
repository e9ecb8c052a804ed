"""Values and metadata of the nodes that a plan adds to a graph, as PyTorch's bucketing would give them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from itertools import zip_longest
from typing import Any

import torch
import torch.fx as fx
from torch._guards import detect_fake_mode
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.proxy_tensor import _should_save_eager_input_vals
from torch.fx.node import map_aggregate
from torch.fx.passes.shape_prop import TensorMetadata, _extract_tensor_metadata
from torch.utils._pytree import tree_leaves

from .document import dtype_name
from .errors import PlanMismatch
from .halved_sizes import copied_from
from .job_plan import CHUNK_META, Node
from .known_calls import KnownCalls
from .symbols import Symbols

Modules = tuple[tuple[str, ...], tuple[str, ...], Any]
_NO_MODULES: Modules = ((), (), None)
# What new nodes take over from the first collective that they stand for (torch/_inductor/fx_passes/bucketing.py).
_TAKEN_OVER = ("nn_module_stack", "fwd_nn_module_stack", "stack_trace", "custom")
# What a half of a node does not have of it: what depends on the value, and annotations that passes change.
_NOT_OF_HALF = ("val", "tensor_meta", "unbacked_bindings", "eager_input_vals", "custom", *CHUNK_META)


class FakeValues:
    """What operators return, worked out without data in the fake mode of a graph's own values."""

    def __init__(self, nodes: Sequence[fx.Node]) -> None:
        fake = next((value for node in nodes if isinstance(value := node.meta.get("val"), FakeTensor)), None)
        self.mode = detect_fake_mode(fake) or FakeTensorMode(allow_non_fake_inputs=True)
        self._known = KnownCalls(self.mode)

    def of_call(self, node: Node, target: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """@pre no mode is active.
        @raises PlanMismatch where the call returns something else than the plan says, or cannot be made."""
        def run() -> Any:
            with self.mode:
                return target(*args, **kwargs)

        try:
            value = self._known.value(target, args, kwargs, run)
        except Exception as error:  # whatever an operator raises, the plan does not fit
            raise PlanMismatch(f"the plan's new node {node['name']} ({node['target']}) cannot be made here: "
                               f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}") from error
        if "outputs" not in node:
            return value
        wanted = [tensor and (tensor["dtype"], tensor["shape"], tensor["stride"]) for tensor in node["outputs"]]
        found = _described(value, wanted)
        if found != wanted:
            raise PlanMismatch(f"the plan's new node {node['name']} ({node['target']}) returns {found} here, and "
                               f"{wanted} in the plan")
        return value


def _described(value: Any, wanted: Sequence[Any]) -> list[tuple[str, list[int], list[int]] | None]:
    """Types, sizes and strides of the tensors that a call returns. What is known only when the job runs counts as what
    is wanted, since the plan has its own guess of it."""
    if type(value) is FakeTensor and not value._has_symbolic_sizes_strides:  # as most are
        return [(dtype_name(value.dtype), list(value.shape), list(value.stride()))]
    symbols = Symbols()

    def numbers(sizes: Sequence[Any], guesses: Sequence[int]) -> list[int]:
        return [guess if guess is not None and symbols.is_symbolic(size) else symbols.number(size)
                for size, guess in zip_longest(sizes, guesses[:len(sizes)])]

    leaves = tree_leaves(value, is_leaf=lambda leaf: leaf is None)
    found: list[tuple[str, list[int], list[int]] | None] = []
    for leaf, guess in zip_longest(leaves, wanted[:len(leaves)]):
        _, shape, strides = guess or ("", [], [])
        found.append((dtype_name(leaf.dtype), numbers(leaf.shape, shape), numbers(leaf.stride(), strides))
                     if isinstance(leaf, torch.Tensor) else None)
    return found


class NodeMetadata:
    """Metadata for new nodes. Module stacks and annotations are those of nodes of the graph that have the same ones,
    the objects themselves, so that later passes see classes and not their names.
    """

    def __init__(self, nodes: Sequence[fx.Node]) -> None:
        self._nodes = {node.name: node for node in nodes}
        self._tensor_metadata_of: dict[Any, TensorMetadata] = {}

    def _donor(self, modules: Modules) -> fx.Node | None:
        """A node that has these modules. A collective comes first: what is new in a graph mostly stands for some of
        them."""
        found = self._collectives.get(modules)
        return found if found is not None else self._others.get(modules)

    @cached_property
    def _collectives(self) -> dict[Modules, fx.Node]:
        return self._by_modules(True)

    @cached_property
    def _others(self) -> dict[Modules, fx.Node]:
        return self._by_modules(False)

    def _by_modules(self, are_collectives: bool) -> dict[Modules, fx.Node]:
        """The first node with each modules."""
        found: dict[Modules, fx.Node] = {}
        for node in self._nodes.values():
            if (getattr(node.target, "namespace", None) == "_c10d_functional") == are_collectives:
                found.setdefault(_modules_of(node), node)
        return found

    def describe(self, made: fx.Node, node: Node, value: Any) -> None:
        """@param node the new node as the plan has it. @param value what it returns."""
        original = self._nodes.get(copied_from(node["name"]) or "")
        modules = _modules(node)
        if original is not None:
            made.meta.update({key: value for key, value in original.meta.items() if key not in _NOT_OF_HALF})
        elif modules != _NO_MODULES and (donor := self._donor(modules)) is not None:
            made.meta.update({key: donor.meta[key] for key in _TAKEN_OVER if key in donor.meta})
        for key in ("seq_nr", "partitioner_tag", "autograd_backward"):
            if key in node:
                made.meta[key] = node[key]
        if "custom" in node and "custom" not in made.meta:
            made.meta["custom"] = dict(node["custom"])
        set_half(made, node)
        self.set_value(made, value)
        if _saves_inputs(made):
            made.meta["eager_input_vals"] = map_aggregate(
                (made.args, made.kwargs), lambda item: item.meta.get("val") if isinstance(item, fx.Node) else None)

    def set_value(self, node: fx.Node, value: Any) -> None:
        """What a node returns, in the two forms that passes read."""
        if value is None:
            return
        node.meta["val"] = value
        if isinstance(value, torch.Tensor):
            node.meta["tensor_meta"] = self._tensor_metadata(value)

    def _tensor_metadata(self, tensor: torch.Tensor) -> TensorMetadata:
        """The older form of a value, which nothing changes: many tensors of a graph have the same."""
        if type(tensor) is not FakeTensor or tensor._has_symbolic_sizes_strides or tensor.requires_grad:
            return _extract_tensor_metadata(tensor)
        key = tensor.dtype, tensor.shape, tensor.stride(), tensor.is_quantized
        found = self._tensor_metadata_of.get(key)
        if found is None:
            found = self._tensor_metadata_of[key] = _extract_tensor_metadata(tensor)
        return found


def set_half(made: fx.Node, node: Node) -> None:
    """Says of a node which half of which module it belongs to, as the plan has it: passes of torchtitan and exports of
    the graph read that.

    @param node the same node in the plan.
    """
    fields = node.get("titan_meta", {})
    for key in CHUNK_META:
        if key in fields:
            made.meta[key] = fields[key]
        else:
            made.meta.pop(key, None)


def _saves_inputs(node: fx.Node) -> bool:
    """Whether PyTorch keeps what the node was called with."""
    if isinstance(node.target, torch._ops.OpOverload):
        return _operator_saves_inputs(node.target)
    return bool(_should_save_eager_input_vals(node.target, (node.args, node.kwargs)))


@cache
def _operator_saves_inputs(target: torch._ops.OpOverload) -> bool:
    return bool(_should_save_eager_input_vals(target))


def _modules(node: Node) -> Modules:
    """Whether two nodes have the same modules: what a document says of them."""
    return (tuple(path for path, *_ in node.get("module_stack", ())),
            tuple(path for path, *_ in node.get("fwd_module_stack", ())),
            (node.get("custom") or {}).get("module_fqn"))


def _modules_of(node: fx.Node) -> Modules:
    """The same of a node of a graph."""
    stacks = [node.meta.get(key) or {} for key in ("nn_module_stack", "fwd_nn_module_stack")]
    forward, backward = (tuple(entry[0] for entry in stack.values()) for stack in stacks)
    return forward, backward, (node.meta.get("custom") or {}).get("module_fqn")
