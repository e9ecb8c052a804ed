"""Where plans enter a job: compilers of AOT autograd, torch.compile with Inductor, and graph_trainer's pipelines."""
from __future__ import annotations

import functools
import json
import tempfile
import types
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import torch
import torch._inductor.config
import torch.distributed._functional_collectives as collectives
import torch.fx as fx
from overlap_studio.errors import PlanError, PlanMismatch
from overlap_studio.export import graph_document
from overlap_studio.hooks import PlanChooser, PostGradPass, export_pass, plan_pass, register_pipeline, with_plan

from analytic_times import AnalyticTimes, cost_model
from comparison import copy_graph
from job_plans import BLOCKS, applied_by_overlap, make_job_plan, plan_document, step
from programs import overlap
from reference_passes import trainer
from traced_graphs import Job, compiled_graphs, fake_process_group

from compare_graphs import difference

JOB = Job("fsdp", (("shard", 4),))
MANUAL = step("manual_overlap_bucketing", module_bucket_plans=BLOCKS)


class InTemporaryFolder(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)


class AotCompilers(InTemporaryFolder):
    def test_each_graph_gets_its_own_plan(self) -> None:
        with fake_process_group(JOB) as meshes:
            graphs = compiled_graphs(JOB, meshes)
            plans = [make_job_plan(copy_graph(gm), plan_document([MANUAL]), self.folder, name)
                     for name, gm in graphs.items()]
            shown = {name: applied_by_overlap(plan, self.folder, name) for name, plan in zip(graphs, plans)}
            compiled: list[fx.GraphModule] = []

            def compiler(gm: fx.GraphModule, example_inputs: Any) -> Any:
                compiled.append(gm)
                return gm.forward

            planned = with_plan(compiler, plans, mode="exact")
            for gm in reversed(graphs.values()):
                planned(copy_graph(gm), ())
            for name, gm in zip(reversed(graphs), compiled):
                self.assertIsNone(difference(shown[name], graph_document(gm, name=name)))

    def test_a_graph_without_a_plan_is_an_error_unless_it_is_to_be_skipped(self) -> None:
        with fake_process_group(JOB) as meshes:
            graphs = compiled_graphs(JOB, meshes)
            plan = make_job_plan(copy_graph(graphs["forward"]), plan_document([MANUAL]), self.folder)
            backward = copy_graph(graphs["backward"])
            with self.assertRaisesRegex(PlanMismatch, "no plan is for this graph: .*step.job.plan.json: node [0-9]+"):
                PlanChooser([plan])(backward)
            before = [node.name for node in backward.graph.nodes]
            PlanChooser([plan], others="skip")(backward)
            self.assertEqual([node.name for node in backward.graph.nodes], before)

    def test_a_graph_without_collectives_needs_no_plan(self) -> None:
        graph = fx.Graph()
        graph.output(graph.call_function(torch.neg, (graph.placeholder("value"),)))
        gm = fx.GraphModule({}, graph)
        with fake_process_group(JOB) as meshes:
            plan = make_job_plan(compiled_graphs(JOB, meshes)["forward"], plan_document([MANUAL]), self.folder)
        self.assertIs(PlanChooser([plan])(gm), gm)


def two_gathers(first: torch.Tensor, second: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    for shard in (first, second):
        value = value @ collectives.wait_tensor(collectives.all_gather_tensor(shard, 0, "0"))
    return value


class Recorded(PostGradPass):
    """Keeps what the pass has made of each graph."""

    def __call__(self, graph: fx.Graph) -> None:
        super().__call__(graph)
        self.made = graph_document(graph.owning_module, name="made")


class TorchCompile(InTemporaryFolder):
    def compile(self, made: PostGradPass) -> None:
        torch._dynamo.reset()
        with torch._inductor.config.patch(post_grad_custom_post_pass=made), torch.no_grad():
            torch.compile(two_gathers)(torch.rand(2, 8), torch.rand(2, 8), torch.rand(4, 8))

    def test_export_plan_and_apply(self) -> None:
        pipeline = [step("bucket_all_gather", bucket_cap_mb=1), step("stable_topological_sort")]
        with fake_process_group(JOB):
            costs = cost_model(["0"])
            self.compile(PostGradPass(export_to=self.folder,
                                      export_options={"cost_model": costs, "estimate": AnalyticTimes(costs)}))
            graph = self.folder / "graph0.rank0.graph.json.gz"
            graph.rename(self.folder / "step.graph.json.gz")
            saved, plan = self.folder / "step.plan.json", self.folder / "step.job.plan.json"
            saved.write_text(json.dumps(plan_document(pipeline)), encoding="utf-8")
            overlap("export", saved, "--graph", self.folder / "step.graph.json.gz", "--to", "job", "-o", plan)
            shown = applied_by_overlap(plan, self.folder)
            for mode in ("exact", "passes"):
                made = Recorded(plan, mode=mode)
                self.compile(made)
                self.assertIsNone(difference(shown, made.made))
                gathers = [node for node in made.made["nodes"] if "all_gather_into_tensor" in node["target"]]
                self.assertEqual(len(gathers), 1)

    def test_the_cache_knows_plans_apart_and_is_left_alone_where_ranks_are_checked(self) -> None:
        with fake_process_group(JOB) as meshes:
            gm = compiled_graphs(JOB, meshes)["forward"]
            plans = [make_job_plan(copy_graph(gm), plan_document(pipeline), self.folder, name)
                     for name, pipeline in (("one", [MANUAL]), ("other", []))]
        self.assertIsNone(PostGradPass(plans[0]).uuid())
        keys = [PostGradPass(plan, check_ranks=False).uuid() for plan in plans]
        self.assertEqual(len(set(keys)), 2)
        self.assertIsNone(PostGradPass(plans[0], check_ranks=False, export_to=self.folder).uuid())


def eliminate_dead_code_pass(gm: fx.GraphModule, example_inputs: Any) -> fx.GraphModule:
    return gm


def joint_transformer_block_bucketing_reordering_pass(gm: fx.GraphModule, example_inputs: Any,
                                                      **_: Any) -> fx.GraphModule:
    return gm


def reassign_collective_pgs_pass(gm: fx.GraphModule, example_inputs: Any) -> fx.GraphModule:
    return gm


def cudagraph_pass(gm: fx.GraphModule, example_inputs: Any) -> fx.GraphModule:
    return gm


def default_passes(traced_result: Any, config: Any, *, parallel_dims: Any = None) -> list[Any]:
    """A pipeline like the trainer's own."""
    joint = functools.partial(joint_transformer_block_bucketing_reordering_pass, module_bucket_plans=[])
    return [eliminate_dead_code_pass, reassign_collective_pgs_pass, joint, cudagraph_pass]


class GraphTrainer(InTemporaryFolder):
    """The registry is torchtitan's own; the default pipeline stands in for the trainer's, which needs models."""

    def setUp(self) -> None:
        super().setUp()
        trainer()
        from torchtitan.experiments.graph_trainer import registry
        self.registry = registry.PASS_PIPELINE_REGISTRY
        name = "torchtitan.experiments.graph_trainer.passes"
        stand_in = types.ModuleType(name)
        stand_in.construct_default_graph_passes = default_passes
        patch = mock.patch.dict("sys.modules", {name: stand_in})
        patch.start()
        self.addCleanup(patch.stop)

    def test_the_plan_takes_the_place_of_what_it_decides(self) -> None:
        with fake_process_group(JOB) as meshes:
            gm = copy_graph(compiled_graphs(JOB, meshes)["forward"])
            plan = make_job_plan(gm, plan_document([MANUAL]), self.folder)
            register_pipeline("overlap_plan", plan_pass(plan, mode="exact"))
            passes = self.registry["overlap_plan"](None, None, parallel_dims=None)
            self.assertEqual([made.__name__ for made in passes],
                             ["eliminate_dead_code_pass", "apply_plan_pass", "cudagraph_pass"])
            for made in passes:
                gm = made(gm, [])
            self.assertIsNone(difference(applied_by_overlap(plan, self.folder), graph_document(gm, name="made")))

    def test_the_graph_is_exported_where_the_plan_would_be_applied(self) -> None:
        with fake_process_group(JOB) as meshes:
            gm = copy_graph(compiled_graphs(JOB, meshes)["forward"])
            register_pipeline("export", export_pass(self.folder / "rank{rank}.graph.json.gz"))
            for made in self.registry["export"](None, None):
                gm = made(gm, [])
        told = overlap("info", self.folder / "rank0.graph.json.gz")
        self.assertIn(str(len(gm.graph.nodes)), told.replace(",", ""))

    def test_with_expert_overlap_the_plan_takes_all_of_its_passes_and_the_clean_up_among_them(self) -> None:
        """The clean-ups at the beginning stay, and whatever else stands between."""
        named = [type(name, (), {"__name__": name})() for name in (
            "eliminate_dead_code_pass", "populate_chunk_dim_metadata_pass", "ep_overlap_chunk_pass",
            "isolate_ep_process_group_pass", "eliminate_dead_code_pass", "a_pass_of_the_job",
            "joint_transformer_block_bucketing_reordering_pass", "ep_overlap_schedule_pass",
            "concretize_ep_chunk_symbolic_shapes_pass", "cudagraph_pass")]
        register_pipeline("experts", plan_pass([]), base=lambda *_, **__: named)
        self.assertEqual([made.__name__ for made in self.registry["experts"](None, None)], [
            "eliminate_dead_code_pass", "apply_plan_pass", "a_pass_of_the_job", "cudagraph_pass"])

    def test_a_pipeline_without_a_place_for_the_plan_is_an_error(self) -> None:
        register_pipeline("nowhere", export_pass("unused"), base=lambda *_, **__: [cudagraph_pass])
        with self.assertRaisesRegex(PlanError, "has none of the passes that a plan replaces"):
            self.registry["nowhere"](None, None)

    def test_without_torchtitan(self) -> None:
        with mock.patch.dict("sys.modules", {"torchtitan.experiments.graph_trainer.registry": None}), \
                self.assertRaisesRegex(PlanError, "the hook for graph_trainer needs torchtitan"):
            register_pipeline("any", export_pass("unused"))


if __name__ == "__main__":
    unittest.main()
