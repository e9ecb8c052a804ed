"""A graph whose batch `overlap` changed is the graph that PyTorch traces with that batch."""
from __future__ import annotations

import dataclasses
import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

import torch
from overlap_studio import export_graph
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

import batch_programs
from batch_programs import LENGTH, RANKS, VOCABULARY, WIDTH, Program
from cases import add_cases
from programs import overlap, run_overlap
from sharded_transformer import Sizes
from traced_graphs import Job, fake_process_group, joint_graph

JOBS = (
    Job("fsdp", (("shard", 4),)),
    Job("hybrid", (("replicate", 2), ("shard", 2))),
    Job("tensor", (("shard", 4), ("tensor", 2))),
)
PROGRAM_JOB = Job("program", (("shard", RANKS),))
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


def exported_program(program: Program, batch: int, folder: Path) -> Path:
    path = folder / f"batch{batch}.graph.json"
    with fake_process_group(PROGRAM_JOB), FakeTensorMode(allow_non_fake_inputs=True):
        parameters = [torch.empty(VOCABULARY, WIDTH, requires_grad=True), torch.empty(WIDTH, WIDTH, requires_grad=True)]
        tokens, labels = (torch.zeros(batch, LENGTH, dtype=torch.int64) for _ in range(2))
        export_graph(make_fx(lambda *inputs: program(*inputs))(parameters, tokens, labels), path, name="step")
    return path


def changed_nodes(path: Path, batch: int) -> list[dict[str, Any]]:
    changed = path.with_name("changed.graph.json")
    overlap("estimate", path, "--local-batch", str(batch), "--cost-model", "h100-sxm", "-o", changed)
    return nodes_of(changed)


class OtherBatches(unittest.TestCase):
    maxDiff = 4000

    def check(self, job: Job, before: int, after: int) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            got = changed_nodes(exported(job, before, folder), after)
            for node, wanted in zip(got, nodes_of(exported(job, after, folder)), strict=True):
                self.assertEqual(node, wanted)

    def check_equal(self, program: Program, before: int, after: int) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            got = changed_nodes(exported_program(program, before, folder), after)
            self.assertEqual(got, nodes_of(exported_program(program, after, folder)))

    def check_refused(self, program: Program, reason: str) -> None:
        with tempfile.TemporaryDirectory() as name:
            done = run_overlap("estimate", exported_program(program, 2, Path(name)), "--local-batch", "6",
                               "--cost-model", "h100-sxm")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stderr, 'node "[^"]+": the batch cannot be changed: ')
        self.assertIn(reason, done.stderr)

    def check_different(self, program: Program) -> None:
        """A limit that core/batch/README.md lists: mended ones have to leave that page."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            got = changed_nodes(exported_program(program, 2, folder), 6)
            self.assertNotEqual(got, nodes_of(exported_program(program, 6, folder)))

    def test_rows_that_a_router_chooses_are_refused(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            done = run_overlap("estimate", exported(EXPERTS, 2, Path(name)), "--local-batch", "4", "--cost-model",
                               "h100-sxm")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the batch cannot be changed", done.stderr)


add_cases(OtherBatches, OtherBatches.check, [
    (f"{job.name}_{before}_{after}", (job, before, after)) for job in JOBS for before, after in ((2, 6), (6, 4))])

add_cases(OtherBatches, OtherBatches.check_equal, [
    (f"equal_{name}_{before}_{after}", (program, before, after))
    for name, program in batch_programs.EQUAL.items() for before, after in ((2, 6), (6, 4))])
add_cases(OtherBatches, OtherBatches.check_refused, [
    (f"refused_{name}", (program, reason)) for name, (program, reason) in batch_programs.REFUSED.items()])
add_cases(OtherBatches, OtherBatches.check_different, [
    (f"different_{name}", (program,)) for name, program in batch_programs.DIFFERENT.items()])

if __name__ == "__main__":
    unittest.main()
