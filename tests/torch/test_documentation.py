"""The page docs/training_job.md as somebody follows it: its Python blocks run in order, its commands beside them."""
from __future__ import annotations

import json
import os
import re
import shlex
import tempfile
import types
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import wheel_package  # noqa: F401 (the native core, ahead of overlap_studio, which the page uses)

import torch._inductor.config
import torch.fx as fx
from overlap_studio.export import graph_document

from comparison import copy_graph
from job_plans import BLOCKS, applied_by_overlap, make_job_plan, plan_document, step
from programs import REPOSITORY, overlap
from reference_passes import trainer
from test_apply_hooks import default_passes
from traced_graphs import Job, fake_process_group, joint_graph

from compare_graphs import difference

PAGE = REPOSITORY / "docs" / "training_job.md"
# One group of all ranks, which the page's cost model has a link for.
JOB = Job("fsdp", (("shard", 4),))
TRAINER_PASSES = "torchtitan.experiments.graph_trainer.passes"
PLAN = plan_document([step("joint_transformer_block_bucketing_reordering_pass", module_bucket_plans=BLOCKS)])


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def commands(program: str) -> list[list[str]]:
    """Arguments of the indented lines that call a program."""
    lines = re.findall(rf"^    {program} (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return [shlex.split(line) for line in lines]


class Page(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(scratch.name)
        self.folder = Path(scratch.name)
        trainer()  # the registry is torchtitan's; the trainer's own passes need models
        stand_in = types.ModuleType(TRAINER_PASSES)
        stand_in.construct_default_graph_passes = default_passes
        patches = (mock.patch.dict("sys.modules", {TRAINER_PASSES: stand_in}),
                   torch._inductor.config.patch(post_grad_custom_post_pass=None))
        for patch in patches:
            patch.__enter__()
            self.addCleanup(patch.__exit__, None, None, None)

    @staticmethod
    def run_pipeline(name: str, gm: fx.GraphModule) -> fx.GraphModule:
        from torchtitan.experiments.graph_trainer import registry
        for graph_pass in registry.PASS_PIPELINE_REGISTRY[name](None, None):
            gm = graph_pass(gm, [])
        return gm

    def test_every_block_in_order(self) -> None:
        export, times, apply, inductor, aot, direct, native = blocks("python")
        with fake_process_group(JOB) as meshes:
            graph = joint_graph(JOB, meshes)
            names: dict[str, Any] = {"graph_module": copy_graph(graph), "compile_graph": lambda gm, _: gm.forward}
            for block in (export, times):
                exec(block, names)
                self.run_pipeline("overlap_export", copy_graph(graph))
            exported = json.loads(overlap("info", "--json", "step.rank0.graph.json.gz"))
            self.assertEqual(exported["nodes"], len(graph.graph.nodes))
            self.check_times(overlap("estimate", "--json", "step.rank0.graph.json.gz"))

            Path("step.plan.json").write_text(json.dumps(PLAN), encoding="utf-8")
            # A job's own command is for stages, which test_pipeline_job.py exports.
            (arguments,) = [command for command in commands("overlap") if command[0] != "job"]
            overlap(*arguments)
            Path("step.rank0.graph.json.gz").rename("step.graph.json.gz")
            shown = applied_by_overlap(Path("step.job.plan.json"), self.folder)
            exec(apply, names)
            trainer().forget_groups()
            made = self.run_pipeline("overlap_plan", copy_graph(graph))
            self.assertIsNone(difference(shown, graph_document(made, name="made")))

            for direction in ("forward", "backward"):
                make_job_plan(copy_graph(graph), PLAN, self.folder, direction)
            for block in (inductor, aot):
                exec(block, names)
            exec(direct, names)
            self.assertIsNone(difference(shown, graph_document(names["graph_module"], name="direct")))
            exec(native, names)
            merged = names["overlap"](copy_graph(graph)).graph
            self.assertLess(self.gathers(merged), self.gathers(graph.graph))

    @staticmethod
    def gathers(graph: fx.Graph) -> int:
        return sum("all_gather_into_tensor" in str(node.target) for node in graph.nodes)

    def check_times(self, text: str) -> None:
        """Every collective and every product takes time with the page's cost model."""
        times = json.loads(text)
        busy = [name for name in times if name.startswith(("mm", "all_gather", "reduce_scatter"))]
        self.assertGreater(len(busy), 20)
        for name in busy:
            self.assertGreater(times[name], 0, name)


if __name__ == "__main__":
    unittest.main()
