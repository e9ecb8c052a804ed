"""A small transformer whose weights are shards, gathered where they are used: FSDP as a compiler sees it.

Beside it tensor parallelism with sharded sequences, and expert parallelism with an exchange of tokens. Every weight is a
plain parameter, a shard; DTensor makes the gathers, and the scatters of their gradients.
"""
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.distributed._functional_collectives as collectives
import torch.nn.functional as functional
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard


@dataclass(frozen=True)
class Sizes:
    """What the model is like, and how many ranks share its parts."""

    layers: int = 3
    width: int = 32
    heads: int = 4
    hidden: int = 64
    vocabulary: int = 64
    experts: int = 0  # of every second layer; 0: no layer has any
    param_dtype: torch.dtype = torch.bfloat16
    reduce_dtype: torch.dtype = torch.float32
    shard_dim: int = 0  # of each weight; 1 makes gathers that are split and joined again


@dataclass(frozen=True)
class Meshes:
    """Who shares what. A part that is None is not parallel."""

    data: DeviceMesh  # one dimension: weights are sharded over it; two: replicated over the first
    tensor: DeviceMesh | None = None
    experts: DeviceMesh | None = None
    expert_data: DeviceMesh | None = None  # over which the weights of experts are sharded


class Gathered:
    """How a shard becomes a weight, and its gradient a shard again."""

    def __init__(self, mesh: DeviceMesh, sizes: Sizes, shard_dim: int | None = None) -> None:
        self.mesh = mesh
        self.dim = sizes.shard_dim if shard_dim is None else shard_dim
        self.sizes = sizes

    def shard(self, *shape: int, device: str) -> nn.Parameter:
        """A parameter: this rank's part of a weight of this shape. Where the ranks do not divide it, the last has less."""
        local = list(shape)
        dim, along = min(self.dim, len(local) - 1), self.mesh.ndim - 1
        part = -(-shape[dim] // self.mesh.size(along))
        local[dim] = max(0, min(part, shape[dim] - part * self.mesh.get_local_rank(along)))
        generator = torch.Generator().manual_seed(sum(shape))
        return nn.Parameter((torch.rand(local, generator=generator) - 0.5).to(device) / 4)

    def weight(self, shard: torch.Tensor, *shape: int) -> torch.Tensor:
        """The whole weight of this shape, in the dtype of the computation."""
        replicas = self.mesh.ndim - 1
        placements = [Replicate()] * replicas + [Shard(min(self.dim, shard.dim() - 1))]
        stride = [math.prod(shape[place + 1:]) for place in range(len(shape))]
        sharded = DTensor.from_local(shard, self.mesh, placements, run_check=False, shape=torch.Size(shape),
                                     stride=tuple(stride))
        whole = sharded.redistribute(placements=[Replicate()] * self.mesh.ndim, forward_dtype=self.sizes.param_dtype,
                                     backward_dtype=self.sizes.reduce_dtype)
        return whole.to_local(grad_placements=[Partial("sum")] * self.mesh.ndim)


class Linear(nn.Module):
    def __init__(self, gathered: Gathered, inputs: int, outputs: int, device: str) -> None:
        super().__init__()
        self.gathered, self.shape = gathered, (outputs, inputs)
        self.shard = gathered.shard(*self.shape, device=device)

    def forward(self, value: torch.Tensor) -> torch.Tensor:
        return functional.linear(value, self.gathered.weight(self.shard, *self.shape))


class Norm(nn.Module):
    def __init__(self, gathered: Gathered, width: int, device: str) -> None:
        super().__init__()
        self.gathered = gathered
        self.shard = gathered.shard(width, device=device)

    def forward(self, value: torch.Tensor) -> torch.Tensor:
        return functional.rms_norm(value, [value.shape[-1]], self.gathered.weight(self.shard, value.shape[-1]))


class Attention(nn.Module):
    """Causal attention. With tensor parallelism each rank has some heads, and the sequence is in parts outside."""

    def __init__(self, meshes: Meshes, sizes: Sizes, device: str) -> None:
        super().__init__()
        ranks = 1 if meshes.tensor is None else meshes.tensor.size()
        gathered = Gathered(meshes.data, sizes)
        self.heads, self.mesh = sizes.heads // ranks, meshes.tensor
        self.wq, self.wk, self.wv = (Linear(gathered, sizes.width, sizes.width // ranks, device) for _ in range(3))
        self.wo = Linear(gathered, sizes.width // ranks, sizes.width, device)

    def forward(self, value: torch.Tensor) -> torch.Tensor:
        value = gather_sequence(value, self.mesh)
        batch, length, _ = value.shape
        query, key, content = (
            linear(value).view(batch, length, self.heads, -1).transpose(1, 2) for linear in (self.wq, self.wk, self.wv)
        )
        mixed = functional.scaled_dot_product_attention(query, key, content, is_causal=True)
        return scatter_sequence(self.wo(mixed.transpose(1, 2).reshape(batch, length, -1)), self.mesh)


class FeedForward(nn.Module):
    def __init__(self, meshes: Meshes, sizes: Sizes, device: str) -> None:
        super().__init__()
        ranks = 1 if meshes.tensor is None else meshes.tensor.size()
        gathered = Gathered(meshes.data, sizes)
        self.mesh = meshes.tensor
        self.w1 = Linear(gathered, sizes.width, sizes.hidden // ranks, device)
        self.w2 = Linear(gathered, sizes.hidden // ranks, sizes.width, device)
        self.w3 = Linear(gathered, sizes.width, sizes.hidden // ranks, device)

    def forward(self, value: torch.Tensor) -> torch.Tensor:
        value = gather_sequence(value, self.mesh)
        return scatter_sequence(self.w2(functional.silu(self.w1(value)) * self.w3(value)), self.mesh)


class Experts(nn.Module):
    """Each rank of a group has some experts; tokens go to the ranks in equal parts and come back."""

    def __init__(self, meshes: Meshes, sizes: Sizes, device: str) -> None:
        super().__init__()
        assert meshes.experts is not None and meshes.expert_data is not None
        self.mesh, self.local = meshes.experts, sizes.experts // meshes.experts.size()
        self.router = Linear(Gathered(meshes.data, sizes), sizes.width, sizes.experts, device)
        self.gathered = Gathered(meshes.expert_data, sizes, shard_dim=1)
        self.inner, self.outer = (self.local, sizes.hidden, sizes.width), (self.local, sizes.width, sizes.hidden)
        self.w1 = self.gathered.shard(*self.inner, device=device)
        self.w2 = self.gathered.shard(*self.outer, device=device)

    def forward(self, value: torch.Tensor) -> torch.Tensor:
        batch, length, width = value.shape
        scores = functional.softmax(self.router(value).float(), dim=-1).max(dim=-1, keepdim=True).values
        tokens = exchange((value * scores.to(value.dtype)).reshape(-1, width), self.mesh)
        tokens = tokens.view(self.local, -1, width)
        hidden = functional.silu(torch.bmm(tokens, self.gathered.weight(self.w1, *self.inner).transpose(1, 2)))
        result = torch.bmm(hidden, self.gathered.weight(self.w2, *self.outer).transpose(1, 2))
        return exchange(result.reshape(-1, width), self.mesh).view(batch, length, width)


class Block(nn.Module):
    def __init__(self, meshes: Meshes, sizes: Sizes, with_experts: bool, device: str) -> None:
        super().__init__()
        gathered = Gathered(meshes.data, sizes)
        self.attention_norm, self.ffn_norm = (Norm(gathered, sizes.width, device) for _ in range(2))
        self.attention = Attention(meshes, sizes, device)
        kind = Experts if with_experts else FeedForward
        setattr(self, "moe" if with_experts else "feed_forward", kind(meshes, sizes, device))

    def forward(self, value: torch.Tensor) -> torch.Tensor:
        value = value + self.attention(self.attention_norm(value))
        feed_forward = self.moe if hasattr(self, "moe") else self.feed_forward
        return value + feed_forward(self.ffn_norm(value))


class Embedding(nn.Module):
    def __init__(self, gathered: Gathered, sizes: Sizes, device: str) -> None:
        super().__init__()
        self.gathered, self.shape = gathered, (sizes.vocabulary, sizes.width)
        self.shard = gathered.shard(*self.shape, device=device)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return functional.embedding(tokens, self.gathered.weight(self.shard, *self.shape))


class ShardedTransformer(nn.Module):
    def __init__(self, meshes: Meshes, sizes: Sizes, device: str) -> None:
        super().__init__()
        gathered = Gathered(meshes.data, sizes)
        self.tok_embeddings = Embedding(gathered, sizes, device)
        self.layers = nn.ModuleDict({
            str(index): Block(meshes, sizes, sizes.experts > 0 and index % 2 == 1, device)
            for index in range(sizes.layers)
        })
        self.norm = Norm(gathered, sizes.width, device)
        self.lm_head = Linear(gathered, sizes.width, sizes.vocabulary, device)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        value = self.tok_embeddings(tokens)
        for block in self.layers.values():
            value = block(value)
        return self.lm_head(self.norm(value))


def loss_of(prediction: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    return functional.cross_entropy(prediction.float().flatten(0, 1), labels.flatten())


def gather_sequence(value: torch.Tensor, mesh: DeviceMesh | None) -> torch.Tensor:
    """The whole sequence of which each rank of a tensor-parallel group has a part."""
    return value if mesh is None else collectives.all_gather_tensor_autograd(value, 1, mesh)


def scatter_sequence(value: torch.Tensor, mesh: DeviceMesh | None) -> torch.Tensor:
    """The sum over the ranks, of which each keeps its part of the sequence."""
    return value if mesh is None else collectives.reduce_scatter_tensor_autograd(value, "sum", 1, mesh)


def exchange(tokens: torch.Tensor, mesh: DeviceMesh) -> torch.Tensor:
    """The n-th part of every rank's tokens, for the n-th rank."""
    parts = [tokens.shape[0] // mesh.size()] * mesh.size()
    return collectives.all_to_all_single_autograd(tokens, parts, parts, mesh)
