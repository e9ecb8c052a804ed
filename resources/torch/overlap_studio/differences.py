"""The first difference between a graph and the one that a plan describes, in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch.fx as fx

from .document import NodeEncoder
from .group_names import GroupNames
from .job_plan import Node
from .symbols import Symbols

_LONGEST = 160
_COMMUNICATION = ("_c10d_functional.", "bucketing.", "_dtensor.")


def encode_nodes(graph: fx.Graph) -> list[Node]:
    """The nodes of a graph as an overlap-graph document has them."""
    nodes = list(graph.nodes)
    encoder = NodeEncoder(nodes, Symbols())
    return [encoder.encode(node) for node in nodes]


class Comparison:
    """Compares the nodes of a plan with those of a graph, both as an overlap-graph document has them.

    Nodes are compared by position: operator, arguments, where nodes are positions too, and type, shape and strides of
    what they return; of nodes that are in `named`, the name.

    @param groups learns which of the job's groups are the plan's.
    @param named names that the plan's graph has before its passes. None: every node is named, and modules are
    compared as well.
    @param other_rank the plan was made with another rank's graph: plain numbers among the arguments of its compute may
    differ, as those do that tell a rank its part of a vocabulary.
    """

    def __init__(self, groups: GroupNames, named: frozenset[str] | None = None, other_rank: bool = False) -> None:
        self._groups = groups
        self._named = named
        self._other_rank = other_rank

    def first_difference(self, expected: Sequence[Node], found: Sequence[Node]) -> str | None:
        """The first difference as a clause, or None."""
        self._expected_places = {node["name"]: place for place, node in enumerate(expected)}
        self._found_places = {node["name"]: place for place, node in enumerate(found)}
        for place, (wanted, got) in enumerate(zip(expected, found)):
            difference = self._of_node(wanted, got)
            if difference is not None:
                return f"node {place} ({got['name']}): {difference}"
        if len(expected) == len(found):
            return None
        longer, place = max(expected, found, key=len), min(len(expected), len(found))
        whose = "the plan" if longer is expected else "the graph"
        return (f"the graph has {len(found)} nodes and the plan {len(expected)}; the first that only {whose} has is "
                f"node {place} ({longer[place]['name']}, {longer[place]['target']})")

    def _of_node(self, wanted: Node, got: Node) -> str | None:
        if (wanted["op"], wanted["target"]) != (got["op"], got["target"]) and not self._both_submodules(wanted, got):
            return f"it is {got['target']} ({got['op']}), and {wanted['target']} ({wanted['op']}) in the plan"
        is_named = self._named is None or wanted["name"] in self._named or got["name"] in self._named
        if is_named and wanted["name"] != got["name"]:
            return f"the plan's node in its place is called {wanted['name']}"
        for field, empty in (("args", []), ("kwargs", {})):
            if not self._same(wanted.get(field, empty), got.get(field, empty), self._lenient(wanted)):
                what = "its arguments are" if field == "args" else "its keyword arguments are"
                return _differ(what, got.get(field, empty), wanted.get(field, empty))
        if _tensors(wanted) != _tensors(got):
            return _differ("it returns", _shapes(got), _shapes(wanted))
        return self._of_modules(wanted, got) if self._named is None else None

    def _both_submodules(self, wanted: Node, got: Node) -> bool:
        """Modules that passes add to the graph's are called as the job's has room for names."""
        return wanted["op"] == got["op"] == "get_attr" and self._named is not None

    def _lenient(self, node: Node) -> bool:
        is_of_plan = self._named is not None and node["name"] not in self._named
        return self._other_rank and not is_of_plan and not node["target"].startswith(_COMMUNICATION)

    def _same(self, wanted: Any, got: Any, lenient: bool) -> bool:
        if isinstance(wanted, dict) and isinstance(got, dict):
            if set(wanted) == set(got) == {"node"}:
                return self._expected_places.get(wanted["node"]) == self._found_places.get(got["node"])
            return set(wanted) == set(got) and all(self._same(wanted[key], got[key], lenient) for key in wanted)
        if isinstance(wanted, list) and isinstance(got, list):
            return len(wanted) == len(got) and all(map(self._same, wanted, got, [lenient] * len(got)))
        if isinstance(wanted, str) and isinstance(got, str):
            return self._groups.same(wanted, got)
        if lenient and type(wanted) is type(got) and isinstance(wanted, (int, float)) and not isinstance(wanted, bool):
            return True
        return type(wanted) is type(got) and wanted == got

    @staticmethod
    def _of_modules(wanted: Node, got: Node) -> str | None:
        for stack in ("module_stack", "fwd_module_stack"):
            paths = [[path for path, *_ in node.get(stack) or ()] for node in (wanted, got)]
            if paths[0] != paths[1]:
                return _differ("its modules are", paths[1], paths[0])
        names = [(node.get("custom") or {}).get("module_fqn") for node in (wanted, got)]
        return None if names[0] == names[1] else _differ("its module is", names[1], names[0])


def _differ(what: str, got: Any, wanted: Any) -> str:
    return f"{what} {_short(got)}, and {_short(wanted)} in the plan"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _tensors(node: Node) -> list[tuple[Any, ...] | None]:
    return [tensor and (tensor["dtype"], tensor["shape"], tensor["stride"]) for tensor in node.get("outputs") or ()]


def _shapes(node: Node) -> list[str | None]:
    return [tensor and f"{tensor['dtype']} {tensor['shape']} with strides {tensor['stride']}"
            for tensor in node.get("outputs") or ()]


def collective_order(nodes: Iterable[Mapping[str, Any]], groups: Sequence[str]) -> list[str]:
    """The collectives that a graph starts, in order, in words that are the same on every rank that runs it alike.

    Groups are told by the order of their first use, since their names differ between ranks. Sizes of all-to-alls are
    left out: they may.

    @param groups names of process groups.
    """
    seen: dict[str, int] = {}
    lines = []
    for node in nodes:
        target = node["target"]
        if not target.startswith("_c10d_functional.") or "wait_tensor" in target:
            continue
        arguments = [*node.get("args", ()), *node.get("kwargs", {}).values()]
        words = [f"group {seen.setdefault(word, len(seen))}" if word in groups else word
                 for word in arguments if isinstance(word, str)]
        sizes = [] if "all_to_all" in target else [tensor and (tensor["dtype"], tensor["shape"])
                                                   for tensor in node.get("outputs") or ()]
        lines.append(f"{target} {words} {sizes}")
    return lines
