"""A graph that has lost its modules: rules of the plan give them back, in the application and in the job alike."""
from __future__ import annotations

import tempfile
import unittest
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch.fx as fx
from overlap_studio.apply import apply_plan
from overlap_studio.errors import PlanError
from overlap_studio.export import graph_document

from cases import add_cases
from comparison import copy_graph
from job_plans import applied_by_overlap, make_job_plan, plan_document
from reference_passes import trainer
from test_apply_modes import FSDP, PIPELINES, graphs_of
from traced_graphs import fake_process_group

from compare_graphs import difference

_STACKS = ("nn_module_stack", "fwd_nn_module_stack")


def stripped(gm: fx.GraphModule) -> fx.GraphModule:
    """A copy without any module."""
    copied = copy_graph(gm)
    for node in copied.graph.nodes:
        node.meta = {key: value for key, value in node.meta.items() if key not in _STACKS}
        if "custom" in node.meta:
            node.meta["custom"] = {key: value for key, value in node.meta["custom"].items() if key != "module_fqn"}
    return copied


def block_of(meta: Mapping[str, Any]) -> str | None:
    """The block, or the module of the model itself, that a node belongs to."""
    paths = [(meta.get("custom") or {}).get("module_fqn")]
    for key in _STACKS:
        paths += [path.removeprefix("L['self'].") for path, _ in (meta.get(key) or {}).values()]
    path = next((path for path in paths if path and path != "L['self']"), None)
    return path and ".".join(path.split(".")[:2 if path.startswith("layers.") else 1])


def rules_by_hand(gm: fx.GraphModule) -> list[dict[str, Any]]:
    """Rules that give each node the block that it has in `gm`."""
    nodes: dict[str, list[str]] = {}
    for node in gm.graph.nodes:
        block = block_of(node.meta) if node.op == "call_function" else None
        if block:
            nodes.setdefault(block, []).append(node.name)
    return [{"kind": "nodes", "nodes": names, "module": block} for block, names in nodes.items()]


class ModulesComeBack(unittest.TestCase):
    def check(self, kind: str, pipeline: str) -> None:
        original = graphs_of(FSDP, kind)
        gm, rules = stripped(original), rules_by_hand(original)
        self.assertGreater(len(rules), 3)
        with tempfile.TemporaryDirectory() as scratch, fake_process_group(FSDP):
            folder = Path(scratch)
            trainer().forget_groups()
            wanted = apply_plan(copy_graph(original),
                                make_job_plan(original, plan_document(PIPELINES[pipeline]), folder, "original"))
            plan = make_job_plan(gm, plan_document(PIPELINES[pipeline], module_rules=rules), folder)
            shown = applied_by_overlap(plan, folder)
            for mode in ("exact", "passes"):
                applied = apply_plan(copy_graph(gm), plan, mode=mode)
                self.assertIsNone(difference(shown, graph_document(applied, name=mode)), mode)
                self.assertEqual([node.name for node in applied.graph.nodes],
                                 [node.name for node in wanted.graph.nodes])
            self.assertNotEqual(len(shown["nodes"]), len(gm.graph.nodes))

    def test_a_refused_plan_leaves_the_graph_without_modules(self) -> None:
        original = graphs_of(FSDP, "forward")
        gm = stripped(original)
        pipeline = [{"pass": "manual_overlap_bucketing",
                     "options": {**PIPELINES["manual"][0]["options"], "safe": True}}]
        with tempfile.TemporaryDirectory() as scratch, fake_process_group(FSDP):
            plan = make_job_plan(gm, plan_document(pipeline, module_rules=rules_by_hand(original)), Path(scratch))
            with self.assertRaises(PlanError):
                apply_plan(gm, plan, mode="passes")
        self.assertFalse(any(block_of(node.meta) for node in gm.graph.nodes))


add_cases(ModulesComeBack, ModulesComeBack.check, [
    ("joint", ("joint", "joint")), ("joint_by_name", ("joint", "manual_by_name")),
    ("forward", ("forward", "manual")), ("forward_with_dependencies", ("forward", "manual_deps")),
    ("backward", ("backward", "manual"))])

if __name__ == "__main__":
    unittest.main()
