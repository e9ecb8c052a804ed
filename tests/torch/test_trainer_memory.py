"""A plan's memory section in torchtitan's own trainer, on ranks with gloo: llama3 and deepseek_v3, sharded data parallel
and with tensor parallelism. Loss and gradients of plans that differ in memory only are the same, bit for bit.

`real_trainer.py` says what of the trainer is not a job's own. One thing cannot run as it is: an offload copies to pinned
memory on a stream of its own, and a CPU has neither. torch's operators of offloading run here with ordinary memory and
with streams and events that do nothing. They copy, wait and free what was copied, so a reader that comes too late fails;
that copies overlap with anything is not shown.
"""
from __future__ import annotations

import json
import unittest
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import real_trainer  # first: it stands in for what torchtitan imports
from real_trainer import RealTrainer, TrainerJob

import torch
import torch.distributed as dist
from overlap_studio.export import graph_document
from overlap_studio.hooks import export_pass, plan_pass, register_pipeline
from torch._functorch._activation_offloading import offload_ops

from cases import add_cases
from gloo_ranks import fork_ranks, join
from job_plans import applied_by_overlap, plan_document, step
from programs import overlap, run_overlap

from compare_graphs import difference

del real_trainer
KEEP = {"policy": "default", "rules": [{"action": "keep", "modules": "layers.0"},
                                       {"action": "recompute", "operators": "aten.mm.default"}]}
# The plan's memory section, and the mode in which the job applies it; torchtitan knows no rules.
FULL, RULES, OFFLOAD = ("full", {"policy": "full"}), ("rules", KEEP), ("offload", {"policy": "sac_and_offload"})
NONE = ("none", None)


class Rank:
    """One rank of a job. The first has the plans made, of its graph, or each of its own."""

    def __init__(self, job: TrainerJob, folder: Path, rank: int, own_plans: bool) -> None:
        join(folder, rank, job.world_size)
        self.job, self.folder, self.rank, self.own_plans = job, folder, rank, own_plans
        self.trainer = RealTrainer(job)
        register_pipeline("export", export_pass(folder / "rank{rank}.graph.json.gz"), memory=True)
        self.expected = self.trainer.step("export")

    def check(self, sections: list[tuple[str, Any, str]]) -> dict[str, Any]:
        """Of each section, which values differ from those without a plan, and what the graph has of it."""
        found: dict[str, Any] = {"values": len(self.expected)}
        for name, memory, mode in sections:
            plan = self.plan(name, memory)
            register_pipeline(name, plan_pass(plan, mode=mode), memory=True)
            with copies_without_streams() as offloads:
                different = self.same_numbers(name)
            graph = self.trainer.graph_module
            shown = self.rank == 0 and difference(applied_by_overlap(plan, self.folder, "rank0"),
                                                  graph_document(graph, name=name))
            found[f"{name} {mode}"] = {
                "different": different, "from what overlap shows": shown or None, "offloads": len(offloads),
                "recomputed": sum("_recomputed" in node.name for node in graph.graph.nodes)}
        return found

    def same_numbers(self, pipeline: str) -> list[int]:
        """Places of the values that differ."""
        values = self.trainer.step(pipeline)
        assert len(values) == len(self.expected)
        return [place for place, (value, wanted) in enumerate(zip(values, self.expected))
                if not torch.equal(value, wanted)]

    def plan(self, name: str, memory: Any) -> Path:
        plan = self.folder / f"{name}.rank{self.rank if self.own_plans else 0}.job.plan.json"
        if self.own_plans or self.rank == 0:
            overlap("export", self.saved(name, memory), "--graph", self.folder / f"rank{self.rank}.graph.json.gz",
                    "--to", "job", "-o", plan)
        dist.barrier()
        return plan

    def saved(self, name: str, memory: Any) -> Path:
        buckets = ["tok_embeddings", *(f"layers.{layer}" for layer in range(self.job.layers)), ["norm", "lm_head"]]
        pipeline = [step("joint_transformer_block_bucketing_reordering_pass", module_bucket_plans=buckets)]
        path = self.folder / f"{name}.rank{self.rank}.plan.json"
        path.write_text(json.dumps(plan_document(pipeline, name=name, **({"memory": memory} if memory else {}))),
                        encoding="utf-8")
        return path

    def default_and_late(self) -> dict[str, Any]:
        """The trainer's own pipeline, and what is said to a plan for the graph that its memory passes have made."""
        register_pipeline("late", export_pass(self.folder / "late.rank{rank}.graph.json.gz"))
        different = [self.same_numbers(pipeline) for pipeline in ("default", "late")]
        done = run_overlap("export", self.saved("late", {"policy": "full"}), "--graph",
                           self.folder / f"late.rank{self.rank}.graph.json.gz", "--to", "job", "-o",
                           self.folder / "late.job.plan.json")
        return {"different": different, "status": done.returncode, "error": done.stderr}


class _Nothing:
    """A stream or an event of a machine that has none."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_, **__: None


@contextmanager
def copies_without_streams() -> Iterator[list[int]]:
    """Lets torch's operators of offloading run on a CPU; the list has the elements of each copy to the host."""
    offloads: list[int] = []

    def memory(elements: int, dtype: torch.dtype) -> torch.Tensor:
        offloads.append(elements)
        return torch.empty(elements, dtype=dtype)

    with ExitStack() as stack:
        for module, name, instead in (
                (torch.accelerator, "current_stream", lambda *_: _Nothing()),
                (torch.accelerator, "set_stream", lambda *_: None), (torch, "Event", _Nothing),
                (offload_ops, "_get_or_create_transfer_stream", lambda _: _Nothing()),
                (offload_ops, "_maybe_pool_alloc", memory)):
            stack.enter_context(mock.patch.object(module, name, instead))
        yield offloads


class PlansThatDifferInMemoryOnly(unittest.TestCase):
    def check(self, job: TrainerJob, sections: list[tuple[str, Any, str]], own_plans: bool = False) -> None:
        ranks = fork_ranks(lambda folder, rank: Rank(job, folder, rank, own_plans).check(sections), job.world_size)
        for found in ranks:
            self.assertGreater(found["values"], 10)
            for name, _, mode in sections:
                what = found[f"{name} {mode}"]
                self.assertEqual((what["different"], what["from what overlap shows"]), ([], None), name)
                self.assertEqual(what["offloads"] > 0, name == "offload", name)
                self.assertEqual(what["recomputed"] > 0, name != "none", name)

    def test_the_trainer_s_own_passes_agree_and_a_graph_that_they_made_refuses_a_section(self) -> None:
        job = TrainerJob("llama3", 2, layers=1)
        for found in fork_ranks(lambda folder, rank: Rank(job, folder, rank, True).default_and_late(), 2):
            self.assertEqual((found["different"], found["status"]), ([[], []], 1))
            self.assertIn("comes too late for it: export the graph before the trainer's memory passes "
                          "(register_pipeline(..., memory=True))", found["error"])


add_cases(PlansThatDifferInMemoryOnly, PlansThatDifferInMemoryOnly.check, [
    ("llama3_sharded", (TrainerJob("llama3", 2, layers=2), [
        (*NONE, "exact"), (*FULL, "passes"), (*RULES, "exact"), (*OFFLOAD, "passes")])),
    ("llama3_tensor_parallel", (TrainerJob("llama3", 2, 2, layers=1), [(*FULL, "passes"), (*RULES, "exact")])),
    ("deepseek_v3_sharded", (TrainerJob("deepseek_v3", 2, 1, 2, layers=2), [
        (*FULL, "passes"), (*RULES, "exact"), (*OFFLOAD, "exact")])),
    # A rank takes its part of the group's tokens by a node that is called by the rank's place, so that graphs differ
    # and each rank has a plan of its own.
    ("deepseek_v3_tensor_parallel", (TrainerJob("deepseek_v3", 2, 2, 2, layers=1, with_dense_layer=False), [
        (*FULL, "passes"), (*RULES, "exact")], True)),
])

if __name__ == "__main__":
    unittest.main()
