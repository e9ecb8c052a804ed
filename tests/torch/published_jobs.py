"""The published training jobs whose graphs are made: what they ran, as their publisher says."""
from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Sizes:
    """A model that torchtitan 0.3.0 has no configuration of, built of the layers of llama3."""

    dim: int
    layers: int
    heads: int
    key_value_heads: int
    feed_forward: int
    vocabulary: int = 32000


SIZES = {
    "llama2 7B": Sizes(4096, 32, 32, 32, 11008),
    "llama2 13B": Sizes(5120, 40, 40, 40, 13824),
    "llama2 70B": Sizes(8192, 80, 64, 8, 28672),
}


@dataclass(frozen=True)
class PublishedJob:
    """One row of tests/data/published_runs/published.json, as settings of torchtitan's trainer."""

    name: str
    flavor: str  # of llama3: "8B", "70B"; or a name in SIZES
    shards: int  # ranks of fully sharded data parallelism
    tensor_parallel: int
    local_batch: int  # sequences for each shard
    # "eager": torchtitan's selective checkpointing by operator, which saves every other product of a block;
    # "blocks": whole blocks are recomputed; "full": the same, but the result of attention is kept; "none": only
    # parameters are gathered again; "default": the trainer's, which keeps all products
    memory_policy: str
    async_tensor_parallel: bool = False
    sequence: int = 8192
    replicas: int = 1  # of hybrid sharding: groups of shards that hold the same
    model: str = "llama3"  # or "deepseek_v3", whose flavors are "debugmodel" and "16B"
    expert_parallel: int = 1
    balanced: bool = False  # the router gives each expert as many tokens, whatever it finds
    # Modules whose batch the trainer halves to hide all-to-alls, of its "graph" strategy; such a graph is taken before
    # the trainer's memory passes.
    expert_overlap: str | None = None

    @property
    def world_size(self) -> int:
        return self.replicas * self.shards * self.tensor_parallel


_DEEPSEEK_OVER_32_H100 = PublishedJob(
    "h100_deepseek_v3_16b_fsdp32_ep32", "16B", 32, 1, 4, "default", sequence=4096, model="deepseek_v3",
    expert_parallel=32, balanced=True)

JOBS = (
    PublishedJob("a_llama3_8b_fsdp8", "8B", 8, 1, 2, "eager"),
    PublishedJob("b_llama3_8b_fsdp128", "8B", 128, 1, 2, "eager"),
    PublishedJob("c_llama3_8b_fsdp8_tp8", "8B", 8, 8, 12, "eager"),
    PublishedJob("d_llama3_70b_fsdp32_tp8", "70B", 32, 8, 16, "blocks"),
    PublishedJob("a100_llama3_8b_fsdp64", "8B", 64, 1, 1, "eager"),
    PublishedJob("a100_llama3_70b_fsdp64", "70B", 64, 1, 1, "full"),
    PublishedJob("a100_llama2_13b_fsdp64_none", "llama2 13B", 64, 1, 2, "none", sequence=4096),
    PublishedJob("a100_llama2_13b_fsdp64_op", "llama2 13B", 64, 1, 2, "eager", sequence=4096),
    PublishedJob("a100_llama2_70b_fsdp64", "llama2 70B", 64, 1, 2, "full", sequence=4096),
    PublishedJob("fms_llama2_7b_hsdp8x16", "llama2 7B", 8, 1, 2, "none", sequence=4096, replicas=16),
    _DEEPSEEK_OVER_32_H100,
    PublishedJob("b200_deepseek_v3_16b_fsdp8", "16B", 8, 1, 4, "eager", sequence=4096, model="deepseek_v3"),
)

# The sample of expert overlap: the published job as it would be traced to have the batch of its blocks halved.
EXPERT_OVERLAP_SAMPLE = replace(_DEEPSEEK_OVER_32_H100, name="deepseek_v3_16b_fsdp32_ep32_halves",
                                expert_overlap="layers.*")
