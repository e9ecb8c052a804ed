"""What export_graph writes, and what it refuses to write."""
from __future__ import annotations

import gzip
import json
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import torch
import torch.distributed as dist
import torch.fx as fx
from overlap_studio import ExportError, export_graph, profile_times, torch_times
from overlap_studio.export import graph_document
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.testing._internal.distributed.fake_pg import FakeStore

from cases import add_cases
from programs import REPOSITORY, overlap, run_overlap

aten = torch.ops.aten
collectives = torch.ops._c10d_functional

LIBRARY = torch.library.Library("overlap_studio_test", "DEF")
LIBRARY.define("scale(Tensor x) -> Tensor", tags=(torch.Tag.pointwise,))
LIBRARY.define("log_(Tensor(a!) x) -> ()")
LIBRARY.impl("scale", lambda x: x * 2, "CompositeExplicitAutograd")


def traced(function: Any, *inputs: torch.Tensor) -> fx.GraphModule:
    return make_fx(function, tracing_mode="fake")(*inputs)


def graph_of_unknown_size(bound: int) -> fx.GraphModule:
    """A graph with a tensor of u0 rows, at most `bound`."""
    with FakeTensorMode(shape_env=ShapeEnv(), allow_non_fake_inputs=True):
        return make_fx(lambda x: x.nonzero() + 1)(torch.empty(bound, dtype=torch.bool))


def document(graph_module: fx.GraphModule, **options: Any) -> dict[str, Any]:
    return graph_document(graph_module, name="test", **options)


def nodes_by_name(written: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {node["name"]: node for node in written["nodes"]}


def write_and_apply(graph_module: fx.GraphModule, *steps: dict[str, Any], **options: Any) -> dict[str, Any]:
    """The document that `overlap apply` makes of the export."""
    with tempfile.TemporaryDirectory() as scratch:
        graph, pipeline, out = (Path(scratch) / name for name in ("a.graph.json", "p.json", "b.graph.json"))
        export_graph(graph_module, graph, **options)
        pipeline.write_text(json.dumps(steps), encoding="utf-8")
        overlap("apply", graph, "--pipeline", pipeline, "-o", out)
        return json.loads(out.read_text(encoding="utf-8"))


class WhatIsWritten(unittest.TestCase):
    def test_arguments_of_every_kind(self) -> None:
        graph = fx.Graph()
        value = graph.placeholder("value")
        node = graph.call_function(aten.add.Tensor, (
            value, [1, 2.5, True, None, "text"], float("-inf"), slice(0, None, 2), torch.bfloat16, torch.device("cuda:1"),
            torch.strided, torch.channels_last, {"key": value}, ...), {"alpha": 3})
        graph.output(node)
        written = nodes_by_name(document(fx.GraphModule({}, graph)))["add_tensor"]
        self.assertEqual(written["args"], [
            {"node": "value"}, [1, 2.5, True, None, "text"], {"float": "-inf"}, {"slice": [0, None, 2]},
            {"dtype": "bfloat16"}, {"device": "cuda:1"}, {"layout": "strided"}, {"memory_format": "channels_last"},
            {"dict": {"key": {"node": "value"}}}, {"object": "builtins.ellipsis", "text": "Ellipsis"}])
        self.assertEqual(written["kwargs"], {"alpha": 3})

    def test_objects_have_no_address(self) -> None:
        class Generator:
            def __str__(self) -> str:
                return "<Generator object at 0x7f00deadbeef>"

            def __repr__(self) -> str:
                return "None"  # what torch.fx writes into its code

        graph = fx.Graph()
        graph.output(graph.call_function(len, (Generator(),)))
        written = nodes_by_name(document(fx.GraphModule({}, graph)))["len_1"]
        self.assertEqual(written["args"][0]["text"], "<Generator>")

    def test_tensors_that_share_memory_have_one_storage(self) -> None:
        graph_module = traced(lambda x: (x.view(6)[2:4], x + 1), torch.zeros(2, 3))
        written = [node["outputs"][0] for node in document(graph_module)["nodes"] if "outputs" in node]
        self.assertEqual([tensor["storage"] for tensor in written], [0, 0, 0, 1])
        self.assertEqual(written[2], {"dtype": "float32", "shape": [2], "stride": [1], "device": "cpu",
                                      "storage_offset": 2, "storage": 0, "storage_bytes": 24})

    def test_the_order_of_users_is_told_where_it_is_not_that_of_nodes(self) -> None:
        graph_module = traced(lambda x: (x + 1) * (x + 2), torch.zeros(2))
        first, second = (node for node in graph_module.graph.nodes if node.target is aten.add.Tensor)
        value = first.args[0]
        value.users = {second: None, first: None}
        self.assertEqual(nodes_by_name(document(graph_module))[value.name]["users_order"], [second.name, first.name])

    def test_modules_and_what_autograd_says(self) -> None:
        graph_module = traced(lambda x: x + 1, torch.zeros(2))
        node = next(node for node in graph_module.graph.nodes if node.op == "call_function")
        node.meta.update(nn_module_stack={"a": ("", torch.nn.Module), "b": ("layers.0", "Block")},
                         fwd_nn_module_stack={"a": ("layers.1", "Block")}, custom={"module_fqn": "layers.0"}, seq_nr=7,
                         partitioner_tag="is_backward", autograd_backward=True, unheard_of=1)
        written = document(graph_module)
        found = nodes_by_name(written)[node.name]
        expected = {"module_stack": [["", "torch.nn.modules.module.Module"], ["layers.0", "Block"]],
                    "fwd_module_stack": [["layers.1", "Block"]], "custom": {"module_fqn": "layers.0"}, "seq_nr": 7,
                    "partitioner_tag": "is_backward", "autograd_backward": True}
        self.assertEqual({key: found.get(key) for key in expected}, expected)
        self.assertEqual(written["export_notes"],
                         [f"meta['unheard_of'] is no part of a document: 1 nodes, the first is {node.name}"])

    def test_symbolic_sizes_have_hints(self) -> None:
        graph_module = make_fx(lambda x: torch.cat([x, x]).flatten(), tracing_mode="symbolic")(torch.zeros(5, 3))
        written = document(graph_module)
        last = next(node for node in reversed(written["nodes"]) if "outputs" in node)
        self.assertEqual(last["outputs"][0]["shape"], [30])
        self.assertIsInstance(last["symbolic_shapes"][0][0], str)
        self.assertIn(5, written["symbol_hints"].values())

    def test_sizes_of_which_nothing_is_known_have_the_guess_that_is_asked_for(self) -> None:
        graph_module = graph_of_unknown_size(1_000_000_000)
        written = document(graph_module, unbacked_size=77)
        self.assertEqual(written["unbacked_symbol_hint"], 77)
        shapes = [node["outputs"][0]["shape"] for node in written["nodes"] if node["target"] == "aten.add.Tensor"]
        self.assertEqual(shapes, [[77, 1]])

    def test_sizes_that_their_bounds_determine_have_hints(self) -> None:
        written = document(graph_of_unknown_size(4))
        self.assertEqual(list(written["symbol_hints"].values()), [4])

    def test_bounds_that_change_what_passes_take_a_size_for_are_told(self) -> None:
        notes = document(graph_of_unknown_size(10_000))["export_notes"]
        self.assertRegex(notes[0], "the bounds of u0 change what torch takes it for, to {16777216: 10000, 8192: 8192}")

    def test_times_come_from_the_function_that_is_given(self) -> None:
        graph_module = traced(lambda x: x + 1, torch.zeros(2))
        written = document(graph_module, estimate=lambda node: 0.25 if node.op == "call_function" else None)
        self.assertEqual([node.get("estimate_ms") for node in written["nodes"]], [None, 0.25, None])

    def test_a_compressed_file_is_read_by_the_application(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "step.graph.json.gz"
            exported = export_graph(traced(lambda x: x + 1, torch.zeros(2)), path, rank=0, world_size=1)
            told = json.loads(overlap("info", "--json", path))
            self.assertEqual((told["name"], told["nodes"], told["digest"]),
                             ("step", exported.nodes, exported.digest))
            with gzip.open(path) as file:
                self.assertEqual(json.load(file)["producer"], {"torch": torch.__version__})
            self.assertEqual([entry.name for entry in Path(scratch).iterdir()], ["step.graph.json.gz"])


class WhatIsRefused(unittest.TestCase):
    def refuse(self, graph_module: fx.GraphModule, words: str, **options: Any) -> None:
        """The sentence says `words`, and the file that stood there stays as it was."""
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "step.graph.json"
            path.write_text("old", encoding="utf-8")
            with self.assertRaisesRegex(ExportError, words):
                export_graph(graph_module, path, **options)
            self.assertEqual(path.read_text(encoding="utf-8"), "old")
            self.assertEqual(len(list(Path(scratch).iterdir())), 1)

    def test_a_node_that_stands_before_what_it_uses(self) -> None:
        graph_module = traced(lambda x: (x + 1) * 2, torch.zeros(2))
        add, mul = (node for node in graph_module.graph.nodes if node.op == "call_function")
        mul.append(add)
        self.refuse(graph_module, "node mul uses add, which does not stand before it")

    def test_a_sparse_tensor(self) -> None:
        graph_module = traced(lambda x: x + 1, torch.zeros(2))
        node = next(node for node in graph_module.graph.nodes if node.op == "call_function")
        node.meta["val"] = torch.zeros(2).to_sparse()
        self.refuse(graph_module, "node add returns a tensor of layout sparse_coo")

    def test_a_time_below_zero(self) -> None:
        self.refuse(traced(lambda x: x + 1, torch.zeros(2)), "node .* is estimated at -1.0 ms", estimate=lambda _: -1.0)

    def test_a_module_stack_of_another_kind(self) -> None:
        graph_module = traced(lambda x: x + 1, torch.zeros(2))
        next(node for node in graph_module.graph.nodes if node.op == "call_function").meta["nn_module_stack"] = {"a": 1}
        self.refuse(graph_module, "node add has a nn_module_stack that is no dictionary of")

    def test_a_group_that_nobody_knows(self) -> None:
        graph_module = collective_graph("nowhere")
        self.refuse(graph_module, "node all_reduce_default names the process group 'nowhere', which torch.distributed does not")

    def test_a_group_without_this_rank(self) -> None:
        self.refuse(collective_graph("others"), r"of the ranks \[1, 2\], and rank 0 is not among them",
                    process_groups={"others": [1, 2]})

    def test_a_trace_that_is_none(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write("no trace")
            file.flush()
            with self.assertRaisesRegex(ExportError, "not a profiler's trace"):
                profile_times(file.name)


def collective_graph(group: str) -> fx.GraphModule:
    """A graph with one all-reduce over a group of this name."""
    graph = fx.Graph()
    value = graph.placeholder("value")
    start = graph.call_function(collectives.all_reduce.default, (value, "sum", group))
    graph.output((graph.call_function(collectives.wait_tensor.default, (start,)),))
    for node in graph.nodes:
        node.meta["val"] = torch.zeros(4)
    return fx.GraphModule({}, graph)


def model_with(**fields: Any) -> dict[str, Any]:
    """A cost model with other fields of its device, or with other links."""
    device = {"flops_per_s": {"bfloat16": 1e12}, "memory_bytes_per_s": 1e12}
    links = fields.pop("links", [])
    return {"device": {key: value for key, value in {**device, **fields}.items() if value is not ...}, "links": links}


def link(**fields: Any) -> dict[str, Any]:
    whole = {"process_group": "0", "latency_ms": 0.01, "bytes_per_s": 1e9, **fields}
    return {key: value for key, value in whole.items() if value is not ...}


class CostModels(unittest.TestCase):
    """What the application would refuse after the job's run is refused at the export, with the field's path."""

    def check(self, model: dict[str, Any], words: str) -> None:
        with self.assertRaisesRegex(ExportError, words):
            document(traced(lambda x: x + 1, torch.zeros(2)), cost_model=model)

    def test_tuples_and_whole_numbers_are_as_good(self) -> None:
        model = model_with(memory_bytes_per_s=10**12, flops_per_s={}, links=(link(latency_ms=0),))
        written = document(traced(lambda x: x + 1, torch.zeros(2)), cost_model=model)
        self.assertEqual(written["cost_model"], {**model, "links": list(model["links"])})


add_cases(CostModels, CostModels.check, [
    ("no_device", ({"x": 1}, "cost_model.device: this field is missing")),
    ("device", ({"device": 3}, "cost_model.device: found 3, expected a dictionary")),
    ("no_rates", (model_with(flops_per_s=...), "cost_model.device.flops_per_s: this field is missing")),
    ("rate", (model_with(flops_per_s={"bfloat16": "fast"}), "flops_per_s.bfloat16: found 'fast', expected a number")),
    ("no_memory", (model_with(memory_bytes_per_s=...), "cost_model.device.memory_bytes_per_s: this field is missing")),
    ("not_a_number", (model_with(memory_bytes_per_s=float("nan")), "memory_bytes_per_s: found nan, expected a number")),
    ("no_efficiency", (model_with(flops_efficiency=0), "flops_efficiency: found 0, expected a number greater than 0")),
    ("truth", (model_with(memory_efficiency=True), "memory_efficiency: found True, expected a number")),
    ("links", (model_with(links={"0": 1}), "cost_model.links: found .*, expected a list of links")),
    ("link_without_group", (model_with(links=[link(process_group=...)]),
                            r"cost_model.links\[0\].process_group: this field is missing")),
    ("link_without_rate", (model_with(links=[link(), link(process_group="1", bytes_per_s=...)]),
                           r"cost_model.links\[1\].bytes_per_s: this field is missing")),
    ("latency", (model_with(links=[link(latency_ms=-1)]), r"links\[0\].latency_ms: found -1, expected a number from 0 on")),
    ("two_links", (model_with(links=[link(), link()]), r"links\[1\].process_group: '0' has a link already")),
    ("kind", (model_with(links=[link(kinds={"gather": []})]), r"links\[0\].kinds.gather: there is no such kind")),
    ("no_ways", (model_with(links=[link(kinds={"all_gather": []})]),
                 r"links\[0\].kinds.all_gather: found \[\], expected a list of at least one way")),
    ("way", (model_with(links=[link(kinds={"all_gather": [{"latency_ms": 0}]})]),
             r"links\[0\].kinds.all_gather\[0\].bytes_per_s: this field is missing")),
    ("compiled", ({**model_with(), "compiled": "all"}, "cost_model.compiled: found 'all', expected one of eager, blocks")),
    ("density_of_nothing", ({**model_with(), "attention_density": 0.5}, "cost_model.compiled: this field is missing")),
    ("density", ({**model_with(), "compiled": "whole", "attention_density": 2},
                 "cost_model.attention_density: found 2, expected a number up to 1")),
    ("what_json_has_no_word_for", ({**model_with(), "notes": [float("inf")]},
                                   r"cost_model.notes\[0\]: found inf, which JSON has no word for")),
])


class ProcessGroups(unittest.TestCase):
    def setUp(self) -> None:
        dist.init_process_group("fake", rank=2, world_size=4, store=FakeStore())
        self.addCleanup(dist.destroy_process_group)

    def test_ranks_come_from_torch_distributed_by_name(self) -> None:
        group = dist.new_group([3, 2], group_desc="pair")
        written = document(collective_graph(group.group_name))
        self.assertEqual((written["rank"], written["world_size"]), (2, 4))
        self.assertEqual(written["process_groups"][0]["ranks"], [0, 1, 2, 3])
        found = written["process_groups"][1]
        self.assertEqual((found["name"], found["desc"]), (group.group_name, "pair"))
        self.assertEqual(found["ranks"][found["rank"]], 2)
        self.assertEqual(found["ranks"], dist.get_process_group_ranks(group))

    def test_ranks_that_are_given_are_taken(self) -> None:
        written = document(collective_graph("elsewhere"), process_groups={"elsewhere": [0, 2]})
        self.assertEqual(written["process_groups"][1], {"name": "elsewhere", "ranks": [0, 2], "rank": 1})


class WhatTheApplicationMakesOfIt(unittest.TestCase):
    """Supplements of a document: the application decides by them as PyTorch does."""

    def graph_with_own_operators(self) -> fx.GraphModule:
        graph = fx.Graph()
        value = graph.placeholder("value")
        graph.call_function(torch.ops.overlap_studio_test.scale.default, (value,))
        graph.call_function(torch.ops.overlap_studio_test.log_.default, (value,))
        graph.output((value,))
        for node in graph.nodes:
            node.meta["val"] = None if "log" in node.name else torch.zeros(4)
        return fx.GraphModule({}, graph)

    def test_operators_of_the_job_have_their_traits(self) -> None:
        operators = document(self.graph_with_own_operators())["operators"]
        self.assertEqual(operators, {
            "overlap_studio_test.scale.default": {"traits": ["cheap"], "side_effects": "none"},
            "overlap_studio_test.log_.default": {"traits": [], "side_effects": "some"}})

    def test_dead_operators_of_the_job_are_removed_as_torch_removes_them(self) -> None:
        graph_module = self.graph_with_own_operators()
        result = write_and_apply(graph_module, {"pass": "eliminate_dead_code_pass", "options": {}})
        graph_module.graph.eliminate_dead_code()
        self.assertEqual([node["name"] for node in result["nodes"]], [node.name for node in graph_module.graph.nodes])

    def test_names_that_were_given_before_are_not_given_again(self) -> None:
        graph_module = gathering_graph()
        graph = graph_module.graph
        for name in ("empty", "empty_1", "slice_1", "all_gather_into_tensor_out"):
            with graph.inserting_before(next(iter(graph.nodes))):
                graph.erase_node(graph.create_node("call_function", aten.empty.memory_format, ([1],), name=name))
        self.assertIn("empty", document(graph_module, process_groups={"pair": [0, 1]})["naming"]["retired"])
        result = write_and_apply(graph_module, {"pass": "bucket_all_gather", "options": {}},
                                 process_groups={"pair": [0, 1]})
        names = {node["name"] for node in result["nodes"]}
        self.assertFalse(names & {"empty", "empty_1", "slice_1", "all_gather_into_tensor_out"})

    def test_what_was_given_before_is_kept_in_the_result(self) -> None:
        graph_module = gathering_graph()
        result = write_and_apply(graph_module, {"pass": "bucket_all_gather", "options": {}},
                                 process_groups={"pair": [0, 1]})
        self.assertIn("all_gather_into_tensor_default", result["naming"]["retired"])

    def test_a_supplement_of_another_kind_is_an_error(self) -> None:
        for field, value, words in (("naming", {"retired": [1]}, "naming.retired"),
                                    ("operators", {"a.b.c": {"traits": ["fast"], "side_effects": "none"}}, "fast")):
            written = {**document(gathering_graph(), process_groups={"pair": [0, 1]}), field: value}
            with tempfile.TemporaryDirectory() as scratch:
                path = Path(scratch) / "a.graph.json"
                path.write_text(json.dumps(written), encoding="utf-8")
                done = run_overlap("info", path)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)


def gathering_graph() -> fx.GraphModule:
    """Two gathers of parameters over one group, which a bucket can hold."""
    graph = fx.Graph()
    shards = [graph.placeholder(f"shard_{index}") for index in range(2)]
    sums = []
    for shard in shards:
        shard.meta["val"] = torch.zeros(4)
    for shard in shards:
        start = graph.call_function(collectives.all_gather_into_tensor.default, (shard, 2, "pair"))
        wait = graph.call_function(collectives.wait_tensor.default, (start,))
        start.meta["val"], wait.meta["val"] = torch.zeros(8), torch.zeros(8)
        sums.append(graph.call_function(aten.neg.default, (wait,)))
        sums[-1].meta["val"] = torch.zeros(8)
    graph.output(tuple(sums))
    return fx.GraphModule({}, graph)


class TimesOfTorch(unittest.TestCase):
    def test_there_are_none_without_a_gpu(self) -> None:
        with mock.patch("torch.cuda.is_available", return_value=False), \
                self.assertRaisesRegex(ExportError, "needs the GPU that the job runs on"):
            torch_times()

    def test_a_profile_tells_times_of_operators(self) -> None:
        traces = REPOSITORY / "tests" / "data" / "traces"
        estimate = profile_times(sorted(traces.glob("*.json"))[0], otherwise=lambda node: 0.125)
        graph_module = traced(lambda x: x + 1, torch.zeros(2))
        times = {node.op: estimate(node) for node in graph_module.graph.nodes}
        self.assertEqual(times, {"placeholder": 0.0, "call_function": 0.125, "output": 0.0})


if __name__ == "__main__":
    unittest.main()
