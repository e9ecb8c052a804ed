"""What the core has made of a graph that is at hand, as a plan for that graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .errors import PlanError
from .job_plan import JobPlan, Node, with_half


def plan_of_changes(name: str, rank: int, nodes: Sequence[str], changes: Mapping[str, Any]) -> JobPlan:
    """The plan has the names alone of nodes that no pass has changed.

    It comes from no file, so only this is checked: that changed nodes have the graph's names at their places, and that the
    result has as many nodes as the core says.

    @param name what errors call it.
    @param nodes names of the graph's nodes, in order.
    @param changes what `overlap_studio.core.Applied.changes` gives, read.
    @raises PlanError where they are not of this graph, or not whole.
    """
    node_of = _Tables(changes).node
    before = dict(changes["before"])
    given: list[Node] = [{"name": node} for node in nodes]
    start = list(given)
    for place, written in before.items():
        start[place] = given[place] = node_of(written)
        if written["name"] != nodes[place]:
            raise PlanError(f"{name}: node {place} is {nodes[place]}, and the core has changed {written['name']} there")
    for first, count, _ in changes["given_modules"]:
        for place in range(first, first + count):
            given[place] = {"name": nodes[place]}
    result: list[Node] = []
    origin: list[int | None] = []
    for item in changes["result"]["order"]:
        if isinstance(item, list):
            first, count = item
            result += start[first:first + count]
            origin += range(first, first + count)
        elif "from" in item:
            place = item.pop("from")
            result.append(node_of({key: value for key, value in {**before[place], **item}.items() if value is not None}))
            origin.append(place)
        else:
            result.append(node_of(item))
            origin.append(None)
    if len(result) != changes["result"]["nodes"]:
        raise PlanError(f"{name}: found {len(result)} nodes of the result, and the core has made "
                        f"{changes['result']['nodes']}")
    groups = changes["process_groups"]
    return JobPlan(path=name, name=name, decision="", rank=rank, world_size=None, pipeline=changes["pipeline"], overlaps={},
                   groups=groups["of_graph"], created_groups=groups["created"], times=None, exact_only=None, input=given,
                   start=start, origin=origin, users_order=dict(changes["result"]["users_order"]), _result=result)


class _Tables:
    """What nodes refer to by number."""

    def __init__(self, changes: Mapping[str, Any]) -> None:
        self._outputs, self._chunks = changes["outputs"], changes["chunks"]
        # A module's name stands in an annotation, as a document has it.
        self._modules = [{"custom": {"module_fqn": modules.pop("module_fqn")}, **modules} if "module_fqn" in modules
                         else modules for modules in changes["modules"]]

    def node(self, written: Node) -> Node:
        """A node as the overlap-graph format has it."""
        modules = self._modules[written["modules"]] if "modules" in written else {}
        node = {"op": "call_function", **modules, **written}
        if "outputs" in node:
            node["outputs"] = self._outputs[node["outputs"]]
        return with_half(node, self._chunks)
