"""Graphs of the sharded transformer as a training job has them, traced under the fake process group.

joint: one graph of forward, loss and backward, modules in `custom.module_fqn`, as torchtitan's graph trainer makes it;
forward, backward: what AOT autograd gives to a compiler's backend, modules in `nn_module_stack`.
"""
from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
import torch.fx as fx
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.testing._internal.distributed.fake_pg import FakeStore

from sharded_transformer import Meshes, ShardedTransformer, Sizes, loss_of

BATCH, LENGTH = 2, 16


@dataclass(frozen=True)
class Job:
    """A parallel layout: names of mesh dimensions with their ranks, outermost first, and the model's sizes."""

    name: str
    dims: tuple[tuple[str, int], ...]
    sizes: Sizes = Sizes()
    rank: int = 0
    device: str = "cpu"
    batch: int = BATCH

    @property
    def world_size(self) -> int:
        product = 1
        for _, ranks in self.dims:
            product *= ranks
        return product


@contextmanager
def fake_process_group(job: Job) -> Iterator[Meshes]:
    """torch.distributed as one rank of the job sees it, without the others."""
    if dist.is_initialized():
        dist.destroy_process_group()
    dist.init_process_group("fake", rank=job.rank, world_size=job.world_size, store=FakeStore())
    try:
        yield meshes_of(job)
    finally:
        dist.destroy_process_group()


def meshes_of(job: Job) -> Meshes:
    """Meshes of dimensions `replicate`, `shard`, `tensor`; with experts, `shard` is `expert_shard` x `expert`."""
    names = tuple(name for name, _ in job.dims)
    mesh = init_device_mesh(job.device, tuple(ranks for _, ranks in job.dims), mesh_dim_names=names)
    tensor = mesh["tensor"] if "tensor" in names else None
    if "expert" in names:
        data = mesh["expert_shard", "expert"]._flatten("shard")
        return Meshes(data, tensor, mesh["expert"], mesh["expert_shard"])
    return Meshes(mesh["replicate", "shard"] if "replicate" in names else mesh["shard"], tensor)


def make_inputs(job: Job, meshes: Meshes) -> tuple[torch.Tensor, torch.Tensor]:
    """Tokens and labels of one rank."""
    length = LENGTH // (1 if meshes.tensor is None else meshes.tensor.size())
    tokens = torch.arange(job.batch * length, device=job.device).view(job.batch, length) % job.sizes.vocabulary
    return tokens, (tokens + 1) % job.sizes.vocabulary


def joint_graph(job: Job, meshes: Meshes) -> fx.GraphModule:
    """The whole training step of one rank in one graph."""
    from torch._guards import TracingContext, tracing
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx
    from torch.fx.experimental.symbolic_shapes import ShapeEnv
    from torch.fx.traceback import annotate_fn, preserve_node_meta

    model = ShardedTransformer(meshes, job.sizes, "cpu")
    for path, module in model.named_modules():
        if path:
            module.forward = annotate_fn({"module_fqn": path})(module.forward)
    names = [name for name, _ in model.named_parameters()]
    fake = FakeTensorMode(shape_env=ShapeEnv(), allow_non_fake_inputs=True)

    def step(parameters: list[torch.Tensor], tokens: torch.Tensor, labels: torch.Tensor) -> list[torch.Tensor]:
        weights = dict(zip(names, parameters))
        with torch.compiler._patch_engine_backward(), nn.utils.stateless._reparametrize_module(model, weights):
            loss = loss_of(model(tokens), labels)
            return [loss, *torch.autograd.grad(loss, parameters)]

    with fake:
        parameters = [torch.empty(value.shape, dtype=value.dtype, device=job.device, requires_grad=True)
                      for value in model.parameters()]
        tokens, labels = make_inputs(job, meshes)
    with (fake, tracing(TracingContext(fake)), preserve_node_meta(), torch.autograd.set_multithreading_enabled(False),
          torch.compiler._non_strict_tracing_context()):
        graph_module = make_fx(step)(parameters, tokens, labels)
    _give_backward_its_modules(graph_module)
    return graph_module


def _give_backward_its_modules(graph_module: fx.GraphModule) -> None:
    """A node of the backward pass belongs to the module of the forward node that autograd made it for."""
    forward: dict[int, Any] = {}
    for node in graph_module.graph.nodes:
        number, custom = node.meta.get("seq_nr"), node.meta.get("custom")
        if number is None:
            continue
        if not node.meta.get("autograd_backward"):
            forward.setdefault(number, custom)
        elif forward.get(number):
            node.meta["custom"] = {**(custom or {}), **copy.deepcopy(forward[number])}


def compiled_graphs(job: Job, meshes: Meshes, after: Callable[[fx.GraphModule], None] | None = None) \
        -> dict[str, fx.GraphModule]:
    """`forward` and `backward`: what torch.compile hands to a backend that sees AOT autograd's graphs.

    @param after is called with each graph before it is kept.
    """
    from torch._dynamo.backends.common import aot_autograd
    from torch._functorch.partitioners import min_cut_rematerialization_partition

    graphs: dict[str, fx.GraphModule] = {}

    def keep(name: str) -> Callable[..., Any]:
        def compiler(graph_module: fx.GraphModule, _: Any) -> Callable[..., Any]:
            if after is not None:
                after(graph_module)
            graphs[name] = graph_module
            return graph_module.forward
        return compiler

    torch._dynamo.reset()
    model = ShardedTransformer(meshes, job.sizes, job.device)
    compiled = torch.compile(model, fullgraph=True, dynamic=False, backend=aot_autograd(
        fw_compiler=keep("forward"), bw_compiler=keep("backward"), partition_fn=min_cut_rematerialization_partition))
    tokens, labels = make_inputs(job, meshes)
    loss_of(compiled(tokens), labels).backward()
    return graphs
