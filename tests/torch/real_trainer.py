"""torchtitan's graph trainer itself, on ranks that have a CPU and gloo, or the fake backend, in place of GPUs.

`GraphTrainer.forward_backward_step` runs as in a job: it traces model, loss and backward, takes the pass pipeline that is
registered, runs its passes and the graph, and accumulates gradients. What is not the job's own:

- what it imports to read data and to write files of TensorBoard is replaced by classes
  that do nothing: this environment has only the trainer itself. No step uses them;
- it takes the machine for one of CPUs. By itself it takes any machine without a GPU for one with CUDA;
- its constructor, which reads data and tokenizers, does not run: `RealTrainer` sets what a step reads;
- attention is SDPA, which the trainer has for tests of its own: flex attention is a compiled kernel for GPUs;
- the debug models keep their sizes and have few of their layers.

Import this module before any other of torchtitan.
"""
from __future__ import annotations

import dataclasses
import importlib.abc
import importlib.machinery
import logging
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest import mock

import torch
import torch._utils
import torch.distributed as dist
from torch.distributed.tensor import DTensor, distribute_tensor

_NOT_INSTALLED = ("datasets", "tokenizers", "torch.utils.tensorboard", "torchdata")


class _StandIn(types.ModuleType):
    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__class_getitem__": classmethod(lambda cls, _: cls)})


class _StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        wanted = any(name == module or name.startswith(module + ".") for module in _NOT_INSTALLED)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if wanted else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


sys.meta_path.insert(0, _StandIns())
torch._utils._get_available_device_type = lambda: "cpu"
vars(dist).pop("ProcessGroupNCCL", None)  # groups that the trainer makes then have the backend of the job

from torchtitan.components.loss import CrossEntropyLoss  # noqa: E402
from torchtitan.distributed import ParallelDims  # noqa: E402
from torchtitan.distributed import utils as distributed_utils  # noqa: E402
from torchtitan.experiments.graph_trainer import deepseek_v3, llama3  # noqa: E402
from torchtitan.experiments.graph_trainer import trainer as trainer_module  # noqa: E402
from torchtitan.experiments.graph_trainer.configs import (  # noqa: E402
    EpOverlapConfig, GraphTrainerCompileConfig, to_graph_trainer_config)
from torchtitan.models.common.config_utils import decoder_vocab_size  # noqa: E402
from torchtitan.models.deepseek_v3.config_registry import deepseek_v3_debugmodel  # noqa: E402
from torchtitan.models.llama3.config_registry import llama3_debugmodel  # noqa: E402

logging.getLogger().setLevel(logging.ERROR)  # the trainer tells each pass

_MODELS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "llama3": (llama3_debugmodel, llama3.model_registry),
    "deepseek_v3": (deepseek_v3_debugmodel, deepseek_v3.model_registry),
}
SEQUENCE = 32


@dataclass(frozen=True)
class TrainerJob:
    """A job of the trainer: a debug model and its parallelism."""

    model: str  # "llama3", "deepseek_v3"
    shards: int  # ranks of fully sharded data parallelism
    tensor_parallel: int = 1
    expert_parallel: int = 1
    layers: int = 2
    with_dense_layer: bool = True  # of deepseek_v3, whose other layers have experts
    batch: int = 2
    expert_overlap: EpOverlapConfig = dataclasses.field(default_factory=EpOverlapConfig)

    @property
    def world_size(self) -> int:
        return self.shards * self.tensor_parallel


class RealTrainer:
    """The trainer of one rank, with weights that are the same whatever the parallelism. The step is traced once."""

    def __init__(self, job: TrainerJob) -> None:
        self.job = job
        config = _config(job)
        backend = config.parallelism.spmd_backend
        distributed_utils.set_spmd_backend(backend)
        dims = ParallelDims(dp_shard=job.shards, dp_replicate=1, cp=1, tp=job.tensor_parallel, pp=1,
                            ep=job.expert_parallel, world_size=job.world_size, spmd_backend=backend)
        dims.build_mesh()
        made = self.trainer = trainer_module.GraphTrainer.__new__(trainer_module.GraphTrainer)
        made.config, made.parallel_dims, made.model_config = config, dims, config.model_spec.model
        made.model_parts = [_model(config, dims)]
        made.loss_fn = config.loss.build(compile_config=config.compile)
        made.train_context = distributed_utils.get_spmd_context(parallel_dims=dims)
        made._traced_step, made.ntokens_seen = None, 0
        self._traced: Any = None

    def step(self, pipeline: str) -> list[torch.Tensor]:
        """Loss and gradients of this rank, with the pass pipeline that is registered by this name."""
        made = self.trainer
        made.config.compile.pass_pipeline = pipeline
        made._traced_step = None
        for parameter in made.model_parts[0].parameters():
            parameter.grad = None
        inputs, labels = _batch(self.job)
        with mock.patch.object(trainer_module, "minimal_fx_tracer", self._tracer):
            loss = made.forward_backward_step(
                input_dict={"input": inputs, "positions": torch.arange(SEQUENCE).repeat(self.job.batch, 1)},
                labels=labels, global_valid_tokens=torch.tensor(labels.numel() * self.job.shards))
        gradients = [parameter.grad for parameter in made.model_parts[0].parameters()]
        return [value.to_local() if isinstance(value, DTensor) else value for value in (loss, *gradients)]

    @property
    def graph_module(self) -> torch.fx.GraphModule:
        """What the last step ran."""
        return self.trainer._traced_step.gm

    def _tracer(self, *made_with: Any, **options: Any) -> Callable[..., Any]:
        """The trainer's tracer, whose result is kept: passes get a copy of it."""
        trace = _trace(*made_with, **options)

        def traced(*arguments: Any, **keywords: Any) -> Any:
            if self._traced is None:
                self._traced = trace(*arguments, **keywords)
            from comparison import copy_graph
            return dataclasses.replace(self._traced, gm=copy_graph(self._traced.gm))
        return traced


_trace = trainer_module.minimal_fx_tracer


def _config(job: TrainerJob) -> Any:
    base, registry = _MODELS[job.model]
    config = to_graph_trainer_config(base(), registry)
    config.model_spec = registry("debugmodel", attn_backend="sdpa")
    model = config.model_spec.model
    first = 0 if job.with_dense_layer else 1
    model.layers = model.layers[first:first + job.layers]
    config.compile = GraphTrainerCompileConfig(enable=True, disable_passes=["cudagraph_pass"],
                                               ep_overlap=job.expert_overlap)
    config.loss = CrossEntropyLoss.Config(global_vocab_size=decoder_vocab_size(config.model_spec))
    config.training.local_batch_size, config.training.seq_len = job.batch, SEQUENCE
    config.parallelism = dataclasses.replace(
        config.parallelism, data_parallel_shard_degree=job.shards, tensor_parallel_degree=job.tensor_parallel,
        expert_parallel_degree=job.expert_parallel)
    return config


def _model(config: Any, dims: ParallelDims) -> torch.nn.Module:
    description = config.model_spec.model
    description.update_from_config(config=config)
    with torch.device("meta"):
        model = description.build()
    model = config.model_spec.parallelize_fn(
        model, parallel_dims=dims, training=config.training, parallelism=config.parallelism,
        compile_config=config.compile, ac_config=config.activation_checkpoint, dump_folder="")
    model.to_empty(device="cpu")
    model.init_states()
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            whole = torch.empty(parameter.shape).normal_(mean=float("norm" in name), std=0.05, generator=generator)
            parameter.copy_(distribute_tensor(whole, parameter.device_mesh, parameter.placements, src_data_rank=None))
    return model.train()


def _batch(job: TrainerJob) -> tuple[torch.Tensor, torch.Tensor]:
    """Tokens and labels: the same for all ranks of a tensor-parallel group."""
    generator = torch.Generator().manual_seed(dist.get_rank() // job.tensor_parallel)
    tokens = torch.randint(0, 2048, (job.batch, SEQUENCE + 1), generator=generator)
    return tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()
