"""Plans for graphs of tests, exported for a job by `overlap export --to job` as a user does it."""
from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch.fx as fx
from overlap_studio.export import export_graph, graph_document

from analytic_times import AnalyticTimes, cost_model
from programs import overlap

Document = dict[str, Any]

BLOCKS = ["tok_embeddings", "layers.0", "layers.1", "layers.2", ["norm", "lm_head"]]


def step(name: str, **options: Any) -> Document:
    """A step of a pipeline."""
    return {"pass": name, "options": options}


def plan_document(pipeline: Sequence[Document], buckets: Sequence[Any] = (), **further: Any) -> Document:
    """A plan as the application saves it."""
    return {"format": "overlap-plan", "version": 1, "name": "a plan", "buckets": list(buckets),
            "pipeline": list(pipeline), **further}


def export_with_times(gm: fx.GraphModule, path: Path) -> None:
    """The graph's document with a time for each node and the model that they are from."""
    groups = [group["name"] for group in graph_document(gm, name="groups")["process_groups"]]
    costs = cost_model(groups)
    export_graph(gm, path, cost_model=costs, estimate=AnalyticTimes(costs))


def make_job_plan(gm: fx.GraphModule, plan: Document, folder: Path, name: str = "step") -> Path:
    """Exports the graph, and the plan on it for a job. Raises RuntimeError with the message where `overlap` refuses."""
    graph, saved, made = (folder / f"{name}{suffix}" for suffix in (".graph.json.gz", ".plan.json", ".job.plan.json"))
    export_with_times(gm, graph)
    saved.write_text(json.dumps(plan), encoding="utf-8")
    overlap("export", saved, "--graph", graph, "--to", "job", "-o", made)
    return made


def applied_by_overlap(plan: Path, folder: Path, name: str = "step") -> Document:
    """The graph that `overlap apply` makes with the plan, for the graph that make_job_plan() exported."""
    out = folder / f"{name}.applied.graph.json.gz"
    overlap("apply", folder / f"{name}.graph.json.gz", "--pipeline", plan, "-o", out)
    with gzip.open(out, "rt", encoding="utf-8") as file:
        return json.load(file)
