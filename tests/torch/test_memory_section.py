"""A plan's memory section in a job: both modes make what the application showed."""
from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from typing import Any

import torch._functorch._activation_offloading.offload_ops  # noqa: F401 (registers operators)
import torch.fx as fx
from overlap_studio.apply import apply_plan
from overlap_studio.errors import PlanError
from overlap_studio.export import graph_document

from cases import add_cases
from comparison import copy_graph
from job_plans import BLOCKS, applied_by_overlap, make_job_plan, plan_document, step
from reference_passes import trainer
from traced_graphs import Job, fake_process_group, joint_graph

from compare_graphs import difference

FSDP = Job("fsdp", (("shard", 4),))
TENSOR = Job("tensor", (("shard", 4), ("tensor", 2)), rank=3)
PIPELINE = [step("eliminate_dead_code_pass"), step("canonicalize_graph_pass"),
            step("deduplicate_fsdp_unshard_chains_pass"),
            step("joint_transformer_block_bucketing_reordering_pass", module_bucket_plans=BLOCKS)]
KEEP = {"action": "keep", "modules": "layers.[1-2]"}
POLICIES: dict[str, dict[str, Any]] = {
    "default": {"policy": "default"},
    "full": {"policy": "full"},
    "eager": {"policy": "eager"},
    "offload": {"policy": "sac_and_offload"},
}
RULES: dict[str, dict[str, Any]] = {
    "keep": {"policy": "full", "rules": [KEEP]},
    "save_all": {"rules": [{"action": "save"}]},
    "by_operator": {"rules": [{"action": "recompute", "operators": "aten.mm.default"}, KEEP]},
    "offload_rule": {"rules": [{"action": "offload", "modules": "layers.0", "operators": "aten.mm.default"}]},
}


class MemorySection(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        trainer()  # stands in for what torchtitan imports and these passes do not use

    def check(self, job: Job, memory: dict[str, Any], mode: str) -> None:
        with fake_process_group(job) as meshes, tempfile.TemporaryDirectory() as folder:
            gm = copy_graph(joint_graph(job, meshes))
            plan = make_job_plan(gm, plan_document(PIPELINE, memory=memory), Path(folder))
            made = apply_plan(gm, plan, mode=mode)
            document = graph_document(made, name="made")
            self.assertIsNone(difference(applied_by_overlap(plan, Path(folder)), document))
            # Of other sections gathers alone may be repeated, which are in buckets then.
            if memory.get("policy") == "full":
                self.assertTrue(any("_recomputed" in node["name"] for node in document["nodes"]))

    def test_rules_need_the_mode_exact(self) -> None:
        with fake_process_group(FSDP) as meshes, tempfile.TemporaryDirectory() as folder:
            gm = copy_graph(joint_graph(FSDP, meshes))
            plan = make_job_plan(gm, plan_document(PIPELINE, memory=RULES["keep"]), Path(folder))
            with self.assertRaisesRegex(PlanError, "has the option rules, which PyTorch does not know"):
                apply_plan(gm, plan, mode="passes")

    def test_a_section_that_was_edited_after_the_export_is_refused(self) -> None:
        with fake_process_group(FSDP) as meshes, tempfile.TemporaryDirectory() as folder:
            gm: fx.GraphModule = copy_graph(joint_graph(FSDP, meshes))
            plan = make_job_plan(gm, plan_document(PIPELINE, memory=POLICIES["full"]), Path(folder))
            plan.write_text(plan.read_text(encoding="utf-8").replace('"policy": "full"', '"policy": "eager"', 1),
                            encoding="utf-8")
            with self.assertRaisesRegex(PlanError, "its memory was changed after it was exported"):
                apply_plan(gm, plan, mode="exact")


add_cases(MemorySection, MemorySection.check, [
    *((f"{job.name}_{name}_exact", (job, memory, "exact"))
      for job in (FSDP, TENSOR) for name, memory in {**POLICIES, **RULES}.items()),
    *((f"{job.name}_{name}_passes", (job, memory, "passes")) for job in (FSDP, TENSOR)
      for name, memory in POLICIES.items())])

if __name__ == "__main__":
    unittest.main()
