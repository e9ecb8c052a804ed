"""One of some gloo ranks that measure compute differently, for test_measured_times.py."""
from __future__ import annotations

import dataclasses
import hashlib
import zlib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import wheel_package  # noqa: F401  (ahead of overlap_studio)

import torch.fx as fx
from overlap_studio import native_pass
from overlap_studio.collective_order import collectives_text
from overlap_studio.digests import node_digests
from overlap_studio.estimates import Estimate
from overlap_studio.export import graph_document
from torch._inductor import config as inductor_config
from torch._inductor.fx_passes.overlap_scheduling import is_compute_node, schedule_overlap_bucketing
from torch._inductor.utils import fresh_cache

from analytic_times import AnalyticTimes, cost_model
from comparison import copy_graph
from gloo_ranks import join, outcome
from job_plans import step
from traced_graphs import joint_graph, meshes_of
from two_ranks import JOB

# Much more than any of these takes; a rank that waits for it fails its test.
TIMEOUT = timedelta(minutes=5)
OPTIONS = {"collective_bucketing": True, "max_memory_increase_gb": None, "max_memory_increase_ratio": None,
           "pre_bucketing_fsdp_collectives": False}


class Rank:
    def __init__(self, folder: Path, rank: int, world_size: int) -> None:
        join(folder, rank, world_size)
        self.rank = rank
        job = dataclasses.replace(JOB, rank=rank, dims=(("shard", world_size),))
        self.graph = joint_graph(job, meshes_of(job))
        self.costs = cost_model([group["name"] for group in graph_document(self.graph, name="groups")["process_groups"]])
        self.times = AnalyticTimes(self.costs)

    def compute_ms(self, node: fx.Node, seed: int = 0) -> float | None:
        """What this rank measures of compute: up to ten times what it is, of other nodes than other ranks do, also where
        they are alike."""
        return self._slower(node, seed) if is_compute_node(node) else None

    def gathers_ms(self, node: fx.Node) -> float | None:
        """Gathers as well."""
        return self._slower(node, 0) if "all_gather_into_tensor" in str(node.target) else self.compute_ms(node)

    def _slower(self, node: fx.Node, seed: int) -> float:
        return self.times(node) * (1 + zlib.crc32(f"{node.name} {self.rank} {seed}".encode()) % 10)

    def by_torch(self, seed: int = 0, **options: Any) -> fx.GraphModule:
        def times(node: fx.Node, size: int | None = None) -> float:
            measured = self.compute_ms(node, seed) if size is None else None
            return self.times(node, size) if measured is None else measured

        return schedule_overlap_bucketing(copy_graph(self.graph), custom_runtime_estimation=times, **OPTIONS, **options)

    def by_core(self, seed: int = 0, check_ranks: bool = True, **options: Any) -> fx.GraphModule:
        return self.given(lambda node: self.compute_ms(node, seed), check_ranks, **options)

    def given(self, estimate: Estimate, check_ranks: bool = True, **options: Any) -> fx.GraphModule:
        steps = [step("schedule_overlap_bucketing", **OPTIONS, **options)]
        return native_pass(steps, cost_model=self.costs, estimate=estimate, check_ranks=check_ranks,
                           timeout=TIMEOUT)(copy_graph(self.graph))

    def graphs(self) -> dict[str, Any]:
        """What both make: by default, of a later graph, and where PyTorch does not measure."""
        found = {}
        for name, make in (("torch", self.by_torch), ("core", self.by_core)):
            with fresh_cache():
                found[name] = {"first": facts(make()), "later": facts(make(seed=1))}
            alone = {} if name == "torch" else {"check_ranks": False}
            found[name]["analytical"] = facts(make(compute_estimator="analytical", **alone))
            with inductor_config.patch(deterministic=True):
                found[name]["deterministic"] = facts(make(**alone))
        with fresh_cache():
            found["told to measure"] = facts(self.by_core(compute_estimator="benchmark"))
        return found

    def refusals(self) -> dict[str, Any]:
        return {"analytical": self.refusal(lambda: self.by_core(compute_estimator="analytical")),
                "gathers": self.refusal(lambda: self.given(self.gathers_ms)),
                "other passes": self.refusal(lambda: self.by_core(insert_overlap_deps=self.rank == 1)),
                "failing": self.refusal(self.failing)}

    def failing(self) -> fx.GraphModule:
        def estimate(node: fx.Node) -> float | None:
            if self.rank == 1:
                raise ValueError("the trace is of another job")
            return self.compute_ms(node)

        return self.given(estimate)

    def refusal(self, call: Callable[[], Any]) -> dict[str, Any]:
        before = facts(self.graph)
        with fresh_cache():
            found = outcome(call)
        return {**found, "unchanged": before == facts(self.graph)}


def facts(gm: fx.GraphModule) -> dict[str, str]:
    digests = node_digests(graph_document(gm, name="result", sorted_only=False))
    return {"graph": hashlib.sha256("".join(digests).encode()).hexdigest(), "collectives": collectives_text(gm)}
