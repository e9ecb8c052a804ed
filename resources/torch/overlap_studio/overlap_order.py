"""Overlaps by hand, with PyTorch's own sort: the order that the application finds for them, found once more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import torch.fx as fx
from torch._dynamo.graph_deduplication import _stable_topological_sort
from torch._inductor.fx_passes.control_dependencies import preserve_node_ordering
from torch._inductor.fx_passes.overlap_scheduling import get_group_name
from torch.utils._ordered_set import OrderedSet

Dependencies = dict[fx.Node, OrderedSet[fx.Node]]


def order_by_hand(graph: fx.Graph, overlaps: Mapping[str, Any]) -> None:
    """Moves collectives as a plan's overlaps ask, in place (core/passes/overlaps/directed_order.h tells the rules).

    @param overlaps the job section's: edges (later, earlier) of each directive, as positions of nodes in this graph.
    """
    if not overlaps["directives"]:
        return
    nodes = list(graph.nodes)
    dependencies: Dependencies = _group_order(nodes) if overlaps["keep_group_order"] else {}
    asked: Dependencies = {}
    for directive in overlaps["directives"]:
        edges = [(nodes[later], nodes[earlier]) for later, earlier in directive["edges"]]
        for later, earlier in edges:
            dependencies.setdefault(later, OrderedSet()).add(earlier)
            asked.setdefault(later, OrderedSet()).add(earlier)
        start = nodes[directive["start"]]
        for later, earlier in edges:
            if earlier is start:
                _move_before(start, later, dependencies)
    _stable_topological_sort(graph, dependencies)
    if overlaps["insert_overlap_deps"]:
        preserve_node_ordering(graph, asked)


def _group_order(nodes: Iterable[fx.Node]) -> Dependencies:
    """Collectives of one process group keep the order in which they are issued."""
    last: dict[str, fx.Node] = {}
    dependencies: Dependencies = {}
    for node in nodes:
        target = str(node.target)
        if node.op != "call_function" or not target.startswith("_c10d_functional.") or "wait_tensor" in target:
            continue
        group = get_group_name(node)
        if group in last:
            dependencies[node] = OrderedSet([last[group]])
        last[group] = node
    return dependencies


def _move_before(start: fx.Node, target: fx.Node, dependencies: Dependencies) -> None:
    """Moves a collective right before a node, with what it needs of the nodes behind that, in their order."""
    needed, pending = {start}, [start]
    while pending:
        node = pending.pop()
        for other in (*node.all_input_nodes, *dependencies.get(node, ())):
            if other not in needed:
                needed.add(other)
                pending.append(other)
    behind = []
    node = target
    while node.op != "root":
        behind.append(node)
        node = node.next
    for node in behind:
        if node in needed:
            target.prepend(node)
