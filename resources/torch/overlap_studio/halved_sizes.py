"""Sizes in graphs of jobs with expert overlap (mode "exact").

The batch is a symbol until the plan's last pass for experts makes a number of it, since halves are cut along it. The
values of the job's graph are put into numbers first, and what each half returns is worked out from those. How many tokens
a half sends and receives is known only when it runs: these are symbols of its own, of which is known what is known of
the symbol that the whole batch has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import torch
import torch.fx as fx
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx.experimental.symbolic_shapes import compute_unbacked_bindings, free_symbols
from torch.utils._pytree import key_get, tree_leaves, tree_map

from .errors import PlanError
from .job_plan import JobPlan
from .symbols import SymbolicNumber, Symbols

_HALVES, _POPULATES, _CONCRETIZES = ("ep_overlap_chunk_pass", "populate_chunk_dim_metadata_pass",
                                     "concretize_ep_chunk_symbolic_shapes_pass")
# Where torchtitan's populate_chunk_dim_metadata_pass notes the symbols that it found (ep_pass_utils.py).
_NOTED = "torchtitan_chunk_symbol_hints"
# What torchtitan's ep_overlap_chunk_pass calls its copies of a node (ep_chunk_pass.py).
_COPY = re.compile(r"(.+)_chunk[01]")


def copied_from(name: str) -> str | None:
    """The name of the node that a half's node is a copy of; None for a node of no half."""
    match = _COPY.fullmatch(name)
    return match[1] if match else None


class HalvedSizes:
    """What a plan makes of the symbols that a job's graph has for its batch.

    @param nodes of the job's graph.
    @raises PlanError for a plan that halves modules and leaves the symbols.
    """

    def __init__(self, plan: JobPlan, nodes: Sequence[fx.Node]) -> None:
        passes = [step["pass"] for step in plan.pipeline]
        last = len(passes) - passes[::-1].index(_CONCRETIZES) if _CONCRETIZES in passes else 0
        noted = _POPULATES in passes[:last] or (last > 0 and any(node.meta.get(_NOTED) for node in nodes))
        if _HALVES in passes and not (noted and _HALVES in passes[:last]):
            number = passes.index(_HALVES) + 1
            raise PlanError(f"{plan.path}: step {number} ({_HALVES}) halves sizes that are symbols, and no later step makes "
                            f"numbers of them: mode \"exact\" needs {_POPULATES} ahead of it and {_CONCRETIZES} behind, "
                            "as the trainer has them; or apply the plan with mode=\"passes\"")
        self.halves = _HALVES in passes
        self._nodes = {node.name: node for node in nodes}
        self._numbers = _numbers_of_inputs(nodes) if noted else {}

    @property
    def changes(self) -> bool:
        """Whether the plan makes other sizes of symbols."""
        return self.halves or bool(self._numbers)

    def in_numbers(self, value: Any) -> Any:
        """A value of the graph with the batch as a number; the same object where it does not depend on it."""
        if not self._numbers:
            return value
        return tree_map(lambda leaf: self._tensor(leaf) if isinstance(leaf, torch.Tensor) else self._number(leaf), value)

    def bind(self, name: str, value: Any) -> dict[Any, Any] | None:
        """Takes note of the symbols that a new node's value has and no other's.

        @returns where in the value each of them is, for `meta["unbacked_bindings"]`; None where there are none.
        """
        if type(value) is FakeTensor and not value._has_symbolic_sizes_strides:  # as most are
            return None
        environments = [leaf.node.shape_env for leaf in _numbers_in(value) if isinstance(leaf, SymbolicNumber)]
        bindings = compute_unbacked_bindings(environments[0], value) if environments else None
        original = self._nodes.get(copied_from(name) or "")
        if bindings and original is not None:
            for symbol, path in bindings.items():
                of_whole = key_get(original.meta["val"], path)
                if isinstance(of_whole, SymbolicNumber):
                    _know_as_much(environments[0], symbol, of_whole.node.expr)
        return bindings

    def _number(self, value: Any) -> Any:
        if not isinstance(value, SymbolicNumber) or not value.node.expr.free_symbols & self._numbers.keys():
            return value
        expression = value.node.expr.subs(self._numbers)
        shape_env: Any = value.node.shape_env
        is_known = not free_symbols(expression)
        if isinstance(value, torch.SymBool):
            return bool(expression) if is_known else shape_env.create_symboolnode(expression)
        if isinstance(value, torch.SymInt):
            return int(expression) if is_known else shape_env.create_symintnode(expression, hint=None)
        return float(expression) if is_known else shape_env.create_symfloatnode(expression, hint=None)

    def _tensor(self, tensor: torch.Tensor) -> torch.Tensor:
        shape, strides = ([self._number(size) for size in sizes] for sizes in (tensor.shape, tensor.stride()))
        if all(new is old for new, old in zip((*shape, *strides), (*tensor.shape, *tensor.stride()))):
            return tensor
        return tensor.new_empty_strided(shape, strides)


def _numbers_in(value: Any) -> list[Any]:
    return [number for leaf in tree_leaves(value)
            for number in ((*leaf.shape, *leaf.stride()) if isinstance(leaf, torch.Tensor) else (leaf,))]


def _numbers_of_inputs(nodes: Sequence[fx.Node]) -> Mapping[Any, int]:
    """What the symbols in sizes of the graph's inputs stand for."""
    symbols = Symbols()
    found: dict[Any, int] = {}
    for node in nodes:
        if node.op != "placeholder" or not isinstance(node.meta.get("val"), torch.Tensor):
            continue
        for size in node.meta["val"].shape:
            for symbol in free_symbols(size):
                found[symbol] = size.node.shape_env.optimization_hint(symbol, fallback=symbols.guess)
    return found


def _know_as_much(shape_env: Any, symbol: Any, known: Any) -> None:
    """Bounds and hint of a half's symbol, from the whole's, as torchtitan's pass has them."""
    for table in (shape_env.var_to_range, shape_env.var_to_range_sloc):
        if known in table:
            table[symbol] = table[known]
    if known in shape_env.size_like:
        shape_env.size_like.add(symbol)
    if known in shape_env.var_to_hint_override:
        shape_env.var_to_hint_override[symbol] = max(1, (shape_env.var_to_hint_override[known] + 1) // 2)
