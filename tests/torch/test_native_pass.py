"""`native_pass()` makes of a job's own graph what PyTorch's and torchtitan's passes make of it, to the users' order."""
from __future__ import annotations

import contextlib
import io
import logging
import os
import subprocess
import sys
import unittest
import unittest.mock
import warnings
from typing import Any

import wheel_package  # noqa: F401 (the native core, ahead of overlap_studio)

import torch
import torch.fx as fx
import torch._inductor.config as inductor_config
from overlap_studio import PlanError, native_pass, register_pipeline
from overlap_studio import passes_in_core
from overlap_studio.core_changes import plan_of_changes
from overlap_studio.errors import InputError
from overlap_studio.export import document_header, graph_document
from overlap_studio.digests import first_difference, node_digests
from torch._dynamo.backends.common import aot_autograd

from analytic_times import AnalyticTimes, cost_model
from cases import add_cases
from comparison import copy_graph, node_text
from job_plans import BLOCKS, plan_document, step
from programs import REPOSITORY
from reference_passes import run_pipeline, trainer
from test_apply_modes import CASES, EXPERTS, FSDP, MANUAL, PIPELINES, TENSOR, graphs_of
from traced_graphs import Job, fake_process_group, make_inputs
from sharded_transformer import ShardedTransformer, loss_of

from compare_graphs import difference

FIELDS = ("module_stack", "fwd_module_stack", "custom", "seq_nr", "partitioner_tag", "autograd_backward", "users_order")


def costs_of(gm: fx.GraphModule) -> dict[str, Any]:
    return cost_model([group["name"] for group in graph_document(gm, name="groups")["process_groups"]])


def shared_memory(document: dict[str, Any]) -> list[list[int]]:
    """Which tensors share memory: for each tensor the place of the first that has the same, and where in it."""
    first: dict[int, int] = {}
    tensors = [tensor for node in document["nodes"] for tensor in node.get("outputs", ()) if tensor is not None]
    return [[first.setdefault(tensor["storage"], place), tensor.get("storage_offset", 0), tensor["storage_bytes"]]
            for place, tensor in enumerate(tensors)]


class TheSameGraph(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls) -> None:
        logging.disable(logging.WARNING)

    def check(self, job: Job, kind: str, pipeline: str) -> None:
        gm, steps = graphs_of(job, kind), PIPELINES[pipeline]
        with fake_process_group(job):
            costs = costs_of(gm)
            trainer().forget_groups()
            expected = graph_document(run_pipeline(copy_graph(gm), steps, AnalyticTimes(costs)), name="PyTorch")
            made = graph_document(native_pass(steps, cost_model=costs)(copy_graph(gm)), name="native")
        self.assertIsNone(difference(expected, made))
        if "groups" in pipeline or "group" in pipeline:
            return  # whose names count how many there were before
        place = first_difference(node_digests(expected), node_digests(made))
        if place is not None:
            self.fail(f"node {place}: PyTorch has {node_text(expected, place)}, native_pass {node_text(made, place)}")
        for wanted, got in zip(expected["nodes"], made["nodes"]):
            for field in FIELDS:
                self.assertEqual(wanted.get(field), got.get(field), f"{wanted['name']}: {field}")
        self.assertEqual(shared_memory(expected), shared_memory(made))


add_cases(TheSameGraph, TheSameGraph.check, [(f"{job.name}_{kind}_{pipeline}", (job, kind, pipeline))
                                             for job, kind, pipeline in CASES])


class OnItsOwnGraph(unittest.TestCase):
    def test_nodes_that_stay_are_the_same_objects(self) -> None:
        gm = copy_graph(graphs_of(FSDP, "joint"))
        before = {node.name: node for node in gm.graph.nodes}
        with fake_process_group(FSDP):
            native_pass(PIPELINES["joint"])(gm)
        kept = [node for node in gm.graph.nodes if node.name in before]
        self.assertGreater(len(kept), 100)
        self.assertTrue(all(node is before[node.name] for node in kept))

    def test_new_values_are_of_the_graphs_own_fake_mode(self) -> None:
        gm = copy_graph(graphs_of(FSDP, "joint"))
        before = {node.name for node in gm.graph.nodes}
        mode = next(node.meta["val"].fake_mode for node in gm.graph.nodes if "val" in node.meta)
        with fake_process_group(FSDP):
            native_pass(PIPELINES["joint"])(gm)
        values = [node.meta["val"] for node in gm.graph.nodes
                  if node.name not in before and isinstance(node.meta.get("val"), torch.Tensor)]
        self.assertGreater(len(values), 20)
        self.assertTrue(all(value.fake_mode is mode for value in values))

    def test_a_plans_overlaps_by_hand_are_applied_too(self) -> None:
        gm = graphs_of(FSDP, "joint")
        gathers = [node.name for node in gm.graph.nodes if "all_gather_into_tensor" in str(node.target)]
        scatters = [node.name for node in gm.graph.nodes if "reduce_scatter_tensor" in str(node.target)]
        matmuls = [node.name for node in gm.graph.nodes if node.target is torch.ops.aten.mm.default]
        plan = plan_document(PIPELINES["joint"], overlaps={"directives": [
            {"collective": gathers[20], "start_before": matmuls[0]},
            {"collective": gathers[12], "hide_behind": "layers.0.attention"},
            {"collective": scatters[3], "wait_after": matmuls[-1]}]})
        with fake_process_group(FSDP):
            moved, left = (graph_document(native_pass(given)(copy_graph(gm)), name="made")
                           for given in (plan, PIPELINES["joint"]))
        self.assertIsNotNone(difference(left, moved))

    def test_a_refusal_leaves_the_graph_as_it_was(self) -> None:
        gm = copy_graph(graphs_of(FSDP, "joint"))
        overlapping = {**MANUAL, "module_bucket_plans": ["layers.0", "layers.0.attention"]}
        with fake_process_group(FSDP):
            before = graph_document(gm, name="graph")
            with self.assertRaisesRegex(InputError, "step 1 .joint.*share .* nodes"):
                native_pass([step("joint_transformer_block_bucketing_reordering_pass", **overlapping)])(gm)
            self.assertEqual(graph_document(gm, name="graph"), before)

    def test_a_failure_half_way_gives_the_graph_back(self) -> None:
        gm = copy_graph(graphs_of(FSDP, "joint"))
        with fake_process_group(FSDP):
            before = graph_document(gm, name="graph")
            with unittest.mock.patch("overlap_studio.passes_in_core.rewrite", side_effect=self._spoil):
                with self.assertRaisesRegex(RuntimeError, "half way"):
                    native_pass(PIPELINES["joint"])(gm)
            self.assertEqual(graph_document(gm, name="graph"), before)

    @staticmethod
    def _spoil(gm: fx.GraphModule, *_: Any) -> None:
        nodes = list(gm.graph.nodes)
        nodes[-1].args = (None,)
        gm.graph.erase_node(nodes[-2]) if not nodes[-2].users else None
        raise RuntimeError("half way")


    def check_changes(self, change: Any, message: str) -> None:
        gm = copy_graph(graphs_of(FSDP, "joint"))

        def spoiled(name: str, rank: int, nodes: list[str], changes: dict[str, Any]) -> Any:
            change(changes)
            return plan_of_changes(name, rank, nodes, changes)

        with fake_process_group(FSDP), \
                unittest.mock.patch("overlap_studio.passes_in_core.plan_of_changes", side_effect=spoiled), \
                self.assertRaisesRegex(PlanError, message):
            native_pass(PIPELINES["joint"])(gm)

    def test_a_result_that_is_not_whole_is_refused(self) -> None:
        self.check_changes(lambda changes: changes["result"]["order"].pop(), r"found \d+ nodes of the result, and the core")

    def test_changes_of_another_graph_are_refused(self) -> None:
        self.check_changes(lambda changes: changes["before"][0][1].update(name="another"), "the core has changed another there")

    def check_refusal(self, directive: dict[str, str], message: str) -> None:
        """Problems are looked at ahead of the first change of the graph."""
        gm = copy_graph(graphs_of(FSDP, "joint"))
        with fake_process_group(FSDP):
            before = graph_document(gm, name="graph")
            with self.assertRaisesRegex(PlanError, message):
                native_pass(plan_document(PIPELINES["joint"], overlaps={"directives": [directive]}))(gm)
            self.assertEqual(graph_document(gm, name="graph"), before)

    def test_a_result_that_reads_memory_before_it_is_filled_is_refused(self) -> None:
        self.check_refusal({"collective": "all_gather_into_tensor_5", "wait_after": "mm_2"},
                           "native_pass: .*the job computes with uninitialised memory")

    def test_an_overlap_by_hand_that_cannot_be_had_is_refused(self) -> None:
        first_input = next(iter(graphs_of(FSDP, "joint").graph.nodes)).name
        self.check_refusal({"collective": "all_gather_into_tensor_3", "start_before": first_input},
                           f"native_pass: overlap 1 .* is left out: {first_input} is an input of the graph")

    def test_what_is_remarkable_is_told(self) -> None:
        problem = unittest.mock.Mock(severity="caution", kind="general", message="something is odd")
        with self.assertWarnsRegex(UserWarning, "native_pass: something is odd"):
            passes_in_core._tell_problems([problem])
        problem.severity = "note"
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            passes_in_core._tell_problems([problem])

    def test_the_trainer_says_which_inputs_are_parameters(self) -> None:
        gm = copy_graph(graphs_of(FSDP, "joint"))
        inputs = [node for node in gm.graph.nodes if node.op == "placeholder"]
        traced = unittest.mock.Mock(num_static_inputs=2, state_fqns=["first", "second"])
        for options, wanted in (({}, 2), ({"static_inputs": 1}, 1)):
            with fake_process_group(FSDP), unittest.mock.patch("overlap_studio.passes_in_core.document_header",
                                                               side_effect=document_header) as told:
                native_pass(PIPELINES["joint"], **options)(copy_graph(gm), [], traced=traced)
            self.assertEqual(told.call_args.kwargs["static_inputs"], wanted)
            self.assertEqual(told.call_args.kwargs["parameter_names"],
                             {inputs[0].name: "first", inputs[1].name: "second"})


class Pipelines(unittest.TestCase):
    def test_inductors_cache_is_left_alone(self) -> None:
        self.assertIsNone(native_pass([step("manual_overlap_bucketing", **MANUAL)]).uuid())

    def test_other_releases_are_told(self) -> None:
        with unittest.mock.patch("overlap_studio.passes_in_core.tell_of_version") as told:
            native_pass([])
        told.assert_called_once_with()

    def test_a_step_that_there_is_not(self) -> None:
        with self.assertRaisesRegex(InputError, "manual_overlap_bucketting"):
            native_pass([step("manual_overlap_bucketting")])

    def test_a_file_that_is_none(self) -> None:
        with self.assertRaisesRegex(PlanError, "nothing.json: cannot be read as a pipeline"):
            native_pass("nothing.json")

    def test_the_scheduler_needs_times(self) -> None:
        gm = copy_graph(graphs_of(FSDP, "joint"))
        with fake_process_group(FSDP), self.assertRaisesRegex(InputError, "cost model|time"):
            native_pass(PIPELINES["automatic"])(gm)

    def test_without_the_core_it_says_what_to_install(self) -> None:
        program = "from overlap_studio import native_pass\nnative_pass([])"
        environment = dict(os.environ, PYTHONPATH=str(REPOSITORY / "resources" / "torch"))
        done = subprocess.run([sys.executable, "-B", "-c", program], env=environment, capture_output=True, text=True,
                              check=False)
        self.assertRegex(done.stderr, "PlanError: native_pass.. needs the native core.*packaging/wheel.sh")


class InAJob(unittest.TestCase):
    """The three ways in. A step that is compiled has the result that it has without the pass."""

    def run_step(self, compiled: Any, job: Job, meshes: Any) -> float:
        tokens, labels = make_inputs(job, meshes)
        loss = loss_of(compiled(tokens), labels)
        loss.backward()
        return float(loss)

    def test_torch_compile(self) -> None:
        job = Job("alone", (("shard", 1),))
        seen: list[int] = []
        native = native_pass([step("manual_overlap_bucketing", **MANUAL)])

        class Counted(type(native)):  # type: ignore[misc]
            def __call__(self, graph: Any, *further: Any, **named: Any) -> Any:
                seen.append(len(graph.nodes))
                return super().__call__(graph, *further, **named)

        native.__class__ = Counted
        with fake_process_group(job) as meshes:
            torch._dynamo.reset()
            model = ShardedTransformer(meshes, job.sizes, "cpu")
            wanted = self.run_step(model, job, meshes)
            with inductor_config.patch(post_grad_custom_post_pass=native), contextlib.redirect_stderr(io.StringIO()):
                self.assertAlmostEqual(self.run_step(torch.compile(model), job, meshes), wanted, places=3)  # kernels are fused
        self.assertEqual(len(seen), 2)

    def test_aot_autograd(self) -> None:
        made: list[fx.GraphModule] = []

        def compiler(gm: fx.GraphModule, _: Any) -> Any:
            made.append(gm)
            return gm.forward

        native = native_pass([step("manual_overlap_bucketing", **MANUAL)])
        with fake_process_group(FSDP) as meshes, contextlib.redirect_stderr(io.StringIO()):
            torch._dynamo.reset()
            backend = aot_autograd(fw_compiler=native.before(compiler), bw_compiler=native.before(compiler))
            self.run_step(torch.compile(ShardedTransformer(meshes, FSDP.sizes, "cpu"), backend=backend), FSDP, meshes)
        self.assertEqual(len(made), 2)
        for gm in made:
            self.assertTrue(any("bucketing" in str(node.target) for node in gm.graph.nodes))

    def test_graph_trainers_registry(self) -> None:
        trainer()
        from torchtitan.experiments.graph_trainer import registry
        native = native_pass(PIPELINES["joint"])

        def base(*_: Any, **__: Any) -> list[Any]:
            return [eliminate_dead_code_pass, joint_transformer_block_bucketing_reordering_pass]

        register_pipeline("native", native, base=base)
        passes = registry.PASS_PIPELINE_REGISTRY["native"](None, None)
        self.assertIs(passes[0], eliminate_dead_code_pass)
        self.assertIs(passes[1].func, native)
        gm = copy_graph(graphs_of(FSDP, "joint"))
        with fake_process_group(FSDP):
            self.assertIs(passes[1](gm, []), gm)
        self.assertTrue(any("all_gather_into_tensor_out" in str(node.target) for node in gm.graph.nodes))


def eliminate_dead_code_pass(gm: fx.GraphModule, example_inputs: Any = None) -> fx.GraphModule:
    """Stands in for the trainer's, as does the next."""
    return gm


def joint_transformer_block_bucketing_reordering_pass(gm: fx.GraphModule, example_inputs: Any = None) -> fx.GraphModule:
    raise AssertionError("native_pass takes its place")


if __name__ == "__main__":
    unittest.main()
