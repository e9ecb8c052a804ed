"""Ranks of pipeline jobs with gloo: a step that is exported while it runs, and what each rank really did in it."""
from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage
from torch.distributed.pipelining.schedules import _PipelineScheduleRuntime, get_schedule_class

from overlap_studio.pipeline import export_pipeline

from gloo_ranks import join, outcome

MICROBATCHES, WIDTH = 4, 8
# Without collectives in the stages; products and memory take about as long as each other.
COST_MODEL = {"device": {"name": "test", "flops_per_s": {"float32": 1e9}, "memory_bytes_per_s": 1e9}, "links": []}


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(WIDTH, width), nn.Linear(width, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(torch.relu(self.up(x)))


def stage_module(number: int) -> nn.Module:
    """No two stages take equally long."""
    return nn.Sequential(Block(16 * (number + 1)), Block(16))


def stages_of(schedule: str, rank: int, ranks: int) -> list[int]:
    """Numbers of the stages that PyTorch wants on a pipeline rank."""
    if schedule in ("GPipe", "1F1B"):
        return [rank]
    return [rank, 2 * ranks - 1 - rank] if schedule in ("ZBVZeroBubble", "DualPipeV") else [rank, rank + ranks]


class Executed:
    """The actions of a rank in the order in which it ran them, as PyTorch writes them."""

    def __init__(self, stages: list[Any]) -> None:
        self.actions: list[str] = []
        for stage in stages:
            self._record(stage, "forward_one_chunk", lambda chunk, *_, **__: f"F{chunk}")
            self._record(stage, "backward_one_chunk", lambda chunk, *_, full_backward=True, **__:
                         f"{'B' if full_backward else 'I'}{chunk}")
            self._record(stage, "backward_weight_one_chunk", lambda chunk, *_, **__: f"W{chunk}")

    def _record(self, stage: Any, method: str, name: Callable[..., str]) -> None:
        run = getattr(stage, method)

        def recorded(*args: Any, **kwargs: Any) -> Any:
            self.actions.append(f"{stage.stage_index}{name(*args, **kwargs)}")
            return run(*args, **kwargs)
        setattr(stage, method, recorded)


def make_schedule(name: str, stages: list[Any], lists: Path | None) -> Any:
    """@param lists a CSV of actions that PyTorch loads in place of the schedule's own."""
    single = name in ("GPipe", "1F1B")
    made = _PipelineScheduleRuntime if lists is not None else get_schedule_class(name)
    schedule = made(stages[0] if single and lists is None else stages, MICROBATCHES, loss_fn=nn.functional.mse_loss)
    if lists is not None:
        schedule._load_csv(str(lists))
    return schedule


def run_step(schedule: Any, stages: list[Any]) -> None:
    batch = torch.randn(2 * MICROBATCHES, WIDTH)
    options = {"target": torch.randn_like(batch)} if any(stage.is_last for stage in stages) else {}
    schedule.step(*([batch] if any(stage.is_first for stage in stages) else []), **options)


def exported_step(name: str, keep: Path, lists: Path | None = None, **options: Any) -> Callable[[Path, int], Any]:
    """What a rank of two runs: the step with the schedule of this name, exported to `keep`."""
    def run(folder: Path, rank: int) -> dict[str, Any]:
        join(folder, rank, 2)
        torch.manual_seed(rank)
        numbers = stages_of(name, rank, 2)
        count = 2 * len(numbers)
        stages = [PipelineStage(stage_module(number), number, count, torch.device("cpu")) for number in numbers]
        executed = Executed(stages)
        schedule = make_schedule(name, stages, lists)
        loss = schedule._loss_fn
        with export_pipeline(schedule, keep, cost_model=COST_MODEL, **options) as exported:
            run_step(schedule, stages)
        assert schedule._loss_fn is loss
        return {"path": str(exported.path), "notes": exported.notes, "executed": executed.actions}
    return run


def two_pipelines(keep: Path, pipeline_outermost: bool) -> Callable[[Path, int], Any]:
    """What a rank of four runs: two copies of a pipeline of two."""
    def run(folder: Path, rank: int) -> dict[str, Any]:
        join(folder, rank, 4)
        pipelines = [[0, 2], [1, 3]] if pipeline_outermost else [[0, 1], [2, 3]]
        groups = [dist.new_group(ranks) for ranks in pipelines]
        mine = next(place for place, ranks in enumerate(pipelines) if rank in ranks)
        number = pipelines[mine].index(rank)
        stage = PipelineStage(stage_module(number), number, 2, torch.device("cpu"), group=groups[mine])
        schedule = make_schedule("1F1B", [stage], None)
        with export_pipeline(schedule, keep, cost_model=COST_MODEL) as exported:
            run_step(schedule, [stage])
        return {"path": None if exported.path is None else str(exported.path)}
    return run


def failing_export(what: str, keep: Path) -> Callable[[Path, int], Any]:
    """What a rank of two runs where the second has something that cannot be exported."""
    def run(folder: Path, rank: int) -> dict[str, Any]:
        join(folder, rank, 2)
        module = stage_module(rank)
        if rank == 1 and what == "fsdp":
            module = nn.parallel.DistributedDataParallel(module, process_group=dist.new_group([1], use_local_synchronization=True))
        stage = PipelineStage(module, rank, 2, torch.device("cpu"))
        schedule = make_schedule("1F1B", [stage], None)

        def export() -> None:
            with export_pipeline(schedule, keep, cost_model=COST_MODEL):
                if what != "no_step":
                    run_step(schedule, [stage])
        found = outcome(export)
        dist.barrier()
        found["files"] = sorted(path.name for path in keep.glob("*.json"))
        # The folder is removed only when both have listed it.
        dist.barrier()
        if rank == 0:
            shutil.rmtree(keep, ignore_errors=True)
        return found
    return run
