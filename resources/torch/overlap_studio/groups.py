"""Process groups of a graph: the strings that its collectives carry, with the ranks behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import torch
import torch.distributed as dist
import torch.fx as fx

from .errors import ExportError

GroupRanks = Mapping[str, Sequence[int]]


def group_names(nodes: Iterable[fx.Node]) -> dict[str, fx.Node]:
    """The groups that operators of the graph name, in order, each with the first node that does."""
    found: dict[str, fx.Node] = {}
    for node in nodes:
        if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload):
            continue
        for position, name in _group_arguments(node.target):
            value = node.args[position] if position < len(node.args) else node.kwargs.get(name)
            if isinstance(value, str):
                found.setdefault(value, node)
    return found


@cache
def _group_arguments(target: torch._ops.OpOverload) -> tuple[tuple[int, str], ...]:
    """Places and names of an operator's arguments that name process groups."""
    return tuple((position, argument.name) for position, argument in enumerate(target._schema.arguments)
                 if argument.name.endswith("group_name"))


def describe_groups(nodes: Iterable[fx.Node], given: GroupRanks | None = None) -> list[dict[str, Any]]:
    """The document's `process_groups`: the default group first, then those that the graph names, in order.

    Ranks are looked up in torch.distributed by name. `given` tells those that it does not know; an entry of `given`
    that the graph does not name is listed too.

    Raises ExportError for a name that nobody knows, and for a group that this rank is not in.
    """
    given = given or {}
    named = group_names(nodes)
    names = list(dict.fromkeys([*_default_group(), *named, *given]))
    return [_describe(name, given.get(name), named.get(name)) for name in names]


def this_rank() -> int | None:
    """This process's rank, or None where torch.distributed is not set up."""
    return dist.get_rank() if dist.is_available() and dist.is_initialized() else None


def world_size() -> int | None:
    """The job's number of ranks, or None where torch.distributed is not set up."""
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else None


def group_named(name: str) -> dist.ProcessGroup | None:
    """The process group of this job that has this name, or None."""
    if this_rank() is None:
        return None
    try:
        return dist.distributed_c10d._resolve_process_group(dist.distributed_c10d.GroupName(name))
    except (LookupError, RuntimeError, ValueError):
        return None


def _default_group() -> list[str]:
    return [dist.distributed_c10d._get_default_group().group_name] if this_rank() is not None else []


def _describe(name: str, ranks: Sequence[int] | None, node: fx.Node | None) -> dict[str, Any]:
    where = f"node {node.name} names the process group {name!r}" if node is not None else f"process group {name!r}"
    group = group_named(name)
    if ranks is None:
        if group is None:
            raise ExportError(f"{where}, which torch.distributed does not know; give its ranks in process_groups")
        ranks = dist.get_process_group_ranks(group)
    ranks = [int(rank) for rank in ranks]
    rank = this_rank() or 0
    if rank not in ranks:
        raise ExportError(f"{where} of the ranks {ranks}, and rank {rank} is not among them")
    described = {"name": name, "ranks": ranks, "rank": ranks.index(rank)}
    description = getattr(group, "group_desc", None)
    if description and description != "undefined":
        described["desc"] = description
    return described
