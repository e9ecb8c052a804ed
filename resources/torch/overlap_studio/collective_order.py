"""The collectives that a graph starts, in words that are the same on every rank that runs it alike."""

from __future__ import annotations

import hashlib

import torch
import torch.fx as fx
from torch.utils._pytree import tree_leaves

from .document import dtype_name, target_name
from .groups import group_names
from .symbols import Symbols


def starts_collective(node: fx.Node) -> bool:
    """Whether a node itself is a collective; a wait is none."""
    target = node.target
    return (node.op == "call_function" and isinstance(target, torch._ops.OpOverload)
            and target.namespace == "_c10d_functional" and "wait_tensor" not in target._opname)


def collective_order(gm: fx.GraphModule) -> list[str]:
    """A line for each collective, in order.

    Groups are told by the order of their first use, since their names differ between ranks. Sizes of all-to-alls are
    left out: they may. A collective that is wrapped to keep its order counts as well.
    """
    seen: dict[str, int] = {}
    symbols = Symbols()
    lines = []
    for node in gm.graph.nodes:
        started = _started_by(gm, node)
        if started is None:
            continue
        groups = group_names([started])
        words = [f"group {seen.setdefault(word, len(seen))}" if word in groups else word
                 for word in (*started.args, *started.kwargs.values()) if isinstance(word, str)]
        sizes = [] if "all_to_all" in str(started.target) else [
            (dtype_name(leaf.dtype), [symbols.number(size) for size in leaf.shape])
            for leaf in tree_leaves(node.meta.get("val")) if isinstance(leaf, torch.Tensor)]
        lines.append(f"{target_name(started.target)} {words} {sizes}")
    return lines


def collectives_text(gm: fx.GraphModule) -> str:
    """How many there are, and a digest of them and their order."""
    order = collective_order(gm)
    return f"{len(order)} ({hashlib.sha256(chr(10).join(order).encode()).hexdigest()[:16]})"


def _started_by(gm: fx.GraphModule, node: fx.Node) -> fx.Node | None:
    """The collective that a node is, or that it wraps (torch/_inductor/fx_passes/control_dependencies.py)."""
    if starts_collective(node):
        return node
    if not isinstance(node.target, torch._ops.HigherOrderOperator) or node.target.name() != "control_deps":
        return None
    module = node.args[1] if len(node.args) > 1 else None
    wrapped = getattr(gm, module.target, None) if isinstance(module, fx.Node) and isinstance(module.target, str) else None
    if not isinstance(wrapped, fx.GraphModule):
        return None
    return next(filter(starts_collective, wrapped.graph.nodes), None)
