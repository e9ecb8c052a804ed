"""What the native core does for a job in place of Python is the same: documents of nodes, digests, comparisons."""
from __future__ import annotations

import json
import operator
import random
import unittest
from collections.abc import Iterable
from typing import Any
from unittest import mock

import wheel_package  # noqa: F401 (the native core, ahead of overlap_studio)

import torch
import torch.fx as fx
from overlap_studio import differences, digests, document
from overlap_studio.document import NodeEncoder
from overlap_studio.errors import ExportError
from overlap_studio.group_names import GroupNames
from overlap_studio.native import native_core
from overlap_studio.symbols import Symbols
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from cases import add_cases
from test_apply_modes import EXPERTS, FSDP, TENSOR, graphs_of

CORE = native_core()
assert CORE is not None


class Odd:
    """What a document has no word for."""

    def __repr__(self) -> str:
        return "an odd thing"


def odd_graph() -> fx.Graph:
    """A node for each kind of argument, value and annotation."""
    graph, fake = fx.Graph(), FakeTensorMode(shape_env=ShapeEnv())
    with fake:
        matrix = torch.empty(4, 6, dtype=torch.bfloat16)
        part = matrix[1:, 2:]
        known = torch.empty(3)
    size = fake.shape_env.create_unbacked_symint()
    with fake:
        unknown = torch.empty(size, 2)
    x = graph.placeholder("x")
    x.meta["val"] = matrix
    arguments: list[Any] = [True, 1, 1.0, 1e-30, float("inf"), float("nan"), "text with \"quotes\" and ä",
                            torch.float32, torch.device("cuda", 1), torch.strided, torch.channels_last, None, (x, [x, 2]),
                            {"a": x}, slice(None, 3, None), Odd(), 2**70, size, {"node": "x"}, {"node": 0},
                            {"node": x}, {"node": "y"}]
    for argument in arguments:
        node = graph.call_function(operator.add, (x, argument), {"other": argument})
        node.meta["val"] = part
    values: list[Any] = [part, (part, None, known), [part, (known, known)], unknown, size, 3, [], None, {"key": known}]
    for value in values:
        graph.call_function(torch.ops.aten.mul.Tensor, (x, x)).meta["val"] = value
    annotations: list[dict[str, Any]] = [
        {"custom": {"module_fqn": "layers.0", "n": 1, "share": 0.5, "list": [1, None, True]}}, {"custom": {"odd": Odd()}},
        {"nn_module_stack": {"a": ("L['self'].a", torch.nn.Linear), "b": ("b", "a.Class")}},
        {"fwd_nn_module_stack": {"a": ("a", torch.nn.Module)}}, {"seq_nr": 7, "partitioner_tag": "is_backward"},
        {"autograd_backward": True}, {"recompute": Odd(), "chunk_id": 1}, {"unknown": 1}, {"stack_trace": "File"},
        {"bucketing_all_gather_sources": 1}, {"example_value": known}, {"manual_bucket_node_type": "start"}]
    for annotation in annotations:
        graph.call_function(torch.ops.aten.neg.default, (x,)).meta.update(annotation)
    used = graph.call_function(torch.ops.aten.neg.default, (x,))
    graph.output([used, x])
    x.users = dict(reversed(list(x.users.items())))
    return graph


def encoded(graph: fx.Graph, *, natively: bool) -> tuple[Any, list[str]]:
    encoder = NodeEncoder(graph.nodes, Symbols())
    with mock.patch.object(document, "native_core", lambda: CORE if natively else None):
        return json.loads(json.dumps(encoder.encode_all())), encoder.notes


class Nodes(unittest.TestCase):
    maxDiff = 2000

    def check_same(self, graph: fx.Graph) -> None:
        (wanted, wanted_notes), (got, got_notes) = (encoded(graph, natively=natively) for natively in (False, True))
        self.assertEqual(len(wanted), len(got))
        for one, other in zip(wanted, got):
            self.assertEqual(json.dumps(one, sort_keys=True), json.dumps(other, sort_keys=True))
        self.assertEqual(wanted_notes, got_notes)

    def check_job(self, job: Any, kind: str) -> None:
        self.check_same(graphs_of(job, kind).graph)

    def test_whatever_a_node_may_have(self) -> None:
        self.check_same(odd_graph())

    def test_few_nodes_of_a_job_need_python(self) -> None:
        graph = graphs_of(EXPERTS, "joint").graph
        encoder = NodeEncoder(graph.nodes, Symbols())
        with mock.patch.object(NodeEncoder, "encode", side_effect=encoder.encode) as asked:
            encoder.encode_all()
        self.assertLess(asked.call_count, len(graph.nodes) / 20)

    def test_some_of_the_nodes(self) -> None:
        graph = odd_graph()
        last = len(graph.nodes) - 1
        made = []
        for core in (None, CORE):
            with mock.patch.object(document, "native_core", lambda core=core: core):
                made.append(NodeEncoder(graph.nodes, Symbols()).encode_at([3, last, 0]))
                with self.assertRaises(IndexError):
                    NodeEncoder(graph.nodes, Symbols()).encode_at([last + 1])
        self.assertEqual(json.dumps(made[0], sort_keys=True), json.dumps(made[1], sort_keys=True))
        self.assertEqual([node["op"] for node in made[1]], ["call_function", "output", "placeholder"])

    def test_errors_are_the_encoders(self) -> None:
        graph = fx.Graph()
        node = graph.call_function(operator.add, (1, 2))
        later = graph.call_function(operator.add, (1, 2))
        node.args = (later, 2)
        with self.assertRaisesRegex(ExportError, "node add uses add_1, which does not stand before it"):
            NodeEncoder(graph.nodes, Symbols()).encode_all()
        self.assertEqual(len(NodeEncoder(graph.nodes, Symbols(), sorted_only=False).encode_all()), 2)

    def test_times_are_asked_for(self) -> None:
        graph = graphs_of(FSDP, "forward").graph
        got = NodeEncoder(graph.nodes, Symbols(), lambda node: 0.25 if "mm" in node.name else None).encode_all()
        self.assertTrue(any(node.get("estimate_ms") == 0.25 for node in got))
        with self.assertRaisesRegex(ExportError, "is estimated at -1.0 ms"):
            NodeEncoder(graph.nodes, Symbols(), lambda node: -1.0).encode_all()


add_cases(Nodes, Nodes.check_job, [(f"{job.name}_{kind}", (job, kind))
                                   for job, kind in ((FSDP, "joint"), (TENSOR, "backward"), (EXPERTS, "joint"))])


def random_json(choose: random.Random, depth: int = 0) -> Any:
    kind = choose.randrange(8 if depth < 4 else 6)
    if kind == 6:
        return [random_json(choose, depth + 1) for _ in range(choose.randrange(4))]
    if kind == 7:
        return {choose.choice("abcäö") * choose.randrange(12): random_json(choose, depth + 1)
                for _ in range(choose.randrange(4))}
    return [None, choose.random() < 0.5, choose.randrange(-2**70, 2**70), choose.randrange(100), choose.uniform(-1e9, 1e9),
            "text" * choose.randrange(5)][kind]


class Digests(unittest.TestCase):
    def test_of_values(self) -> None:
        choose = random.Random(1)
        for _ in range(300):
            value = random_json(choose)
            native = digests.value_digest(value)
            with mock.patch.object(digests, "native_core", lambda: None):
                self.assertEqual(digests.value_digest(value), native, value)

    def check_nodes(self, nodes: list[dict[str, Any]]) -> None:
        native = digests.fingerprint({"nodes": nodes})
        with mock.patch.object(digests, "native_core", lambda: None):
            self.assertEqual(digests.fingerprint({"nodes": nodes}), native)

    def test_of_nodes(self) -> None:
        self.check_nodes(encoded(odd_graph(), natively=False)[0])
        self.check_nodes(encoded(graphs_of(EXPERTS, "joint").graph, natively=True)[0])

    def test_of_what_are_no_nodes(self) -> None:
        for nodes in ([{}], [{"name": "a", "op": "call_function"}], [{"name": "a", "op": "nothing", "target": "b"}],
                      [{"name": "a", "op": "output", "target": "b", "args": [{"node": "c"}]}],
                      [{"name": "a", "op": "output", "target": "b", "args": 3}], [3],
                      *([{"name": "a", "op": "output", "target": "b", "module_stack": [module]}]
                        for module in ({"path": "a", "class": "b"}, {"a", "b"}, "ab", ["a"], 3)),
                      *([{"name": "a", "op": "output", "target": "b", "outputs": [{"shape": [size], "dtype": "float32"}]}]
                        for size in (2**70, "three", None))):
            for core in (CORE, None):
                with self.subTest(nodes=nodes, core=core), mock.patch.object(digests, "native_core", lambda: core), \
                        self.assertRaises((KeyError, IndexError, TypeError, AttributeError, ValueError)):
                    digests.fingerprint({"nodes": nodes})


class Differences(unittest.TestCase):
    """The same sentence, whoever looks first."""

    def check(self, change: Any) -> None:
        graph = graphs_of(TENSOR, "joint").graph
        expected = json.loads(json.dumps(encoded(graph, natively=True)[0]))
        change(expected)
        told = []
        for core in (CORE, None):
            with mock.patch.object(differences, "native_core", lambda core=core: core):
                found, doubtful = differences.FoundNodes(graph).beside(expected, GroupNames([], 0), True)
            told.append(differences.Comparison(GroupNames([], 0)).first_difference(expected, found, doubtful))
        self.assertIsNotNone(told[0])
        self.assertEqual(*told)


def differing(expected: list[dict[str, Any]], found: list[dict[str, Any]], places: Iterable[int]) -> list[int]:
    """At which of the places, which both have, documents differ."""
    comparison = differences.Comparison(GroupNames([], 0))
    told = {place: comparison.first_difference(expected, found, [place]) or "" for place in places}
    return [place for place, words in told.items() if words.startswith(f"node {place} (")]


def texts(value: Any) -> set[str]:
    """All texts that are in lists."""
    return set().union(*map(texts, value)) if isinstance(value, list) else {value} if isinstance(value, str) else set()


class Graphs(unittest.TestCase):
    """A graph beside what a plan expects of it: the core finds the same as the comparison of their documents."""

    def doubtful(self, graph: fx.Graph, expected: list[dict[str, Any]], groups: frozenset[str] = frozenset(),
                 with_modules: bool = True, places: list[int] | None = None) -> list[int]:
        nodes = list(graph.nodes)
        found: list[int] = CORE.fx_doubtful(NodeEncoder(nodes, Symbols()), nodes, expected, groups, with_modules, places)
        return found

    def test_a_job_is_certain_but_for_its_groups(self) -> None:
        for job, kind in ((FSDP, "joint"), (TENSOR, "backward"), (TENSOR, "joint")):
            graph = graphs_of(job, kind).graph
            expected = encoded(graph, natively=False)[0]
            self.assertEqual(self.doubtful(graph, expected), [])
            groups = frozenset(argument for node in expected if node["target"].startswith("_c10d_functional.all_gather")
                               for argument in node["args"] if isinstance(argument, str))
            named = self.doubtful(graph, expected, groups)
            self.assertEqual(named, [place for place, node in enumerate(expected) if groups & texts(node.get("args"))])
            self.assertGreater(len(named), 4)

    def test_whatever_a_node_may_have_is_not_called_the_same_of_another(self) -> None:
        graph = odd_graph()
        expected = encoded(graph, natively=False)[0]
        for place in range(len(expected)):
            for other in range(place):
                changed = [*expected[:place], {**expected[other], "name": expected[place]["name"]}, *expected[place + 1:]]
                if differing(changed, expected, [place]):
                    self.assertIn(place, self.doubtful(graph, changed), expected[place]["name"])

    def test_nodes_are_told_by_their_places(self) -> None:
        """Names of new nodes may be each other's."""
        graph = fx.Graph()
        one, other = (graph.placeholder(name) for name in ("one", "other"))
        graph.output((one, other))
        expected = encoded(graph, natively=False)[0]
        self.assertEqual(self.doubtful(graph, [expected[1], expected[0], expected[2]]), [0, 1, 2])

    def test_some_places(self) -> None:
        graph = graphs_of(FSDP, "forward").graph
        expected = encoded(graph, natively=False)[0]
        last = len(expected) - 1
        expected[3], expected[5] = {**expected[3], "target": "another"}, {**expected[5], "target": "another"}
        self.assertEqual(self.doubtful(graph, expected, places=[5, last]), [5])
        self.assertEqual(self.doubtful(graph, expected[:last], places=[4, last]), [last])
        with self.assertRaises(IndexError):
            self.doubtful(graph, expected, places=[last + 1])

    def test_what_is_certain_needs_no_document(self) -> None:
        graph = graphs_of(FSDP, "joint").graph
        expected = encoded(graph, natively=True)[0]
        expected[7] = {**expected[7], "target": "another"}
        for core in (CORE, None):
            with mock.patch.object(differences, "native_core", lambda core=core: core):
                found, doubtful = differences.FoundNodes(graph).beside(expected, GroupNames([], 0), True)
            self.assertEqual(doubtful, [7] if core else list(range(len(expected))))
            self.assertIsNot(found[7], expected[7])
            self.assertEqual(found[8] is expected[8], core is not None)
            message = differences.Comparison(GroupNames([], 0)).first_difference(expected, found, doubtful)
            self.assertRegex(message or "", "node 7 .*: it is .*, and another .* in the plan")

    def check(self, change: Any) -> None:
        graph = graphs_of(TENSOR, "joint").graph
        expected = json.loads(json.dumps(encoded(graph, natively=True)[0]))
        change(expected)
        common = min(len(expected), len(graph.nodes))
        by_documents = differing(expected, encoded(graph, natively=False)[0], range(common))
        self.assertEqual([place for place in self.doubtful(graph, expected) if place < common], by_documents)


def product(nodes: list[dict[str, Any]]) -> dict[str, Any]:
    """A node in the middle with arguments, a tensor and a module."""
    found = [node for node in nodes if node["target"] == "aten.mm.default" and "module_fqn" in node.get("custom", {})]
    return found[len(found) // 2]


CHANGES: dict[str, Any] = {
    "name": lambda nodes: product(nodes).update(name="another"),
    "target": lambda nodes: product(nodes).update(target="aten.bmm.default"),
    "argument": lambda nodes: product(nodes)["args"].reverse(),
    "further_argument": lambda nodes: product(nodes)["args"].append(1),
    "kind_of_number": lambda nodes: product(nodes).update(kwargs={"a": 1.0}),
    "shape": lambda nodes: product(nodes)["outputs"][0].update(shape=[1, 2]),
    "stride": lambda nodes: product(nodes)["outputs"][0].update(stride=[7, 7]),
    "dtype": lambda nodes: product(nodes)["outputs"][0].update(dtype="float64"),
    "no_tensor": lambda nodes: product(nodes).pop("outputs"),
    "module": lambda nodes: product(nodes)["custom"].update(module_fqn="elsewhere"),
    "stack": lambda nodes: product(nodes).update(module_stack=[["a", "b"]]),
    "direction": lambda nodes: product(nodes).update(autograd_backward=not product(nodes).get("autograd_backward")),
    "order": lambda nodes: nodes.insert(0, nodes.pop(1)),
    "end": lambda nodes: nodes.pop(),
}
add_cases(Differences, Differences.check, [(name, (change,)) for name, change in CHANGES.items()])
add_cases(Graphs, Graphs.check, [(name, (change,)) for name, change in CHANGES.items()])


if __name__ == "__main__":
    unittest.main()
