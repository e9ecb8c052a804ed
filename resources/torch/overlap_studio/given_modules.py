"""Modules that a plan's rules give to nodes of a graph which has lost them."""

from __future__ import annotations

from typing import Any

import torch
import torch.fx as fx

from .job_plan import JobPlan, Node

_MODULE = f"{torch.nn.Module.__module__}.{torch.nn.Module.__qualname__}"
_STACKS = {"nn_module_stack": "module_stack", "fwd_nn_module_stack": "fwd_module_stack"}


def give_modules(gm: fx.GraphModule, plan: JobPlan) -> None:
    """Puts the plan's modules where PyTorch's and torchtitan's passes look for them: `nn_module_stack`,
    `fwd_nn_module_stack` and `custom["module_fqn"]` of `meta`. Only nodes that the rules are about change.

    @param gm its graph has been found to be the plan's.
    """
    for node, before, start in zip(list(gm.graph.nodes), plan.input, plan.start):
        if start is not before:
            _give(node, start)


def _give(node: fx.Node, start: Node) -> None:
    for key, field in _STACKS.items():
        node.meta.pop(key, None)
        if field in start:
            node.meta[key] = {path: (path, _class_of(name)) for path, name in start[field]}
    name = (start.get("custom") or {}).get("module_fqn")
    if name is not None:
        node.meta["custom"] = {**(node.meta.get("custom") or {}), "module_fqn": name}


def _class_of(name: str) -> Any:
    """The class that rules give is torch's own; others stay the names that the document has."""
    return torch.nn.Module if name == _MODULE else name
