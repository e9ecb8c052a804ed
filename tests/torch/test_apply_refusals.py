"""A plan that is stale, for another graph, changed by hand or without what it needs is refused, and the graph stays."""
from __future__ import annotations

import copy
import json
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import torch
import torch.fx as fx
from overlap_studio.apply import apply_plan
from overlap_studio.differences import Comparison
from overlap_studio.document import NodeEncoder
from overlap_studio.errors import OverlapStudioError, PlanError, PlanMismatch
from overlap_studio.group_names import GroupNames
from overlap_studio.job_plan import section_digest
from overlap_studio.symbols import Symbols

from cases import add_cases
from comparison import copy_graph
from job_plans import BLOCKS, make_job_plan, plan_document, step
from reference_passes import trainer
from traced_graphs import Job, fake_process_group, joint_graph

JOB = Job("fsdp", (("shard", 4),))
JOINT = step("joint_transformer_block_bucketing_reordering_pass", module_bucket_plans=BLOCKS)


def setUpModule() -> None:
    global GRAPH, PLAN, FOLDER
    FOLDER = tempfile.TemporaryDirectory()
    trainer()
    with fake_process_group(JOB) as meshes:
        GRAPH = joint_graph(JOB, meshes)
        PLAN = make_job_plan(GRAPH, plan_document([JOINT]), Path(FOLDER.name))


def tearDownModule() -> None:
    FOLDER.cleanup()


def node_of(gm: fx.GraphModule, target: Any) -> fx.Node:
    return next(node for node in gm.graph.nodes if node.target is target)


def encode_nodes(graph: fx.Graph) -> list[dict[str, Any]]:
    """The nodes of a graph as a document has them."""
    return NodeEncoder(graph.nodes, Symbols()).encode_all()


class Refusal(unittest.TestCase):
    """Applies a plan that must be refused."""

    def refuse(self, gm: fx.GraphModule, plan: Path | str, kind: type[OverlapStudioError], words: str,
               mode: str = "exact") -> None:
        before = encode_nodes(gm.graph)
        with fake_process_group(JOB), self.assertRaisesRegex(kind, words):
            apply_plan(gm, plan, mode=mode)
        self.assertEqual(encode_nodes(gm.graph), before)
        gm.graph.lint()


class AnotherGraph(Refusal):
    """What differs first is told, whatever the mode."""

    def check(self, change: Callable[[fx.GraphModule], None], words: str) -> None:
        for mode in ("exact", "passes"):
            gm = copy_graph(GRAPH)
            change(gm)
            self.refuse(gm, PLAN, PlanMismatch, "the plan is for another graph: node [0-9]+ .*" + words, mode)


def other_operator(gm: fx.GraphModule) -> None:
    node_of(gm, torch.ops.aten.silu.default).target = torch.ops.aten.gelu.default


def other_number(gm: fx.GraphModule) -> None:
    node = node_of(gm, torch.ops._c10d_functional.all_gather_into_tensor.default)
    node.args = (node.args[0], 2, node.args[2])


def other_input(gm: fx.GraphModule) -> None:
    first, second = [node for node in gm.graph.nodes if node.target is torch.ops.aten.mm.default][:2]
    second.args = (first.args[0], second.args[1])


def results_swapped(gm: fx.GraphModule) -> None:
    """The last two of many: a text of all results is cut before them."""
    output = gm.graph.output_node()
    *others, first, second = output.args[0]
    output.args = ((*others, second, first),)


def a_result_less(gm: fx.GraphModule) -> None:
    output = gm.graph.output_node()
    output.args = (output.args[0][:-1],)


def keyword_more(gm: fx.GraphModule) -> None:
    node_of(gm, torch.ops.aten.silu.default).kwargs = {"inplace": True}


def other_shape(gm: fx.GraphModule) -> None:
    node = node_of(gm, torch.ops.aten.silu.default)
    node.meta["val"] = node.meta["val"][..., :3]


def other_module(gm: fx.GraphModule) -> None:
    node = node_of(gm, torch.ops.aten.silu.default)
    node.meta["custom"] = {**node.meta["custom"], "module_fqn": "layers.7.feed_forward"}


def other_direction(gm: fx.GraphModule) -> None:
    for node in gm.graph.nodes:
        node.meta.pop("autograd_backward", None)


def other_name(gm: fx.GraphModule) -> None:
    node_of(gm, torch.ops.aten.silu.default).name = "silu_of_another_name"


def one_node_more(gm: fx.GraphModule) -> None:
    node = node_of(gm, torch.ops.aten.silu.default)
    with gm.graph.inserting_before(node):
        made = gm.graph.call_function(torch.ops.aten.neg.default, (node.args[0],))
    made.meta = copy.copy(node.meta)


def group_of_other_ranks(gm: fx.GraphModule) -> None:
    import torch.distributed as dist
    node = node_of(gm, torch.ops._c10d_functional.all_gather_into_tensor.default)
    node.args = (node.args[0], node.args[1], dist.new_group([0, 1]).group_name)


add_cases(AnotherGraph, AnotherGraph.check, [
    ("operator", (other_operator, "it is aten.gelu.default .*aten.silu.default")),
    ("number", (other_number, "argument 1: 2, and 4 in the plan")),
    ("input", (other_input, r"argument 0: (\w+), and (?!\1 )\w+ in the plan")),
    ("results", (results_swapped, r"\(output\): result [0-9]+: (\w+), and (?!\1 )\w+ in the plan")),
    ("number_of_results", (a_result_less, "number of results: [0-9]+, and [0-9]+ in the plan")),
    ("keyword", (keyword_more, "argument inplace: only the graph has it")),
    ("shape", (other_shape,
               r"it returns \w+ \[[0-9, ]+, 3\] with strides .*, and \w+ \[.*\] with strides .* in the plan")),
    ("module", (other_module, "layers.7.feed_forward.*layers.0.feed_forward.* in the plan")),
    ("direction", (other_direction, "autograd_backward: forward, and backward in the plan")),
    ("name", (other_name, "the plan's node in its place is called silu")),
    ("added_node", (one_node_more, "it is aten.neg.default .*aten.silu.default")),
])


class FirstDifference(unittest.TestCase):
    """The path to what differs, and never one text twice."""

    def check(self, wanted: Any, got: Any, words: str) -> None:
        groups = GroupNames([{"name": "0", "ranks": [0, 1]}, {"name": "1", "ranks": [0, 1]}], plan_rank=0)
        graphs = [[{"name": name, "op": "placeholder", "target": "x"} for name in names] + [
            {"name": "node", "op": "call_function", "target": "aten.cat.default", "args": args}]
            for names, args in ((("a", "b"), wanted), (("b", "a"), got))]
        difference = Comparison(groups, named=frozenset()).first_difference(*graphs, range(3))
        self.assertEqual(difference, "node 2 (node): " + words)


add_cases(FirstDifference, FirstDifference.check, [
    ("item", ([[1, 2, 3]], [[1, 2, 4]], "argument 0, item 2: 4, and 3 in the plan")),
    ("nested", ([0, {"dict": {"k": [1]}}], [0, {"dict": {"k": [2]}}],
                "argument 1, dict, k, item 0: 2, and 1 in the plan")),
    ("member_called_node", ([{"dict": {"node": {"node": "a"}}}], [{"dict": {"node": {"node": "a"}}}],
                            "argument 0, dict, node: a, node 1, and a, node 0 in the plan")),
    ("dictionary_that_looks_like_a_node", ([{"dict": {"node": "c"}}], [{"dict": {"node": "d"}}],
                                           'argument 0, dict, node: "d", and "c" in the plan')),
    ("tag", ([{"dtype": "float32"}], [{"dtype": "int64"}], 'argument 0, dtype: "int64", and "float32" in the plan')),
    ("length", ([[1, 2]], [[1]], "argument 0, number of items: 1, and 2 in the plan")),
    ("kind", ([{"node": "a"}], [None], "argument 0: none, and a in the plan")),
    ("one_name_two_nodes", ([{"node": "a"}], [{"node": "a"}], "argument 0: a, node 1, and a, node 0 in the plan")),
    ("end_of_a_long_text", (["x" * 400 + "a"], ["x" * 400 + "b"],
                            'argument 0: …xxxxxxxxxxxxxxxxxxxxb", and …xxxxxxxxxxxxxxxxxxxxa" in the plan')),
    ("one_group_for_two", (["0", "1"], ["0", "0"],
                           'argument 1: group "0", which is the plan\'s "0" in the nodes before, and another, "1", '
                           'in the plan')),
])


class ChangedPlan(Refusal):
    def refuse_changed(self, change: Callable[[dict[str, Any]], None], words: str, mode: str = "exact",
                       kind: type[OverlapStudioError] = PlanError, seal: bool = False) -> None:
        document = json.loads(PLAN.read_text(encoding="utf-8"))
        change(document)
        if seal:
            document["job"]["digest"] = section_digest(document["job"])
        path = Path(FOLDER.name) / "changed.job.plan.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        self.refuse(copy_graph(GRAPH), path, kind, words, mode)


class ChangedByHand(ChangedPlan):
    """A plan that was edited after it was exported for the job."""

    def check(self, change: Callable[[dict[str, Any]], None], words: str) -> None:
        self.refuse_changed(change, words)

    def test_another_format_of_the_same_values_is_the_same_plan(self) -> None:
        path = Path(FOLDER.name) / "formatted.job.plan.json"
        path.write_text(json.dumps(json.loads(PLAN.read_text(encoding="utf-8")), indent=3), encoding="utf-8")
        with fake_process_group(JOB):
            apply_plan(copy_graph(GRAPH), path, mode="exact")


class WrittenByOthers(ChangedPlan):
    """A section that has its digest and is not what the application writes."""

    def check(self, change: Callable[[dict[str, Any]], None], words: str, mode: str = "exact",
              kind: type[OverlapStudioError] = PlanError) -> None:
        self.refuse_changed(change, words, mode, kind, seal=True)


def set_at(*keys: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        for key in keys[:-1]:
            document = document[key]
        document[keys[-1]] = value
    return change


def forget(*keys: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        for key in keys[:-1]:
            document = document[key]
        del document[keys[-1]]
    return change


def result_in_another_order(document: dict[str, Any]) -> None:
    order = document["job"]["result"]["order"]
    order[-3], order[-2] = order[-2], order[-3]


def nothing_that_it_is_made_from(document: dict[str, Any]) -> None:
    document["job"]["made_from"] = {}
    document["buckets"] = []


CHANGED = "job: this section was changed after it was exported"
add_cases(ChangedByHand, ChangedByHand.check, [
    ("pipeline", (set_at("pipeline", value=[]), "its pipeline were changed after it was exported")),
    ("buckets", (set_at("buckets", value=["layers.0"]), "its buckets were changed")),
    ("overlaps", (set_at("overlaps", value={}), "its overlaps were changed")),
    ("process_groups", (set_at("process_groups", value=[{"name": "0"}]), "its process_groups were changed")),
    ("made_from", (nothing_that_it_is_made_from, "job.made_from: has no buckets")),
    ("rank", (forget("job", "rank"), CHANGED)),
    ("world_size", (set_at("job", "world_size", value=8), CHANGED)),
    ("option", (set_at("job", "pipeline", 0, "options", "bucket_mode", value="default"), CHANGED)),
    ("input", (set_at("job", "input", 40, "target", value="aten.neg.default"), CHANGED)),
    ("result", (result_in_another_order, CHANGED)),
    ("table", (set_at("job", "outputs", 0, 0, "stride", value=[7, 7]), CHANGED)),
    ("direction", (set_at("job", "input", 40, "autograd_backward", value=True), CHANGED)),
    ("no_section", (forget("job"), "overlap export PLAN --graph GRAPH --to job")),
    ("list_for_a_section", (set_at("job", value=[1]), "job: found a list, expected an object")),
    ("no_digest", (forget("job", "digest"), "job: has no digest")),
    ("version", (set_at("job", "version", value=1), "job.version: found 1, expected 3; export the plan again")),
    ("newer_version", (set_at("job", "version", value=4), "job.version: found 4, and this package reads up to 3: update it")),
    ("no_version", (forget("job", "version"), "job.version: found None, expected 3; export the plan again")),
    ("newer_document", (set_at("version", value=7), "json: version: found 7, and this package reads up to 1: update it")),
    ("older_document", (set_at("version", value=0), "json: version: found 0, expected 1; write it again")),
    ("format", (set_at("format", value="overlap-graph"), "no overlap-plan document")),
    ("graph", (forget("graph"), "graph: found null, expected an object")),
    ("digest_of_the_graph", (set_at("graph", "digest", value="0" * 16), "job.input: its digest is")),
])
add_cases(WrittenByOthers, WrittenByOthers.check, [
    ("input", (set_at("job", "input", 40, "target", value="aten.neg.default"), "job.input: its digest is")),
    ("result", (result_in_another_order, "job.result: its digest is")),
    ("no_modules", (forget("job", "modules"), "job: has no modules")),
    ("text_for_a_pipeline", (set_at("job", "pipeline", value="abc"), 'job.pipeline: found "abc", expected a list')),
    ("step_without_options", (forget("job", "pipeline", 0, "options"), r"job.pipeline\[0\]: has no options")),
    ("huge_range", (set_at("job", "result", "order", value=[[0, 10**9]]),
                    r"job.result.order\[0\]\[1\]: found 1000000000, expected a number from 0 to")),
    ("many_ranges", (set_at("job", "result", "order", value=[[0, 50]] * 1000),
                     r"job.result.order\[1\]: node 0 of the graph is in the result twice")),
    ("changed_twice", (set_at("job", "result", "order", value=[{"from": 3}, {"from": 3}]),
                       r"job.result.order\[1\]: node 3 of the graph is in the result twice")),
    ("number_for_an_item", (set_at("job", "result", "order", value=[7]), r"job.result.order\[0\]: found 7")),
    ("node_less", (set_at("job", "result", "order", value=[[0, 5]]), "job.result: 5 nodes instead of")),
    ("node_without_name", (forget("job", "input", 40, "name"), r"job.input\[40\]: has no name")),
    ("kind_of_node", (set_at("job", "input", 40, "op", value="call"), r"job.input\[40\].op: this is no kind of node")),
    ("number_of_outputs", (set_at("job", "input", 40, "outputs", value=10**6), r"job.input\[40\].outputs: found 1000000")),
    ("unknown_node", (set_at("job", "input", 40, "args", value=[{"node": "nobody"}]), "job.input: these are no nodes")),
    ("place_of_an_edge", (set_at("job", "overlaps", "directives", value=[{"start": 0, "edges": [[10**7, 0]]}]),
                          r"job.overlaps.directives\[0\].edges\[0\]\[0\]: found 10000000")),
    ("users", (set_at("job", "result", "users_order", value=[[0, [-1]]]), r"users_order\[0\]\[1\]\[0\]: found -1")),
    ("group_without_ranks", (forget("job", "process_groups", "of_graph", 0, "ranks"),
                             r"job.process_groups.of_graph\[0\]: has no ranks")),
    ("times_of_other_nodes", (set_at("job", "times", value={"node_ms": [1]}), "job.times.node_ms: found 1 items")),
    ("another_world", (set_at("job", "world_size", value=8), "it is of a job of 8 ranks, and this job has 4", "exact",
                       PlanMismatch)),
    ("another_direction", (set_at("job", "input", 0, "autograd_backward", value=True),
                           "autograd_backward: forward, and backward in the plan", "exact", PlanMismatch)),
    ("option_of_a_pass", (set_at("job", "pipeline", 0, "options", "bucket_mode", value="default"),
                          "comes to another graph than the application showed: node [0-9]+", "passes", PlanMismatch)),
    ("unknown_option", (set_at("job", "pipeline", 0, "options", "bucket_moed", value="default"),
                        "step 1 .*unexpected keyword argument 'bucket_moed'", "passes")),
    ("unknown_pass", (set_at("job", "pipeline", 0, "pass", value="bucket_everything"),
                      "knows no pass bucket_everything", "passes")),
    ("exact_only", (set_at("job", "exact_only", value="step 1 has an option of ours"), "mode=\"exact\"", "passes")),
])


class CannotBeRead(Refusal):
    def test_no_file(self) -> None:
        self.refuse(copy_graph(GRAPH), "nowhere.plan.json", PlanError, "nowhere.plan.json: cannot be read as a plan")

    def test_no_json(self) -> None:
        path = Path(FOLDER.name) / "text.plan.json"
        path.write_text("{", encoding="utf-8")
        self.refuse(copy_graph(GRAPH), path, PlanError, "cannot be read as a plan")

    def test_lists_without_end(self) -> None:
        path = Path(FOLDER.name) / "deep.plan.json"
        path.write_text("[" * 100_000, encoding="utf-8")
        self.refuse(copy_graph(GRAPH), path, PlanError, "cannot be read as a plan")

    def test_unknown_mode(self) -> None:
        self.refuse(copy_graph(GRAPH), PLAN, PlanError, "mode: found 'other'", mode="other")


class LacksWhatItNeeds(Refusal):
    def test_torchtitan_is_missing(self) -> None:
        with mock.patch.dict("sys.modules", {"torchtitan.experiments.graph_trainer.fsdp_passes": None}):
            self.refuse(copy_graph(GRAPH), PLAN, PlanError, "is part of torchtitan.*mode=\"exact\"", "passes")

    def test_a_pass_that_raises_leaves_the_graph_as_it_was(self) -> None:
        def half_done(gm: fx.GraphModule, *_: Any, **__: Any) -> None:
            node = node_of(gm, torch.ops.aten.silu.default)
            node.replace_all_uses_with(node.args[0])
            gm.graph.erase_node(node)
            gm.add_submodule("left_behind", torch.nn.Identity())
            raise RuntimeError("half done")

        gm = copy_graph(GRAPH)
        before, users = encode_nodes(gm.graph), [[user.name for user in node.users] for node in gm.graph.nodes]
        with fake_process_group(JOB), self.assertRaisesRegex(RuntimeError, "half done"), \
                mock.patch("overlap_studio.passes_mode._trainer_pass", return_value=half_done):
            apply_plan(gm, PLAN, mode="passes")
        self.assertEqual(encode_nodes(gm.graph), before)
        self.assertEqual([[user.name for user in node.users] for node in gm.graph.nodes], users)
        self.assertFalse(hasattr(gm, "left_behind"))


class ANameIsNotARank(Refusal):
    def test_group_of_other_ranks(self) -> None:
        with fake_process_group(JOB):
            gm = copy_graph(GRAPH)
            group_of_other_ranks(gm)
            with self.assertRaisesRegex(PlanMismatch, r"argument 2: group \"\w+\" of ranks \[0, 1\], and group "
                                        r"\"\w+\" of ranks \[0, 1, 2, 3\] in the plan"):
                apply_plan(gm, PLAN, mode="exact")


if __name__ == "__main__":
    unittest.main()
