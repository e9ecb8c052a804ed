"""What torch.fx remembers of the names that a graph has given: it decides what a pass's new nodes are called."""

from __future__ import annotations

import re
from typing import Any

import torch.fx as fx

_NUMBERED = re.compile(r"([a-zA-Z_][0-9a-zA-Z_]*?)_([0-9]+)$")


def naming_state(graph: fx.Graph) -> dict[str, Any]:
    """The document's `naming`: what a reader cannot tell from the names that the graph's nodes have.

    `last_number` is by base name, `retired` are names of nodes that are no more. Empty when there is nothing to tell.
    """
    namespace = graph._graph_namespace
    names = [node.name for node in graph.nodes]
    expected: dict[str, int] = {}
    for name in names:
        match = _NUMBERED.match(name)
        if match:
            expected[match.group(1)] = int(match.group(2))
        else:
            expected.setdefault(name, 0)
    last_number = {base: number for base, number in namespace._base_count.items() if expected.get(base) != number}
    # A base that the nodes' names have and torch.fx has forgotten, as when a node was renamed, counts from nothing.
    last_number.update({base: 0 for base, number in expected.items() if number and base not in namespace._base_count})
    retired = sorted(namespace._used_names.difference(names))
    state: dict[str, Any] = {}
    if last_number:
        state["last_number"] = last_number
    if retired:
        state["retired"] = retired
    return state
