"""The first difference between a graph and the one that a plan describes, in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from os.path import commonprefix
from typing import Any

import torch.fx as fx

from .document import NodeEncoder
from .group_names import GroupNames
from .job_plan import Node
from .native import native_core
from .symbols import Symbols

_LONGEST = 160
_CONTEXT = 20  # characters that are shown before what differs in long texts
_COMMUNICATION = ("_c10d_functional.", "bucketing.", "_dtensor.")


class FoundNodes:
    """The nodes of a graph, which are to be compared with those that a plan expects. A node that certainly is what is
    expected of it gets no document of its own, which takes long to make: the expected one says the same of it."""

    def __init__(self, graph: fx.Graph) -> None:
        self._nodes = list(graph.nodes)
        self._encoder = NodeEncoder(self._nodes, Symbols())
        self._documents: dict[int, Node] = {}  # by place, as far as any was asked for

    def beside(self, expected: list[Node], groups: GroupNames, with_modules: bool,
               places: Sequence[int] | None = None) -> tuple[list[Node], list[int]]:
        """Documents of the nodes at `places`, or of all, and at which places they may differ from what is expected.

        Documents have of memory no more than that tensors are there, and of a node that is as expected no more than
        what is compared.
        """
        places, core = range(len(self._nodes)) if places is None else places, native_core()
        doubtful = list(places) if core is None else core.fx_doubtful(
            self._encoder, self._nodes, expected, groups.names, with_modules, places)
        missing = [place for place in doubtful if place not in self._documents]
        if missing:
            self._documents.update(zip(missing, self._encoder.encode_at(missing)))
        told = {place: self._documents[place] for place in doubtful}
        return [told[place] if place in told else expected[place] for place in places], doubtful


class KeptNodes:
    """The nodes of a graph with what a document has of them, to tell later which are as they were.

    @param encoded the same nodes as FoundNodes has them.
    """

    def __init__(self, graph: fx.Graph, encoded: Sequence[Node]) -> None:
        self._before = {node: (node.name, node.target, node.args, node.kwargs, node.meta.get("val"), document)
                        for node, document in zip(graph.nodes, encoded)}

    def beside(self, graph: fx.Graph, expected: list[Node], groups: GroupNames) -> tuple[list[Node], list[int]]:
        """Documents of the nodes of the graph as it is now, and at which places they may differ from what is expected. What
        is the same object as before, with the same arguments and value, has the same document as well."""
        nodes, found = list(graph.nodes), FoundNodes(graph)
        # What uses a node has its name: where names have changed, nothing is known of any.
        if any(node.name != self._before[node][0] for node in nodes if node in self._before):
            return found.beside(expected, groups, False)
        documents = list(map(self._as_before, nodes))
        rest = [place for place, document in enumerate(documents) if document is None]
        made, doubtful = found.beside(expected, groups, False, rest)
        for place, document in zip(rest, made):
            documents[place] = document
        settled = set(rest).difference(doubtful)
        return ([document for document in documents if document is not None],
                [place for place in range(len(nodes)) if place not in settled])

    def _as_before(self, node: fx.Node) -> Node | None:
        before = self._before.get(node)
        if before is None:
            return None
        _, target, args, kwargs, value, document = before
        is_same = (node.target is target and node.args is args and node.kwargs is kwargs
                   and node.meta.get("val") is value)
        return document if is_same else None


class Comparison:
    """Compares the nodes of a plan with those of a graph, both as an overlap-graph document has them.

    Nodes are compared by position: operator, arguments, where nodes are positions too, and type, shape and strides of
    what they return; of nodes that are in `named`, the name.

    @param groups learns which of the job's groups are the plan's.
    @param named names that the plan's graph has before its passes. None: every node is named, and modules and
    direction are compared as well.
    @param other_rank the plan was made with another rank's graph: plain numbers among the arguments of its compute may
    differ, as those do that tell a rank its part of a vocabulary.
    """

    def __init__(self, groups: GroupNames, named: frozenset[str] | None = None, other_rank: bool = False) -> None:
        self._groups = groups
        self._named = named
        self._other_rank = other_rank

    def first_difference(self, expected: list[Node], found: list[Node], places: Iterable[int]) -> str | None:
        """The first difference as a clause, or None.

        @param places of nodes that may differ, ascending.
        """
        self._expected_places = {node["name"]: place for place, node in enumerate(expected)}
        self._found_places = {node["name"]: place for place, node in enumerate(found)}
        common = min(len(expected), len(found))
        for place in places:
            difference = self._of_node(expected[place], found[place]) if place < common else None
            if difference is not None:
                return f"node {place} ({found[place]['name']}): {difference}"
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
        # What a pass makes of sizes that are known only when the job runs, the plan has another guess of.
        guessed = _guessed_sizes(got) if self._named is not None else {}
        difference = (self._of_arguments(wanted, got)
                      or _of_tensors(_tensors(wanted, guessed), _tensors(got, guessed)))
        if difference is not None or self._named is not None:
            return difference
        return self._of_modules(wanted, got) or _of_direction(wanted, got)

    def _both_submodules(self, wanted: Node, got: Node) -> bool:
        """Modules that passes add to the graph's are called as the job's has room for names."""
        return wanted["op"] == got["op"] == "get_attr" and self._named is not None

    def _lenient(self, node: Node) -> bool:
        is_of_plan = self._named is not None and node["name"] not in self._named
        return self._other_rank and not is_of_plan and not node["target"].startswith(_COMMUNICATION)

    def _of_arguments(self, wanted: Node, got: Node) -> str | None:
        lenient = self._lenient(wanted)
        lists = wanted.get("args", []), got.get("args", [])
        if wanted["op"] == "output" and all(len(args) == 1 for args in lists):
            (wanted_result,), (got_result,) = lists
            if isinstance(wanted_result, list) and isinstance(got_result, list):
                return self._of_list("", "result", wanted_result, got_result, lenient)
            return self._of_value("its result", wanted_result, got_result, lenient)
        return (self._of_list("", "argument", *lists, lenient)
                or self._of_fields("argument ", wanted.get("kwargs", {}), got.get("kwargs", {}), lenient))

    def _of_value(self, path: str, wanted: Any, got: Any, lenient: bool) -> str | None:
        """The first difference between two values of arguments, or in what they hold, with the path to it."""
        if isinstance(wanted, dict) and isinstance(got, dict):
            if set(wanted) == set(got) == {"node"}:
                return self._of_reference(path, wanted["node"], got["node"])
            if set(wanted) == set(got) == {"dict"}:  # whose members are called as it likes, "node" too
                return self._of_fields(f"{path}, dict, ", wanted["dict"], got["dict"], lenient)
            return self._of_fields(f"{path}, ", wanted, got, lenient)
        if isinstance(wanted, list) and isinstance(got, list):
            return self._of_list(f"{path}, ", "item", wanted, got, lenient)
        if isinstance(wanted, str) and isinstance(got, str):
            if self._groups.same(wanted, got):
                return None
            return self._groups.difference(path, wanted, got) or _differ(path, *_words(got, wanted))
        if type(wanted) is type(got):
            is_number = isinstance(wanted, (int, float)) and not isinstance(wanted, bool)
            if wanted == got or (lenient and is_number):
                return None
        return _differ(path, *_words(got, wanted))

    def _of_list(self, prefix: str, noun: str, wanted: list[Any], got: list[Any], lenient: bool) -> str | None:
        for place, (wanted_item, got_item) in enumerate(zip(wanted, got)):
            difference = self._of_value(f"{prefix}{noun} {place}", wanted_item, got_item, lenient)
            if difference is not None:
                return difference
        if len(wanted) == len(got):
            return None
        return _differ(f"{prefix}number of {noun}s", str(len(got)), str(len(wanted)))

    def _of_fields(self, prefix: str, wanted: Mapping[str, Any], got: Mapping[str, Any], lenient: bool) -> str | None:
        for key in [*wanted, *(key for key in got if key not in wanted)]:
            if key not in got or key not in wanted:
                whose = "the plan" if key in wanted else "the graph"
                return f"{prefix}{key}: only {whose} has it"
            difference = self._of_value(f"{prefix}{key}", wanted[key], got[key], lenient)
            if difference is not None:
                return difference
        return None

    def _of_reference(self, path: str, wanted: str, got: str) -> str | None:
        """Names of the nodes that passes make may be each other's, so nodes are told by their places as well then."""
        wanted_place, got_place = self._expected_places.get(wanted), self._found_places.get(got)
        if wanted_place == got_place:
            return None
        if wanted != got:
            return _differ(path, got, wanted)
        return _differ(path, f"{got}, node {got_place}", f"{wanted}, node {wanted_place}")

    @staticmethod
    def _of_modules(wanted: Node, got: Node) -> str | None:
        for stack in ("module_stack", "fwd_module_stack"):
            paths = [[path for path, *_ in node.get(stack) or ()] for node in (wanted, got)]
            for depth, (wanted_path, got_path) in enumerate(zip_longest(*paths)):
                if wanted_path != got_path:
                    return _differ(f"{stack}, item {depth}", *_words(got_path, wanted_path))
        names = [(node.get("custom") or {}).get("module_fqn") for node in (got, wanted)]
        return None if names[0] == names[1] else _differ("its module", *_words(*names))


def _of_direction(wanted: Node, got: Node) -> str | None:
    """torchtitan's passes tell forward from backward by it."""
    directions = ["backward" if node.get("autograd_backward") else "forward" for node in (got, wanted)]
    return None if directions[0] == directions[1] else _differ("autograd_backward", *directions)


def _differ(path: str, got: str, wanted: str) -> str:
    return f"{path}: {got}, and {wanted} in the plan"


def _words(got: Any, wanted: Any) -> tuple[str, str]:
    """Two values that differ; of long ones, what is near the first difference."""
    texts = [_word(value) for value in (got, wanted)]
    if max(map(len, texts)) <= _LONGEST:
        return texts[0], texts[1]
    begin = max(0, len(commonprefix(texts)) - _CONTEXT)
    cut = [("…" if begin else "") + text[begin:begin + _LONGEST] + ("…" if len(text) > begin + _LONGEST else "")
           for text in texts]
    return cut[0], cut[1]


def _word(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, dict) and set(value) == {"node"}:
        return str(value["node"])
    return json.dumps(value, ensure_ascii=False)


def _of_tensors(wanted: Sequence[Any], got: Sequence[Any]) -> str | None:
    if len(wanted) != len(got):
        return f"it returns {len(got)} tensors, and {len(wanted)} in the plan"
    for place, (wanted_tensor, got_tensor) in enumerate(zip(wanted, got)):
        if wanted_tensor != got_tensor:
            what = "it returns" if len(got) == 1 else f"its tensor {place} is"
            return f"{what} {_tensor_words(got_tensor)}, and {_tensor_words(wanted_tensor)} in the plan"
    return None


def _tensor_words(tensor: tuple[Any, ...] | None) -> str:
    if tensor is None:
        return "no tensor"
    dtype, shape, stride = tensor
    return f"{dtype} {shape} with strides {stride}"


def _tensors(node: Node, guessed: Mapping[int, Sequence[Any]]) -> list[tuple[Any, ...] | None]:
    """Types, sizes and strides; of a tensor with guessed sizes only how many it has and those that are numbers."""
    return [tensor and (tensor["dtype"], *_sizes(tensor, guessed.get(place)))
            for place, tensor in enumerate(node.get("outputs") or ())]


def _sizes(tensor: Mapping[str, Any], guessed: Sequence[Any] | None) -> tuple[Any, Any]:
    if guessed is None or len(guessed) != len(tensor["shape"]):
        return tensor["shape"], tensor["stride"]
    return [size if isinstance(symbol, int) else symbol for size, symbol in zip(tensor["shape"], guessed)], None


def _guessed_sizes(node: Node) -> dict[int, Sequence[Any]]:
    """By the place of the tensor, the sizes that symbols are in."""
    return {place: sizes for place, sizes in enumerate(node.get("symbolic_shapes") or ()) if sizes is not None}
