"""The published training jobs whose graphs are made: what they ran, as their publisher says."""
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PublishedJob:
    """One row of tests/data/published_runs/published.json, as settings of torchtitan's trainer."""

    name: str
    flavor: str  # of llama3: "8B", "70B"
    shards: int  # ranks of fully sharded data parallelism
    tensor_parallel: int
    local_batch: int  # sequences for each shard
    # "eager": torchtitan's selective checkpointing by operator, which saves every other product of a block;
    # "full": whole blocks are recomputed
    memory_policy: str
    async_tensor_parallel: bool = False
    sequence: int = 8192

    @property
    def world_size(self) -> int:
        return self.shards * self.tensor_parallel


JOBS = (
    PublishedJob("a_llama3_8b_fsdp8", "8B", 8, 1, 2, "eager"),
    PublishedJob("b_llama3_8b_fsdp128", "8B", 128, 1, 2, "eager"),
    PublishedJob("c_llama3_8b_fsdp8_tp8", "8B", 8, 8, 12, "eager"),
    PublishedJob("d_llama3_70b_fsdp32_tp8", "70B", 32, 8, 16, "full"),
)
