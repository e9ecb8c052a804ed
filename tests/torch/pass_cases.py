"""The cases of each traced graph: which passes with which options are run on it by PyTorch and by `overlap`."""
from __future__ import annotations

import contextlib
import io
import logging
import unittest
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import torch.fx as fx

from cases import add_cases
from comparison import compare
from reference_passes import Pipeline
from traced_graphs import Job, compiled_graphs, fake_process_group, joint_graph

MODES = (None, "default", "coalesced", "custom_ops", "custom_ops_multidtype")
JOINT_PASS = "joint_transformer_block_bucketing_reordering_pass"
BLOCK_PLAN = ["tok_embeddings", "layers.0", "layers.1", "layers.2", ["norm", "lm_head"]]
PLANS = {
    "blocks": BLOCK_PLAN,
    "joined": [["tok_embeddings", "layers.0"], ["layers.1", "layers.2"], ["norm", "lm_head"]],
    "parts": [["layers.0.attention", "layers.0.attention_norm"], "layers.0.feed_forward", "layers.2"],
    "one": ["layers.1"],
}
SCHEDULES: tuple[dict[str, Any], ...] = (
    {},
    {"collective_bucketing": True},
    {"collective_bucketing": True, "insert_overlap_deps": True},
    {"collective_bucketing": True, "bucket_mode": "custom_ops_multidtype", "pre_bucketing_fsdp_collectives": False},
    {"pre_bucketing_fsdp_collectives": False, "enable_fusion_regions": True, "bucket_exposed_first": True},
    {"collective_bucketing": True, "max_compute_pre_fetch": 3, "max_memory_increase_gb": 0.0001},
)
STAND_ALONE = ("bucket_all_gather", "bucket_reduce_scatter", "bucket_all_reduce", "pre_bucket_fsdp_collectives")
TRAINER = ("eliminate_dead_code_pass", "canonicalize_graph_pass", "deduplicate_fsdp_unshard_chains_pass",
           "reassign_collective_pgs_pass", "isolate_ep_process_group_pass")


def step(name: str, **options: Any) -> dict[str, Any]:
    return {"pass": name, "options": options}


def pipelines(joint: bool) -> Iterator[tuple[str, Pipeline]]:
    """All modes of bucketing by blocks, other plans with one mode each, and every other pass."""
    of_joint = {"module_stack_fn": "custom.module_fqn"} if joint else {}
    for index, mode in enumerate(MODES):
        for dependencies in (False, True):
            yield f"manual_blocks_{mode}_{dependencies}", [
                step("manual_overlap_bucketing", module_bucket_plans=BLOCK_PLAN, bucket_mode=mode,
                     insert_overlap_deps=dependencies, **of_joint)]
        for name in list(PLANS)[1:]:
            if (index + len(name)) % 2:
                yield f"manual_{name}_{mode}", [
                    step("manual_overlap_bucketing", module_bucket_plans=PLANS[name], bucket_mode=mode, **of_joint)]
    for index, options in enumerate(SCHEDULES):
        yield f"schedule_{index}", [step("schedule_overlap_bucketing", **options)]
    for name in STAND_ALONE:  # they leave nodes in front of their inputs, and Inductor sorts behind them
        yield name, [step(name), step("stable_topological_sort")]
    if joint:
        yield from joint_pipelines()


def joint_pipelines() -> Iterator[tuple[str, Pipeline]]:
    """torchtitan's passes, one by one and as its pipeline has them."""
    for index, mode in enumerate(MODES):
        yield f"joint_blocks_{mode}", [step(JOINT_PASS, module_bucket_plans=BLOCK_PLAN, bucket_mode=mode,
                                            insert_overlap_deps=index % 2 == 1)]
    for name in list(PLANS)[1:]:
        yield f"joint_{name}", [step(JOINT_PASS, module_bucket_plans=PLANS[name])]
    for name in TRAINER:
        yield name, [step(name)]
    yield "trainer", [*(step(name) for name in TRAINER), step(JOINT_PASS, module_bucket_plans=BLOCK_PLAN)]


class GraphsOfJob(unittest.TestCase):
    """Tests on the graphs of one job, which are traced once and stay as they are."""

    job: Job
    graphs: dict[str, fx.GraphModule]
    kinds: tuple[str, ...] = ("joint", "forward", "backward")
    after: Callable[[fx.GraphModule], None] | None = None  # what is done to forward and backward graphs first
    _resources: ExitStack

    @classmethod
    def setUpClass(cls) -> None:
        logging.disable(logging.WARNING)  # passes tell what they do, and that there is no GPU
        cls._resources = ExitStack()
        cls.addClassCleanup(cls._resources.close)
        meshes = cls._resources.enter_context(fake_process_group(cls.job))
        with contextlib.redirect_stderr(io.StringIO()):  # torch tells about boxed arguments and the like
            cls.graphs = {"joint": joint_graph(cls.job, meshes)} if "joint" in cls.kinds else {}
            if "forward" in cls.kinds:
                cls.graphs.update(compiled_graphs(cls.job, meshes, cls.after))

    def check(self, kind: str, pipeline: Pipeline, write_times: bool) -> None:
        outcome = compare(self.graphs[kind], pipeline, write_times=write_times)
        self.assertIsNone(outcome.disagreement())
        self.assertEqual((outcome.expected_error, outcome.actual_error), ("", ""))  # none of these has to be refused


def add_pass_cases(test_class: type[GraphsOfJob]) -> None:
    """A test for each kind of graph and each pipeline; every second one has its times in the file."""
    for kind in test_class.kinds:
        add_cases(test_class, test_class.check, (
            (f"{kind}_{name}", (kind, pipeline, index % 2 == 0))
            for index, (name, pipeline) in enumerate(pipelines(kind == "joint"))))
