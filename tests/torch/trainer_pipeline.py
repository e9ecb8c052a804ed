"""A pipeline of torchtitan's graph trainer (graph_pp) on ranks with gloo: its stages are graphs.

What is not the job's own is what `real_trainer` says, and one field: torchtitan 0.3.0's runner keeps results of forwards
in `fwd_cache`, which PyTorch 2.15.0 no longer has; `_ForwardResults` gives them to the field that took its place.
"""
from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import real_trainer
import torch
from overlap_studio.pipeline import export_pipeline
from real_trainer import SEQUENCE, ParallelDims, TrainerJob, distributed_utils
from torch.distributed.pipelining.stage import _ForwardChunkState
from torchtitan.experiments.graph_trainer.graph_pp.pipeline import graph_pipeline_llm

from gloo_ranks import join

BATCH = 4
COST_MODEL = {"device": {"name": "test", "flops_per_s": {"float32": 1e9, "bfloat16": 1e9}, "memory_bytes_per_s": 1e9},
              "links": []}


class _ForwardResults(dict):
    def __init__(self, stage: Any) -> None:
        super().__init__()
        self._stage = stage

    def __setitem__(self, microbatch: int, result: Any) -> None:
        super().__setitem__(microbatch, result)
        outputs = list(result[0])
        self._stage._forward_chunk_states[microbatch] = _ForwardChunkState(
            output_grad_edges=(None,) * len(outputs), input_values=[], live_outputs=outputs,
            releasable=(False,) * len(outputs), send_pending=[False] * len(outputs))


def _runtime(schedule: str) -> tuple[Any, bool, bool, ParallelDims]:
    """The trainer's pipeline on two ranks, with weights; whether this rank has the first stage, and the last."""
    config = real_trainer._config(TrainerJob("llama3", 1, layers=4))
    config.compile = dataclasses.replace(config.compile, enable_passes=False)
    config.parallelism = dataclasses.replace(config.parallelism, pipeline_parallel_degree=2,
                                             pipeline_parallel_schedule=schedule)
    config.training.local_batch_size = BATCH
    backend = config.parallelism.spmd_backend
    distributed_utils.set_spmd_backend(backend)
    dims = ParallelDims(dp_shard=1, dp_replicate=1, cp=1, tp=1, pp=2, ep=1, world_size=2, spmd_backend=backend)
    dims.build_mesh()
    description = config.model_spec.model
    description.update_from_config(config=config)
    with torch.device("meta"):
        model = description.build()
    runtime, parts, first, last = graph_pipeline_llm(
        model, parallel_dims=dims, training=config.training, parallelism=config.parallelism,
        compile_config=config.compile, ac_config=config.activation_checkpoint, dump_folder="",
        device=torch.device("cpu"), model_config=description, parallelize_fn=config.model_spec.parallelize_fn,
        loss_fn=config.loss.build(compile_config=config.compile))
    for part in parts:
        part.to_empty(device="cpu")
        part.init_states()
        part.train()
    for stage in runtime.schedule._stages:
        stage.fwd_cache = _ForwardResults(stage)
    return runtime, first, last, dims


def exported_step(schedule: str, keep: Path) -> Callable[[Path, int], Any]:
    """What a rank of two runs: the trainer's first step of the pipeline, exported to `keep`."""
    def run(folder: Path, rank: int) -> dict[str, Any]:
        join(folder, rank, 2)
        torch.manual_seed(0)
        runtime, first, last, dims = _runtime(schedule)
        executed: list[str] = []
        for kind, handler in list(runtime.schedule._comp_type_to_function_map.items()):
            def recorded(action: Any, context: Any, handler: Any = handler) -> None:
                executed.append(str(action))
                handler(action, context)
            runtime.schedule.register_custom_function(kind, recorded)
        tokens = torch.randint(0, 2048, (BATCH, SEQUENCE + 1))
        losses: list[torch.Tensor] = []
        options: dict[str, Any] = {"positions": torch.arange(SEQUENCE).repeat(BATCH, 1), "return_outputs": False,
                                   "loss_kwargs": {"global_valid_tokens": torch.tensor(float(BATCH * SEQUENCE))}}
        if last:
            options.update(target=tokens[:, 1:].contiguous(), losses=losses)
        with (distributed_utils.get_spmd_context(parallel_dims=dims)(),
              export_pipeline(runtime, keep, name="llama3", cost_model=COST_MODEL) as exported):
            runtime.step(*([tokens[:, :-1].contiguous()] if first else []), **options)
        again = ""
        try:
            with export_pipeline(runtime, keep, cost_model=COST_MODEL):
                pass
        except Exception as error:
            again = f"{type(error).__name__}: {error}"
        return {"path": str(exported.path), "executed": executed, "notes": exported.notes,
                "losses": [float(loss) for loss in losses], "again": again}
    return run
