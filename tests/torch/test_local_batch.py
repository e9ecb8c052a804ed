"""A graph whose batch `overlap` changed is the graph that PyTorch traces with that batch."""
from __future__ import annotations

import dataclasses
import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

from overlap_studio import export_graph

from cases import add_cases
from programs import overlap, run_overlap
from sharded_transformer import Sizes
from traced_graphs import Job, fake_process_group, joint_graph

JOBS = (
    Job("fsdp", (("shard", 4),)),
    Job("hybrid", (("replicate", 2), ("shard", 2))),
    Job("tensor", (("shard", 4), ("tensor", 2))),
)
EXPERTS = Job("experts", (("expert_shard", 2), ("expert", 2)), Sizes(experts=4))


def exported(job: Job, batch: int, folder: Path) -> Path:
    path = folder / f"batch{batch}.graph.json"
    with fake_process_group(job) as meshes:
        export_graph(joint_graph(dataclasses.replace(job, batch=batch), meshes), path, name="step")
    return path


def nodes_of(path: Path) -> list[dict[str, Any]]:
    """All that a batch can change; storages have other numbers in each trace."""
    tensor = ("dtype", "shape", "stride", "storage_offset", "storage_bytes", "device")
    return [{**{key: node.get(key) for key in ("name", "op", "target", "args", "kwargs")},
             "outputs": [out and {key: out.get(key) for key in tensor} for out in node.get("outputs", [])]}
            for node in json.loads(path.read_text(encoding="utf-8"))["nodes"]]


class OtherBatches(unittest.TestCase):
    maxDiff = 4000

    def check(self, job: Job, before: int, after: int) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            changed = folder / "changed.graph.json"
            overlap("estimate", exported(job, before, folder), "--local-batch", str(after), "--cost-model", "h100-sxm",
                    "-o", changed)
            for got, wanted in zip(nodes_of(changed), nodes_of(exported(job, after, folder)), strict=True):
                self.assertEqual(got, wanted)

    def test_rows_that_a_router_chooses_are_refused(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            done = run_overlap("estimate", exported(EXPERTS, 2, Path(name)), "--local-batch", "4", "--cost-model",
                               "h100-sxm")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the batch cannot be changed", done.stderr)


add_cases(OtherBatches, OtherBatches.check, [
    (f"{job.name}_{before}_{after}", (job, before, after)) for job in JOBS for before, after in ((2, 6), (6, 4))])

if __name__ == "__main__":
    unittest.main()
