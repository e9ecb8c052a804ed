"""Plans that `overlap search` finds, run by PyTorch and by `overlap`."""
from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from overlap_studio.export import export_graph, graph_document

from analytic_times import AnalyticTimes, cost_model
from cases import add_cases
from comparison import compare, copy_graph
from pass_cases import GraphsOfJob
from programs import overlap
from reference_passes import Pipeline

EFFORT = 120
SEARCHES: dict[str, dict[str, Any]] = {
    "any_peak": {"--seed": 1},
    "within_the_baseline": {"--seed": 2, "--memory-limit": "baseline"},
}


def find_plan(graph_module: Any, folder: Path, options: dict[str, Any]) -> dict[str, Any]:
    """The plan document that a search writes for the graph with the times of AnalyticTimes."""
    graph_module = copy_graph(graph_module)
    groups = [group["name"] for group in graph_document(graph_module, name="groups")["process_groups"]]
    costs = cost_model(groups)
    graph, plan = folder / "graph.graph.json.gz", folder / "found.plan.json"
    export_graph(graph_module, graph, cost_model=costs, estimate=AnalyticTimes(costs))
    chosen = [str(part) for option in options.items() for part in option]
    overlap("search", graph, "--effort", str(EFFORT), *chosen, "-o", plan)
    return json.loads(plan.read_text(encoding="utf-8"))


def passes_of(plan: dict[str, Any]) -> Pipeline:
    """The plan's steps as PyTorch's passes are called: with its buckets where they take them. Overlaps by hand are no
    pass of PyTorch's, and are left out."""
    buckets = [entry["modules"] for entry in plan["buckets"]]
    pipeline = []
    for step in plan["pipeline"]:
        if not step.get("enabled", True):
            continue
        options = dict(step["options"] or {})
        for option, passes in (("module_bucket_plans", ("manual_overlap_bucketing",
                                                        "joint_transformer_block_bucketing_reordering_pass")),
                               ("fsdp_manual_buckets", ("transformer_block_bucketing_reordering_pass",))):
            if step["pass"] in passes and not options.get(option):
                options[option] = buckets
        pipeline.append({"pass": step["pass"], "options": options})
    return pipeline


def check(test: GraphsOfJob, kind: str, options: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        plan = find_plan(test.graphs[kind], Path(scratch), options)
    pipeline = passes_of(plan)
    test.assertTrue(pipeline, "the best plan does nothing, so nothing is compared")
    outcome = compare(test.graphs[kind], pipeline)
    test.assertIsNone(outcome.disagreement(), pipeline)
    test.assertEqual((outcome.expected_error, outcome.actual_error), ("", ""), pipeline)


def add_found_plans(test_class: type[GraphsOfJob]) -> None:
    """A test for each kind of graph and each search."""
    add_cases(test_class, check, ((f"found_plan_{kind}_{name}", (kind, options))
                                  for kind in test_class.kinds for name, options in SEARCHES.items()))
