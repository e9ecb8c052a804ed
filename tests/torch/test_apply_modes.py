"""A graph that goes out of a job and comes back with a plan: both modes make what the application showed."""
from __future__ import annotations

import tempfile
import unittest
from functools import cache
from pathlib import Path
from typing import Any

import torch
import torch.fx as fx
from overlap_studio.apply import apply_plan
from overlap_studio.errors import PlanError
from overlap_studio.export import graph_document

from cases import add_cases
from comparison import copy_graph
from job_plans import BLOCKS, applied_by_overlap, make_job_plan, plan_document, step
from reference_passes import trainer
from sharded_transformer import Sizes
from traced_graphs import Job, compiled_graphs, fake_process_group, joint_graph

from compare_graphs import difference

FSDP = Job("fsdp", (("shard", 4),))
HYBRID = Job("hybrid", (("replicate", 2), ("shard", 2)), rank=1)
TENSOR = Job("tensor", (("shard", 4), ("tensor", 2)), rank=3)
EXPERTS = Job("experts", (("expert_shard", 2), ("expert", 2)), Sizes(experts=4), rank=2)
MANUAL = {"module_bucket_plans": BLOCKS}
BY_NAME = {**MANUAL, "module_stack_fn": "custom.module_fqn"}
JOINT = "joint_transformer_block_bucketing_reordering_pass"

PIPELINES: dict[str, list[dict[str, Any]]] = {
    "nothing": [],
    "joint": [step(JOINT, **MANUAL)],
    "joint_deps": [step(JOINT, **MANUAL, insert_overlap_deps=True)],
    "joint_default_mode": [step(JOINT, **MANUAL, bucket_mode="default")],
    "clean_up_then_joint": [step("eliminate_dead_code_pass"), step("canonicalize_graph_pass"),
                            step("deduplicate_fsdp_unshard_chains_pass"), step(JOINT, **MANUAL)],
    "own_groups": [step("reassign_collective_pgs_pass"), step(JOINT, **MANUAL)],
    "expert_group": [step("isolate_ep_process_group_pass"), step("reassign_collective_pgs_pass"),
                     step(JOINT, **MANUAL)],
    "manual_by_name": [step("manual_overlap_bucketing", **BY_NAME)],
    "manual": [step("manual_overlap_bucketing", **MANUAL)],
    "manual_deps": [step("manual_overlap_bucketing", **MANUAL, insert_overlap_deps=True)],
    "manual_coalesced": [step("manual_overlap_bucketing", **MANUAL, bucket_mode="coalesced")],
    "stand_alone": [step("bucket_all_gather", bucket_cap_mb=0.01), step("bucket_reduce_scatter", bucket_cap_mb=0.01),
                    step("stable_topological_sort")],
    "automatic": [step("schedule_overlap_bucketing", collective_bucketing=True)],
    "automatic_deps": [step("schedule_overlap_bucketing", collective_bucketing=True, insert_overlap_deps=True,
                            pre_bucketing_fsdp_collectives=False)],
}
ON_JOINT = ("nothing", "joint", "joint_deps", "joint_default_mode", "clean_up_then_joint", "own_groups",
            "manual_by_name", "stand_alone", "automatic")
ON_COMPILED = ("manual", "manual_deps", "manual_coalesced", "stand_alone", "automatic", "automatic_deps")


@cache
def graphs_of(job: Job, kind: str) -> fx.GraphModule:
    with fake_process_group(job) as meshes:
        return joint_graph(job, meshes) if kind == "joint" else compiled_graphs(job, meshes)[kind]


class ComesBack(unittest.TestCase):
    def check(self, job: Job, kind: str, pipeline: str) -> None:
        gm = graphs_of(job, kind)
        with tempfile.TemporaryDirectory() as scratch, fake_process_group(job):
            folder = Path(scratch)
            trainer().forget_groups()
            plan = make_job_plan(gm, plan_document(PIPELINES[pipeline]), folder)
            shown = applied_by_overlap(plan, folder)
            made = {}
            for mode in ("exact", "passes"):
                applied = apply_plan(copy_graph(gm), plan, mode=mode)
                made[mode] = graph_document(applied, name=mode)
                self.assertIsNone(difference(shown, made[mode]), mode)
            self.assertIsNone(difference(made["passes"], made["exact"]))
            for exact, passes in zip(made["exact"]["nodes"], made["passes"]["nodes"]):
                for field in ("module_stack", "fwd_module_stack", "custom", "users_order"):
                    if field == "users_order" and exact["name"] != passes["name"]:
                        continue
                    self.assertEqual(exact.get(field), passes.get(field), f"{exact['name']}: {field}")


class OverlapsByHand(unittest.TestCase):
    """Collectives that were moved by hand, behind what the pipeline made."""

    def check(self, insert_overlap_deps: bool, keep_group_order: bool) -> None:
        gm = graphs_of(FSDP, "joint")
        nodes = list(gm.graph.nodes)
        gathers = [node.name for node in nodes if "all_gather_into_tensor" in str(node.target)]
        matmuls = [node.name for node in nodes if node.target is torch.ops.aten.mm.default]
        directives = [{"collective": gathers[3], "start_before": matmuls[0]},
                      {"collective": gathers[12], "hide_behind": "layers.0.attention"},
                      {"collective": gathers[5], "wait_after": matmuls[2]},
                      {"collective": gathers[0], "start_after": matmuls[-1]}]  # which cannot hold, and is left out
        overlaps = {"directives": directives, "insert_overlap_deps": insert_overlap_deps,
                    "keep_group_order": keep_group_order}
        with tempfile.TemporaryDirectory() as scratch, fake_process_group(FSDP):
            trainer().forget_groups()
            plan = make_job_plan(gm, plan_document(PIPELINES["joint"], overlaps=overlaps), Path(scratch))
            without = make_job_plan(gm, plan_document(PIPELINES["joint"]), Path(scratch), "without")
            made = [graph_document(apply_plan(copy_graph(gm), path, mode=mode), name=mode)
                    for path, mode in ((plan, "exact"), (plan, "passes"), (without, "exact"))]
        self.assertIsNone(difference(made[0], made[1]))
        self.assertIsNotNone(difference(made[0], made[2]))


add_cases(OverlapsByHand, OverlapsByHand.check, [
    ("in_order", (False, True)), ("with_dependencies", (True, True)), ("groups_overtaken", (False, False))])


class OfTheApplicationAlone(unittest.TestCase):
    def test_an_option_that_pytorch_does_not_know_is_applied_exactly(self) -> None:
        gm = graphs_of(FSDP, "forward")
        pipeline = [step("manual_overlap_bucketing", **MANUAL, safe=True)]
        with tempfile.TemporaryDirectory() as scratch, fake_process_group(FSDP):
            plan = make_job_plan(gm, plan_document(pipeline), Path(scratch))
            applied = apply_plan(copy_graph(gm), plan, mode="exact")
            self.assertIsNone(difference(applied_by_overlap(plan, Path(scratch)), graph_document(applied, name="made")))
            self.assertTrue(any("control_deps" in str(node.target) for node in applied.graph.nodes))
            with self.assertRaisesRegex(PlanError, "option safe, which PyTorch does not know.*exact"):
                apply_plan(copy_graph(gm), plan, mode="passes")


class KeepsTheGraph(unittest.TestCase):
    """Mode "exact" leaves alone what the plan leaves alone."""

    def test_unchanged_nodes_stay_the_same_objects(self) -> None:
        gm = copy_graph(graphs_of(FSDP, "joint"))
        before = {node.name: node for node in gm.graph.nodes}
        metadata = {name: dict(node.meta) for name, node in before.items()}
        with tempfile.TemporaryDirectory() as scratch, fake_process_group(FSDP):
            plan = make_job_plan(gm, plan_document(PIPELINES["joint"]), Path(scratch))
            apply_plan(gm, plan, mode="exact")
        kept = [node for node in gm.graph.nodes if node.name in before]
        self.assertGreater(len(kept), 100)
        for node in kept:
            self.assertIs(node, before[node.name])
            self.assertEqual(node.meta.keys(), metadata[node.name].keys())
            self.assertTrue(all(node.meta[key] is value for key, value in metadata[node.name].items()))

    def test_new_nodes_have_values_of_the_graphs_own_fake_mode(self) -> None:
        gm = copy_graph(graphs_of(FSDP, "joint"))
        before = {node.name for node in gm.graph.nodes}
        mode = next(node.meta["val"].fake_mode for node in gm.graph.nodes if "val" in node.meta)
        with tempfile.TemporaryDirectory() as scratch, fake_process_group(FSDP):
            apply_plan(gm, make_job_plan(gm, plan_document(PIPELINES["joint"]), Path(scratch)), mode="exact")
        values = [node.meta["val"] for node in gm.graph.nodes
                  if node.name not in before and isinstance(node.meta.get("val"), torch.Tensor)]
        self.assertGreater(len(values), 20)
        self.assertTrue(all(value.fake_mode is mode for value in values))


CASES = [(FSDP, "joint", pipeline) for pipeline in ON_JOINT]
CASES += [(FSDP, kind, pipeline) for kind in ("forward", "backward") for pipeline in ON_COMPILED]
CASES += [(HYBRID, "joint", "joint"), (HYBRID, "backward", "manual"), (TENSOR, "joint", "joint"),
          (TENSOR, "joint", "own_groups"), (TENSOR, "forward", "manual_deps"), (TENSOR, "backward", "automatic"),
          (EXPERTS, "joint", "expert_group"), (EXPERTS, "joint", "joint_deps"), (EXPERTS, "joint", "automatic")]
add_cases(ComesBack, ComesBack.check, [(f"{job.name}_{kind}_{pipeline}", (job, kind, pipeline))
                                       for job, kind, pipeline in CASES])

if __name__ == "__main__":
    unittest.main()
