"""Settings that a plan asks of process groups which its passes create: given to NCCL, told where they cannot be."""
from __future__ import annotations

import json
import tempfile
import unittest
import warnings
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import torch.distributed as dist
from overlap_studio import extra_groups
from overlap_studio.apply import apply_plan
from overlap_studio.errors import PlanError
from overlap_studio.job_plan import NCCL_FIELDS, read_job_plan, section_digest

from cases import add_cases
from comparison import copy_graph
from job_plans import BLOCKS, make_job_plan, plan_document, step
from reference_passes import trainer
from traced_graphs import Job, fake_process_group, joint_graph

JOB = Job("fsdp", (("shard", 4),))
PIPELINE = [step("reassign_collective_pgs_pass"),
            step("joint_transformer_block_bucketing_reordering_pass", module_bucket_plans=BLOCKS)]
ASKED = {"high_priority": True, "min_ctas": 4, "max_ctas": 16, "cga_cluster_size": 2, "nvls_ctas": 8,
         "cta_policy": 2, "traffic_class": 0}


def setUpModule() -> None:
    global GRAPH, PLAN, CREATED, OF_JOB, FOLDER
    FOLDER = tempfile.TemporaryDirectory()
    trainer()
    with fake_process_group(JOB) as meshes:
        GRAPH = joint_graph(JOB, meshes)
        groups = section(make_job_plan(GRAPH, plan_document(PIPELINE), Path(FOLDER.name)))["process_groups"]
        CREATED, OF_JOB = groups["created"][0]["name"], groups["of_graph"][0]["name"]
        PLAN = exported({"name": CREATED, **ASKED})


def tearDownModule() -> None:
    FOLDER.cleanup()


def section(plan: Path) -> dict[str, Any]:
    job: dict[str, Any] = json.loads(plan.read_text(encoding="utf-8"))["job"]
    return job


def exported(*settings: Any) -> Path:
    return make_job_plan(GRAPH, plan_document(PIPELINE, process_groups=list(settings)), Path(FOLDER.name), "settings")


def options_given(group: dict[str, Any], known: Sequence[str] = tuple(NCCL_FIELDS)) -> Any:
    """What torch.distributed is given for a group, where the job's backend is an NCCL that knows these fields."""
    def options(**given: Any) -> SimpleNamespace:
        return SimpleNamespace(**given, config=SimpleNamespace(**dict.fromkeys(known)))

    nccl = SimpleNamespace(Options=options)
    with fake_process_group(JOB), mock.patch.object(dist, "ProcessGroupNCCL", nccl, create=True), \
            mock.patch.object(dist, "get_backend", return_value="nccl"), \
            mock.patch.object(dist, "new_group") as new_group:
        new_group.return_value = dist.group.WORLD
        extra_groups._create(dist.group.WORLD.group_name, group)
    return new_group.call_args.kwargs["pg_options"]


class Nccl(unittest.TestCase):
    def test_the_job_carries_what_the_plan_asks(self) -> None:
        created, = read_job_plan(PLAN).created_groups
        self.assertEqual(created["settings"], ASKED)
        self.assertFalse(created["high_priority"])

    def test_all_settings_are_given_to_nccl(self) -> None:
        options = options_given(dict(read_job_plan(PLAN).created_groups[0]))
        self.assertIs(options.is_high_priority_stream, True)
        self.assertEqual(vars(options.config), {field: value for field, value in ASKED.items() if field in NCCL_FIELDS})

    def test_what_is_not_asked_is_left_to_nccl(self) -> None:
        created = {"name": "x", "source": "0", "description": "x", "ranks": [0, 1, 2, 3], "high_priority": True}
        options = options_given(created)
        self.assertIs(options.is_high_priority_stream, True)
        self.assertEqual(set(vars(options.config).values()), {None})
        self.assertIsNone(options_given({**created, "high_priority": False}))
        self.assertIsNone(options_given({**created, "settings": {"high_priority": False}}))

    def test_what_this_nccl_does_not_have_is_refused(self) -> None:
        with self.assertRaisesRegex(PlanError, "asks for cta_policy of a process group, which this PyTorch's NCCL does"):
            options_given(dict(read_job_plan(PLAN).created_groups[0]),
                          [field for field in NCCL_FIELDS if field != "cta_policy"])


class OtherBackends(unittest.TestCase):
    def test_what_is_ignored_is_told(self) -> None:
        for mode, words in (("exact", "of the backend fake: the plan's settings .high_priority, min_ctas, max_ctas, "
                                      "cga_cluster_size, nvls_ctas, cta_policy, traffic_class. are for NCCL and are ignored"),
                            ("passes", "torchtitan's passes set up these process groups themselves")):
            with self.subTest(mode), fake_process_group(JOB), self.assertWarnsRegex(UserWarning, words):
                apply_plan(copy_graph(GRAPH), PLAN, mode=mode)

    def test_without_settings_nothing_is_told(self) -> None:
        with fake_process_group(JOB), warnings.catch_warnings():
            plan = make_job_plan(GRAPH, plan_document(PIPELINE), Path(FOLDER.name))
            warnings.filterwarnings("error", message=".*settings.*")
            apply_plan(copy_graph(GRAPH), plan, mode="exact")


class Refused(unittest.TestCase):
    def check_export(self, settings: Any, words: str) -> None:
        with fake_process_group(JOB), self.assertRaisesRegex(RuntimeError, words):
            exported(settings)

    def check_section(self, settings: Any, words: str) -> None:
        document = json.loads(PLAN.read_text(encoding="utf-8"))
        job = document["job"]
        job["process_groups"]["created"][0]["settings"] = settings
        changed = Path(FOLDER.name) / "changed.job.plan.json"
        changed.write_text(json.dumps(document), encoding="utf-8")
        with self.assertRaisesRegex(PlanError, "job: this section was changed after it was exported"):
            read_job_plan(changed)
        job["digest"] = section_digest(job)
        changed.write_text(json.dumps(document), encoding="utf-8")
        with self.assertRaisesRegex(PlanError, r"job.process_groups.created\[0\].settings" + words):
            read_job_plan(changed)


add_cases(Refused, Refused.check_export, [
    ("number_in_a_plan", ({"name": "0", "max_ctas": 100}, r"process_groups\[0\].max_ctas: found 100, expected")),
    ("group_in_a_plan", ({"name": "nobody"}, r"process_groups\[0\].name: there is no process group")),
])
add_cases(Refused, Refused.check_section, [
    ("list", ([1], ": found a list, expected an object")),
    ("no_priority", ({}, ": has no high_priority")),
    ("priority", ({"high_priority": 1}, ".high_priority: found 1, expected true or false")),
    ("too_many", ({**ASKED, "max_ctas": 65}, ".max_ctas: found 65, expected a number from 1 to 64")),
    ("more_than_most", ({**ASKED, "min_ctas": 32}, ".min_ctas: found 32, expected a number from 1 to 16")),
    ("unknown", ({**ASKED, "channels": 2}, ".channels: there is no such setting")),
])


if __name__ == "__main__":
    unittest.main()
