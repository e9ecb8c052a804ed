"""Numbers that a rank's graph has in place of the plan's, such as the start of its part of a vocabulary.

The plan was made with one rank's graph. Nodes that it leaves alone keep the numbers of the job's graph by themselves;
those that it changes, those that it computes again, and those that it computes for each half of the batch, get them
here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .halved_sizes import copied_from
from .job_plan import JobPlan, Node

# What rematerialisation calls a node that it computes again (torchtitan, selective_activation_remat.py).
_RECOMPUTED = re.compile(r"(.+)_recomputed(?:_\d+)?")


def with_own_numbers(plan: JobPlan, found: Sequence[Node], result: Sequence[Node]) -> list[Node]:
    """The nodes of the plan's result with this rank's numbers.

    @param found the nodes of the job's graph, which has been found to be the plan's.
    @param result the plan's, for this rank; the objects of nodes that stay as they are stay the same ones.
    """
    places = {node["name"]: place for place, node in enumerate(plan.start)}
    made = []
    for node, origin in zip(result, plan.origin):
        place = origin if origin is not None else _computed_as(plan, node, places)
        if place is not None and node is not plan.start[place]:
            node = _with_numbers_of(node, plan.start[place], found[place])
        made.append(node)
    return made


def _computed_as(plan: JobPlan, node: Node, places: Mapping[str, int]) -> int | None:
    """The place of the node that a new node computes again, or for a half of the batch; None where it does not."""
    name = copied_from(node["name"]) or node["name"]
    match = _RECOMPUTED.fullmatch(name)
    place = places.get(match[1] if match else name)
    return place if place is not None and plan.start[place]["target"] == node["target"] else None


def _with_numbers_of(node: Node, start: Node, found: Node) -> Node:
    given: Node = {}
    for field in ("args", "kwargs"):
        if field in node:
            given[field] = _own(node[field], start.get(field), found.get(field))
    return {**node, **given} if any(given[field] is not node[field] for field in given) else node


def _own(value: Any, start: Any, found: Any) -> Any:
    """The value with the numbers of `found` where it has those of `start`; the same object where nothing changes."""
    if isinstance(value, list):
        if not (isinstance(start, list) and isinstance(found, list) and len(value) == len(start) == len(found)):
            return value
        items = [_own(*parts) for parts in zip(value, start, found)]
        return items if any(item is not old for item, old in zip(items, value)) else value
    if isinstance(value, dict) and isinstance(start, dict) and isinstance(found, dict):
        members = {key: _own(item, start.get(key), found.get(key)) for key, item in value.items()}
        return members if any(members[key] is not item for key, item in value.items()) else value
    is_number = all(isinstance(part, (int, float)) and not isinstance(part, bool) for part in (value, start, found))
    return found if is_number and value == start and value != found else value
