"""One of some gloo ranks with a small graph, for test_rank_agreement.py."""
from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as collectives
import torch.fx as fx
from overlap_studio.hooks import plan_pass, with_plan
from overlap_studio.ranks import RankAgreement
from torch._guards import CompileContext, CompileId, compile_context
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from gloo_ranks import join, outcome
from job_plans import make_job_plan, plan_document

Outcome = dict[str, Any]
# Much more than any of these takes; a rank that waits for it fails its test.
TIMEOUT = timedelta(minutes=5)


def gathered(shard: torch.Tensor) -> torch.Tensor:
    return collectives.wait_tensor(collectives.all_gather_tensor(shard, 0, dist.group.WORLD)) + 1


def gathered_and_doubled(shard: torch.Tensor) -> torch.Tensor:
    return gathered(shard) * 2


def alone(shard: torch.Tensor) -> torch.Tensor:
    return shard + 1


def graph_of(function: Callable[[torch.Tensor], torch.Tensor]) -> fx.GraphModule:
    with FakeTensorMode(allow_non_fake_inputs=True):
        return make_fx(function)(torch.empty(4, 8))


def compiling(frame: int, number: int = 0) -> AbstractContextManager[Any]:
    """What torch.compile says of the graph that it is at."""
    return compile_context(CompileContext(CompileId(frame_id=frame, frame_compile_id=number)))


class Rank:
    def __init__(self, folder: Path, rank: int, world_size: int) -> None:
        self.folder, self.rank, self.world_size = folder, rank, world_size

    def join(self) -> Path:
        """Sets the job up; a plan for `gathered`, made by rank 0."""
        join(self.folder, self.rank, self.world_size)
        if self.rank == 0:
            make_job_plan(graph_of(gathered), plan_document([]), self.folder)
        dist.barrier()
        return self.folder / "step.job.plan.json"

    def skip_on_one(self) -> Outcome:
        apply = plan_pass(self.join(), mode="exact", others="skip", timeout=TIMEOUT)
        return outcome(lambda: apply(graph_of(gathered_and_doubled if self.rank == 1 else gathered)))

    def skip_on_all(self) -> Outcome:
        """A graph that all skip, then one that all have a plan for; one rank has graphs of its own in between."""
        apply = plan_pass(self.join(), mode="exact", others="skip", timeout=TIMEOUT)

        def run() -> None:
            apply(graph_of(gathered_and_doubled))
            for number in range(self.rank):
                with compiling(7, number):
                    apply(graph_of(alone))
            apply(graph_of(gathered))
            with compiling(8):
                apply(graph_of(gathered))

        return outcome(run)

    def unreadable_on_one(self) -> Outcome:
        plan = self.join()
        if self.rank == 1:
            return outcome(lambda: plan_pass(self.folder / "nowhere.json", timeout=TIMEOUT))
        apply = plan_pass(plan, mode="exact", timeout=TIMEOUT)
        return outcome(lambda: apply(graph_of(gathered)))

    def unreadable_on_one_before_the_job_is_set_up(self) -> Outcome:
        plan = self.folder / "step.job.plan.json"
        apply = plan_pass(self.folder / "nowhere.json", timeout=TIMEOUT) if self.rank == 1 else None
        self.join()
        apply = apply or plan_pass(plan, mode="exact", timeout=TIMEOUT)
        return outcome(lambda: apply(graph_of(gathered)))

    def without_collectives_on_one(self) -> Outcome:
        apply = plan_pass(self.join(), mode="exact", timeout=TIMEOUT)

        def first() -> None:
            apply(graph_of(alone if self.rank == 1 else gathered))

        def run() -> None:
            first()
            if self.rank == 1:  # which did not wait for the others
                first()
                apply(graph_of(gathered))

        return outcome(run)

    def own_graphs_of_one(self) -> Outcome:
        """Forward has no collectives, backward has: what a hook for each sees on a rank that is ahead."""
        plan = self.join()
        forward, backward = (with_plan(lambda gm, _: gm.forward, plan, mode="exact", timeout=TIMEOUT)
                             for _ in range(2))

        def run() -> None:
            forward(graph_of(alone), ())
            backward(graph_of(gathered), ())

        return outcome(run)

    def failure_beside_a_silent_rank(self) -> Outcome:
        self.join()
        if self.rank == 1:
            dist.distributed_c10d._get_default_store().wait(["end"], TIMEOUT)
            return outcome(lambda: None)
        agreement = RankAgreement(timeout=TIMEOUT)
        if self.rank == 2:
            agreement.failure(ValueError("no such thing"))
        found = outcome(lambda: agreement.agree({"the plan": "one"}))
        dist.distributed_c10d._get_default_store().set("end", "")
        return found

    def disagreement_of_the_last(self) -> Outcome:
        self.join()
        agreement = RankAgreement(timeout=TIMEOUT)
        return outcome(lambda: agreement.agree({"the plan": "other" if self.rank == 2 else "one"}))
