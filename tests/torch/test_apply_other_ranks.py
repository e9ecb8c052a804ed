"""One plan for all ranks: made with one rank's graph, applied to another's, whose groups and places in them differ."""
from __future__ import annotations

import dataclasses
import tempfile
import unittest
from functools import cache
from pathlib import Path

import torch
import torch.fx as fx
from overlap_studio.apply import apply_plan
from overlap_studio.errors import PlanMismatch
from overlap_studio.export import graph_document

from cases import add_cases
from comparison import copy_graph
from job_plans import BLOCKS, applied_by_overlap, make_job_plan, plan_document, step
from reference_passes import trainer
from sharded_transformer import Sizes
from traced_graphs import Job, fake_process_group, joint_graph

from compare_graphs import difference

JOINT = step("joint_transformer_block_bucketing_reordering_pass", module_bucket_plans=BLOCKS)
IN_DEFAULT_MODE = step("joint_transformer_block_bucketing_reordering_pass", module_bucket_plans=BLOCKS,
                       bucket_mode="default")
OWN_GROUPS = step("reassign_collective_pgs_pass")
TENSOR = Job("tensor", (("shard", 4), ("tensor", 2)))
EXPERTS = Job("experts", (("expert_shard", 2), ("expert", 2)), Sizes(experts=4))


@cache
def graph_of(job: Job) -> fx.GraphModule:
    with fake_process_group(job) as meshes:
        return joint_graph(job, meshes)


class PlanOfAnotherRank(unittest.TestCase):
    def check(self, job: Job, rank: int, pipeline: list) -> None:
        there = dataclasses.replace(job, rank=rank)
        here_graph, there_graph = graph_of(job), graph_of(there)
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            with fake_process_group(job):
                plan = make_job_plan(here_graph, plan_document(pipeline), folder, "here")
            with fake_process_group(there):
                trainer().forget_groups()
                own_plan = make_job_plan(there_graph, plan_document(pipeline), folder, "there")
                shown = applied_by_overlap(own_plan, folder, "there")
                for mode in ("exact", "passes"):
                    applied = apply_plan(copy_graph(there_graph), plan, mode=mode)
                    self.assertIsNone(difference(shown, graph_document(applied, name=mode)), mode)


add_cases(PlanOfAnotherRank, PlanOfAnotherRank.check, [
    ("last_of_a_tensor_parallel_job", (TENSOR, 7, [JOINT])),
    ("with_cat_and_copy", (TENSOR, 3, [IN_DEFAULT_MODE])),
    ("with_groups_of_their_own", (TENSOR, 5, [OWN_GROUPS, JOINT])),
    ("expert_parallel", (EXPERTS, 3, [JOINT])),
])


class GraphsOfRanksDiffer(unittest.TestCase):
    def test_groups_have_other_names_on_other_ranks(self) -> None:
        """What makes the cases above worth their while."""
        names = [{word for node in graph_of(dataclasses.replace(TENSOR, rank=rank)).graph.nodes
                  if "_c10d_functional" in str(node.target) for word in node.args if isinstance(word, str)}
                 for rank in (0, 7)]
        self.assertNotEqual(*names)

    def test_numbers_of_compute_may_differ_but_not_those_of_collectives(self) -> None:
        there = dataclasses.replace(TENSOR, rank=7)
        with tempfile.TemporaryDirectory() as scratch:
            with fake_process_group(TENSOR):
                plan = make_job_plan(graph_of(TENSOR), plan_document([JOINT]), Path(scratch))
            with fake_process_group(there):
                gm = copy_graph(graph_of(there))
                scaled = next(node for node in gm.graph.nodes if node.target is torch.ops.aten.slice.Tensor
                              or node.target is torch.ops.aten.transpose.int)
                scaled.args = (*scaled.args[:-1], scaled.args[-1] + 1)
                apply_plan(gm, plan, mode="exact")
                gm = copy_graph(graph_of(there))
                gather = next(node for node in gm.graph.nodes if "all_gather_into_tensor" in str(node.target))
                gather.args = (gather.args[0], gather.args[1] + 1, gather.args[2])
                with self.assertRaisesRegex(PlanMismatch, "argument 1: [0-9]+, and [0-9]+ in the plan"):
                    apply_plan(gm, plan, mode="exact")


if __name__ == "__main__":
    unittest.main()
