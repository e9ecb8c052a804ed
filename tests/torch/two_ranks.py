"""One of two ranks with gloo, for test_apply_two_processes.py."""
from __future__ import annotations

import dataclasses
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.fx as fx
from overlap_studio.apply import apply_plan

from comparison import copy_graph
from gloo_ranks import join, outcome
from job_plans import BLOCKS, make_job_plan, plan_document, step
from reference_passes import trainer
from sharded_transformer import ShardedTransformer, Sizes
from traced_graphs import Job, joint_graph, make_inputs, meshes_of

JOINT = "joint_transformer_block_bucketing_reordering_pass"
PIPELINES = {
    "joint": [step(JOINT, module_bucket_plans=BLOCKS)],
    "default_mode": [step(JOINT, module_bucket_plans=BLOCKS, bucket_mode="default")],
    "own_group": [step("reassign_collective_pgs_pass"), step(JOINT, module_bucket_plans=BLOCKS)],
    "automatic": [step("schedule_overlap_bucketing", collective_bucketing=True)],
}
# In float32: gloo has no arithmetic of its own for every type.
JOB = Job("fsdp", (("shard", 2),), Sizes(param_dtype=torch.float32))
# The last rank's parts of the vocabulary are smaller.
UNEVEN_JOB = dataclasses.replace(JOB, sizes=dataclasses.replace(JOB.sizes, vocabulary=65))


class Rank:
    def __init__(self, folder: Path, rank: int, job: Job) -> None:
        self.folder, self.rank = folder, rank
        join(folder, rank, 2)
        self.job = dataclasses.replace(job, rank=rank)
        self.meshes = meshes_of(self.job)
        self.graph = joint_graph(self.job, self.meshes)

    def plan(self, name: str, pipeline: list[Any] | None = None) -> Path:
        """The plan made with rank 0's graph; a file that both ranks see."""
        if self.rank == 0:
            make_job_plan(self.graph, plan_document(PIPELINES[name] if pipeline is None else pipeline, name=name),
                          self.folder, name)
        dist.barrier()
        return self.folder / f"{name}.job.plan.json"

    def numbers(self) -> dict[str, Any]:
        return self.compare({name: self.plan(name) for name in PIPELINES})

    def compare(self, plans: dict[str, Path]) -> dict[str, Any]:
        """Loss and gradients of this rank with each plan, in both modes, against those without."""
        torch.manual_seed(self.rank)
        model = ShardedTransformer(self.meshes, self.job.sizes, "cpu")
        weights = [torch.rand_like(value) / 4 for value in model.parameters()]
        inputs = make_inputs(self.job, self.meshes)
        expected = self.run(self.graph, weights, inputs)
        compared, different = [], []
        for name, plan in plans.items():
            for mode in ("exact", "passes"):
                trainer().forget_groups()
                planned = apply_plan(copy_graph(self.graph), plan, mode=mode)
                values = self.run(planned, weights, inputs)
                compared.append(f"{name} {mode}")
                different += [f"{name} {mode} {place}" for place, (value, wanted) in enumerate(zip(values, expected))
                              if not torch.equal(value, wanted)]
                assert len(values) == len(expected)
        return {"values": len(expected), "compared": compared, "different": different}

    @staticmethod
    def run(gm: fx.GraphModule, weights: list[torch.Tensor], inputs: tuple[torch.Tensor, ...]) -> list[torch.Tensor]:
        with torch.no_grad():
            return [value.clone() for value in fx.Interpreter(gm).run(*weights, *inputs)]

    def failure(self, plan: Path, **options: Any) -> dict[str, Any]:
        return outcome(lambda: apply_plan(self.graph, plan, mode="exact", **options))

    def plans(self) -> dict[str, Any]:
        names = ["joint", "default_mode"]
        made = [self.plan(name) for name in names]
        return self.failure(made[self.rank])

    def stale(self) -> dict[str, Any]:
        plan = self.plan("joint")
        if self.rank == 1:
            changed = next(node for node in self.graph.graph.nodes if "silu" in str(node.target))
            changed.target = torch.ops.aten.gelu.default
        return self.failure(plan)

    def uneven(self) -> dict[str, Any]:
        """Rank 0's plan on both ranks, then each rank's own."""
        refusal = self.failure(self.plan("joint"))
        own = make_job_plan(self.graph, plan_document(PIPELINES["joint"], name="own"), self.folder, f"own{self.rank}")
        dist.barrier()
        sizes = sorted({tuple(node.meta["val"].shape) for node in self.graph.graph.nodes if node.op == "placeholder"})
        return {**refusal, "sizes": sizes, **self.compare({"own": own})}

    def silent(self) -> dict[str, Any]:
        plan = self.plan("joint")
        if self.rank == 1:
            return {"kind": "", "error": "", "seconds": 0}
        return self.failure(plan, timeout=timedelta(seconds=5))
