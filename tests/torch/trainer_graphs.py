"""Graphs of torchtitan's graph trainer as one rank of a job would have them, traced without a GPU.

The trainer's own functions build, shard and trace the model and run its passes. Where a published job of 2024 or 2025
was another than today's default, the model of that time is asked for:

- attention is one causal flash kernel over each sequence, of keys and values that are repeated for every head that
  shares them, instead of flex attention over packed documents;
- queries, keys and values have a product each, instead of one together;
- the loss is taken of all logits at once, instead of in chunks;
- positions are not an input;
- checkpointing of whole blocks runs attention again in backward: the trainer keeps its result, because PyTorch marks the
  operator as random, which it is not without dropout;
- hybrid sharding scatters gradients within a group of shards and then sums what is left over the groups, instead of
  summing whole gradients first.

Tensors are fake ones on the CPU while the graph is traced, which needs no driver, and CUDA tensors afterwards. There
RMSNorm is not one operator but those that it consists of.
"""
from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import torch
import torch.distributed as dist
import torch.fx as fx
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.distributed._functional_collectives import all_reduce
from torch.distributed.tensor import DTensor, Partial, Replicate
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._pytree import tree_iter
from torch.utils.checkpoint import CheckpointPolicy
from torchtitan.components.loss import CrossEntropyLoss
from torchtitan.distributed import ParallelDims
from torchtitan.distributed import utils as distributed_utils
from torchtitan.experiments.graph_trainer import deepseek_v3 as graph_trainer_deepseek_v3
from torchtitan.experiments.graph_trainer import llama3 as graph_trainer_llama3
from torchtitan.experiments.graph_trainer import selective_activation_remat
from torchtitan.experiments.graph_trainer.common_utils import maybe_register_blockmask_pytree_node
from torchtitan.experiments.graph_trainer.configs import (
    EpOverlapConfig, GraphTrainerCompileConfig, to_graph_trainer_config)
from torchtitan.experiments.graph_trainer.deepseek_v3 import config_registry as deepseek_v3_configs
from torchtitan.experiments.graph_trainer.ep_chunk_pass import prepare_ep_overlap_trace_inputs
from torchtitan.experiments.graph_trainer.llama3 import config_registry
from torchtitan.experiments.graph_trainer.make_fx_tracer import TracedResult, minimal_fx_tracer
from torchtitan.experiments.graph_trainer.memory_policy import tag_sac_policy
from torchtitan.experiments.graph_trainer.passes import apply_graph_passes, compile_time_passes
from torchtitan.experiments.graph_trainer.registry import register_memory_policy
from torchtitan.experiments.graph_trainer.simple_fsdp import ReplicateComputation
from torchtitan.experiments.graph_trainer.trainer import make_fwd_bwd_step
from torchtitan.models import deepseek_v3, llama3
from torchtitan.models.common.attention import ScaledDotProductAttention
from torchtitan.models.common.config_utils import decoder_vocab_size

from published_jobs import SIZES, PublishedJob, Sizes

DEVICE = torch.device("cuda:0")  # of the graph's tensors in the end
# The last pass ahead of those that a plan decides about: what is exported is the graph that this one returns.
LAST_PASS = "selective_activation_remat_pass"
# The same where the trainer halves the batch of modules: its memory passes run ahead of that, and a plan decides them.
LAST_PASS_BEFORE_HALVES = "deduplicate_fsdp_unshard_chains_pass"


@dataclasses.dataclass(frozen=True)
class TrainerGraph:
    graph_module: fx.GraphModule
    parameters: dict[str, str]  # of placeholders
    passes_behind: tuple[str, ...]  # what the trainer would run next, by name
    rows_of_rank: int | None  # that experts get of each rank where all get as many; None: the model has no experts


@contextmanager
def trainer_graph(job: PublishedJob) -> Iterator[TrainerGraph]:
    """The joint graph of forward, loss and backward as it reaches bucketing; process groups exist while it is used."""
    if dist.is_initialized():
        dist.destroy_process_group()
    dist.init_process_group("fake", rank=0, world_size=job.world_size, store=FakeStore())
    try:
        with _as_published():
            config = _config(job)
            dims = _parallel_dims(job, config)
            traced = _traced(job, config, dims)
            passes = compile_time_passes(traced, config, parallel_dims=dims, include_inductor=False)
        names = [_name(step) for step in passes]
        split = names.index(LAST_PASS_BEFORE_HALVES if job.expert_overlap else LAST_PASS) + 1
        graph_module = apply_graph_passes(traced.gm, traced.example_inputs, passes[:split])
        move_to_device(graph_module, DEVICE)
        yield TrainerGraph(graph_module, _parameters(graph_module, traced), tuple(names[split:]),
                           _rows_of_rank(job, config))
    finally:
        dist.destroy_process_group()


def _config(job: PublishedJob) -> Any:
    config = to_graph_trainer_config(_base(job), _MODELS[job.model])
    config.model_spec = _MODELS[job.model](job.flavor, attn_backend="sdpa")
    config.compile = GraphTrainerCompileConfig(enable=True, memory_policy=job.memory_policy,
                                               enable_async_tensor_parallel=job.async_tensor_parallel,
                                               ep_overlap=_expert_overlap(job))
    config.loss = CrossEntropyLoss.Config(global_vocab_size=decoder_vocab_size(config.model_spec))
    config.training.local_batch_size, config.training.seq_len = job.local_batch, job.sequence
    config.parallelism = dataclasses.replace(
        config.parallelism, data_parallel_replicate_degree=job.replicas, data_parallel_shard_degree=job.shards,
        tensor_parallel_degree=job.tensor_parallel, expert_parallel_degree=job.expert_parallel)
    config.debug.moe_force_load_balance = job.balanced
    return config


def _expert_overlap(job: PublishedJob) -> EpOverlapConfig:
    if job.expert_overlap is None:
        return EpOverlapConfig()
    return EpOverlapConfig(enabled=True, strategy="graph", module_fqn=job.expert_overlap)


_MODELS = {"llama3": graph_trainer_llama3.model_registry, "deepseek_v3": graph_trainer_deepseek_v3.model_registry}


def _base(job: PublishedJob) -> Any:
    if job.model == "deepseek_v3":
        return deepseek_v3_configs.deepseek_v3_16b()
    return {"70B": config_registry.llama3_70b}.get(job.flavor, config_registry.llama3_8b)()


def _rows_of_rank(job: PublishedJob, config: Any) -> int | None:
    routers = [layer.moe.router for layer in config.model_spec.model.layers if getattr(layer, "moe", None)]
    return job.local_batch * job.sequence * routers[0].top_k // job.expert_parallel if routers else None


def _sized(sizes: Sizes) -> Callable[..., Any]:
    """What builds the configuration of a model of these sizes: that of llama3's 8B with others in their place."""
    def build(**options: Any) -> Any:
        config = llama3._8b(**options)
        head = dataclasses.replace(config.lm_head, in_features=sizes.dim, out_features=sizes.vocabulary)
        embeddings = dataclasses.replace(config.tok_embeddings, num_embeddings=sizes.vocabulary,
                                         embedding_dim=sizes.dim)
        rope = dataclasses.replace(config.layers[0].attention.rope, dim=sizes.dim // sizes.heads)
        layers = llama3._build_llama3_layers(
            n_layers=sizes.layers, dim=sizes.dim, n_heads=sizes.heads, n_kv_heads=sizes.key_value_heads,
            hidden_dim=sizes.feed_forward, rope=rope, **options)
        return dataclasses.replace(config, dim=sizes.dim, vocab_size=sizes.vocabulary, tok_embeddings=embeddings,
                                   norm=dataclasses.replace(config.norm, normalized_shape=sizes.dim), lm_head=head,
                                   layers=layers)
    return build


@register_memory_policy("blocks")
def _keep_inputs_of_blocks(graph_module: fx.GraphModule, *, config: Any) -> fx.GraphModule:
    """Checkpointing of whole blocks: what is behind a block's input is computed again, attention too."""
    return tag_sac_policy(graph_module, policy_fn=lambda node: CheckpointPolicy.MUST_RECOMPUTE)


@register_memory_policy("none")
def _keep_all_but_parameters(graph_module: fx.GraphModule, *, config: Any) -> fx.GraphModule:
    """No checkpointing: what backward reads is kept, and only whole parameters are gathered again."""
    of_parameters: set[fx.Node] = set()
    for node in graph_module.graph.nodes:
        value = node.meta.get("val")
        if node.op == "placeholder" and isinstance(value, torch.Tensor) and value.is_floating_point():
            of_parameters.add(node)
        elif node.all_input_nodes and of_parameters.issuperset(node.all_input_nodes):
            of_parameters.add(node)

    def policy(node: fx.Node) -> CheckpointPolicy:
        return CheckpointPolicy.PREFER_RECOMPUTE if node in of_parameters else CheckpointPolicy.MUST_SAVE
    return tag_sac_policy(graph_module, policy_fn=policy)


def _parallel_dims(job: PublishedJob, config: Any) -> ParallelDims:
    backend = config.parallelism.spmd_backend
    distributed_utils.set_spmd_backend(backend)
    dims = ParallelDims(dp_shard=job.shards, dp_replicate=job.replicas, cp=1, tp=job.tensor_parallel, pp=1,
                        ep=job.expert_parallel, world_size=job.world_size, spmd_backend=backend)
    dims.build_mesh()
    return dims


def _traced(job: PublishedJob, config: Any, dims: ParallelDims) -> TracedResult:
    model_config = config.model_spec.model
    model_config.update_from_config(config=config)
    with torch.device("meta"):
        model = model_config.build()
    model = config.model_spec.parallelize_fn(
        model, parallel_dims=dims, training=config.training, parallelism=config.parallelism,
        compile_config=config.compile, ac_config=config.activation_checkpoint, dump_folder="")
    with FakeTensorMode(allow_non_fake_inputs=True):
        model.to_empty(device="cpu")
    # Not fake ones: a size that is marked as one to halve is not looked for in those.
    tokens = torch.zeros(job.local_batch, job.sequence, dtype=torch.int64)
    labels, valid_tokens = torch.zeros_like(tokens), torch.zeros((), dtype=torch.int64)
    model.train()
    maybe_register_blockmask_pytree_node()
    step = make_fwd_bwd_step(model, config.loss.build(compile_config=config.compile))
    with distributed_utils.get_spmd_context(parallel_dims=dims)():
        # Marks the batch's dimension as one that can be halved, where the job asks for halves.
        prepared = functools.partial(prepare_ep_overlap_trace_inputs, config.compile)
        return minimal_fx_tracer(step, module=model, prepare_inputs=prepared)(tokens, labels, valid_tokens, {})


@contextmanager
def _as_published() -> Iterator[None]:
    """torchtitan's models as they were, on a machine that it takes for one of CPUs."""
    build_layers = llama3._build_llama3_layers
    with ExitStack() as stack:
        for module in list(sys.modules.values()):
            if getattr(module, "__name__", "").startswith("torchtitan") and hasattr(module, "device_type"):
                stack.enter_context(mock.patch.object(module, "device_type", "cpu"))
        stack.enter_context(mock.patch.object(
            llama3, "_build_llama3_layers", lambda **options: build_layers(**{**options, "fuse_qkv": False})))
        stack.enter_context(mock.patch.dict(llama3.llama3_configs, {
            flavor: _sized(sizes) for flavor, sizes in SIZES.items()}))
        stack.enter_context(mock.patch.object(ScaledDotProductAttention, "forward", _flash_attention))
        stack.enter_context(mock.patch.object(ReplicateComputation, "replicate_compute", _whole_parameter))
        # Without dropout no operator draws a random number, so each may be run again.
        stack.enter_context(mock.patch.object(selective_activation_remat, "has_recomputable_rng_ops",
                                              lambda graph_module: False))
        yield


class _SumOverGroups(torch.autograd.Function):
    """A shard as it is; its gradient is the sum over a group's ranks."""

    @staticmethod
    def forward(ctx: Any, shard: torch.Tensor, group: Any) -> torch.Tensor:
        ctx.group = group
        return shard.view_as(shard)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        return all_reduce(gradient, "sum", ctx.group), None


_whole_parameter_of_trainer = ReplicateComputation.replicate_compute


def _whole_parameter(self: ReplicateComputation, parameter: Any) -> torch.Tensor:
    """What the trainer does, but for hybrid sharding, where the gradient is scattered first."""
    if self.device_mesh.ndim == 1:
        return _whole_parameter_of_trainer(self, parameter)
    groups, shards = (self.device_mesh[name] for name in self.device_mesh.mesh_dim_names)
    local = _SumOverGroups.apply(parameter.to_local(), groups)
    whole = DTensor.from_local(local, shards, self.param_sharding[1:]).redistribute(
        placements=[Replicate()], forward_dtype=self.param_dtype, backward_dtype=self.reduce_dtype)
    return whole.to_local(grad_placements=[Partial("sum")])


def _flash_attention(self: Any, q_BLNH: torch.Tensor, k_BLNH: torch.Tensor, v_BLNH: torch.Tensor, *,
                     scale: float | None = None, is_causal: bool = True, **_: Any) -> torch.Tensor:
    """The kernel that scaled_dot_product_attention chooses on an H100; here it would see a CPU.

    The sharding of the arguments is looked up by their names.
    """
    heads = q_BLNH.shape[2]
    query, key, value = (tensor.transpose(1, 2) for tensor in (
        q_BLNH, _repeated(k_BLNH, heads), _repeated(v_BLNH, heads)))
    if query.shape[-1] == value.shape[-1]:
        out = torch.ops.aten._scaled_dot_product_flash_attention(query, key, value, 0.0, is_causal, scale=scale)[0]
    else:  # flash attention has one size of heads
        out = torch.ops.aten._scaled_dot_product_cudnn_attention(
            query, key, value, None, True, 0.0, is_causal, scale=scale)[0]
    return out.transpose(1, 2)


def _repeated(tensor: torch.Tensor, heads: int) -> torch.Tensor:
    """Keys or values, once for each head of queries."""
    batch, length, groups, size = tensor.shape
    if groups == heads:
        return tensor
    return tensor[:, :, :, None, :].expand(batch, length, groups, heads // groups, size).reshape(
        batch, length, heads, size)


def _parameters(graph_module: fx.GraphModule, traced: TracedResult) -> dict[str, str]:
    """Names of placeholders that hold parameters and buffers; DTensors have further placeholders without a value."""
    placeholders = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
    static = [node.name for node in placeholders[:traced.num_static_inputs]
              if isinstance(node.meta.get("val"), torch.Tensor)]
    return dict(zip(static, traced.state_fqns, strict=True))


def move_to_device(graph_module: fx.GraphModule, device: torch.device) -> None:
    """All tensors of the graph, and the devices that its nodes name."""
    def moved(value: Any) -> Any:
        return device if isinstance(value, torch.device) else value

    for node in graph_module.graph.nodes:
        for value in tree_iter(node.meta.get("val")):
            if isinstance(value, FakeTensor):
                value.fake_device = device
        node.args, node.kwargs = (fx.node.map_aggregate(given, moved) for given in (node.args, node.kwargs))


def _name(step: Callable[..., Any]) -> str:
    return getattr(step, "func", step).__name__
