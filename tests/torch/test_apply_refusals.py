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
from overlap_studio.differences import encode_nodes
from overlap_studio.errors import OverlapStudioError, PlanError, PlanMismatch

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


def other_shape(gm: fx.GraphModule) -> None:
    node = node_of(gm, torch.ops.aten.silu.default)
    node.meta["val"] = node.meta["val"][..., :3]


def other_module(gm: fx.GraphModule) -> None:
    node = node_of(gm, torch.ops.aten.silu.default)
    node.meta["custom"] = {**node.meta["custom"], "module_fqn": "layers.7.feed_forward"}


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
    ("number", (other_number, "its arguments are .* 2, .* 4, .* in the plan")),
    ("input", (other_input, "its arguments are")),
    ("shape", (other_shape, "it returns .* and .* in the plan")),
    ("module", (other_module, "layers.7.feed_forward.*layers.0.feed_forward.* in the plan")),
    ("name", (other_name, "the plan's node in its place is called silu")),
    ("added_node", (one_node_more, "it is aten.neg.default .*aten.silu.default")),
])


class ChangedByHand(Refusal):
    """A plan that was edited after it was exported for the job."""

    def check(self, change: Callable[[dict[str, Any]], None], words: str, mode: str = "exact",
              kind: type[OverlapStudioError] = PlanError) -> None:
        document = json.loads(PLAN.read_text(encoding="utf-8"))
        change(document)
        path = Path(FOLDER.name) / "changed.job.plan.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        self.refuse(copy_graph(GRAPH), path, kind, words, mode)


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


add_cases(ChangedByHand, ChangedByHand.check, [
    ("pipeline", (set_at("pipeline", value=[]), "its pipeline were changed after it was exported")),
    ("buckets", (set_at("buckets", value=["layers.0"]), "its buckets were changed")),
    ("input", (set_at("job", "input", 40, "target", value="aten.neg.default"), "job.input does not have the digest")),
    ("result", (result_in_another_order, "job.result does not have the digest")),
    ("no_section", (forget("job"), "overlap export PLAN --graph GRAPH --to job")),
    ("damaged_section", (forget("job", "modules"), "job: damaged")),
    ("version", (set_at("job", "version", value=2), "job.version: found 2, expected 1")),
    ("document_version", (set_at("version", value=7), "version: found 7, expected 1")),
    ("format", (set_at("format", value="overlap-graph"), "no overlap-plan document")),
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
            with self.assertRaisesRegex(PlanMismatch, "its arguments are"):
                apply_plan(gm, PLAN, mode="exact")


if __name__ == "__main__":
    unittest.main()
