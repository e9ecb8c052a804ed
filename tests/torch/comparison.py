"""A traced graph, the graph that PyTorch's passes make of it, and the graph that `overlap apply` makes of its export."""
from __future__ import annotations

import gzip
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch.fx as fx
from overlap_studio.export import export_graph, graph_document
from overlap_studio.digests import first_difference, node_digests

from analytic_times import AnalyticTimes, cost_model
from programs import run_overlap
from reference_passes import Pipeline, run_pipeline, trainer

from compare_graphs import difference


def copy_graph(graph_module: fx.GraphModule) -> fx.GraphModule:
    """A copy that passes may change. It has the order of users and the memory of names too, which torch.fx's lacks."""
    graph, copies = fx.Graph(), {}
    for node in graph_module.graph.nodes:
        copy = copies[node] = graph.node_copy(node, lambda used: copies[used])
        copy.name = node.name
    for node, copy in copies.items():
        copy.users = {copies[user]: None for user in node.users}
    names, source = graph._graph_namespace, graph_module.graph._graph_namespace
    names._used_names, names._base_count = set(source._used_names), dict(source._base_count)
    copied = fx.GraphModule(graph_module, graph)
    copied.meta.update(graph_module.meta)
    return copied


@dataclass(frozen=True)
class Outcome:
    """What both sides made of one graph; an error instead of a graph where a side refused."""

    expected: dict[str, Any] | None
    expected_error: str
    actual: dict[str, Any] | None
    actual_error: str

    def disagreement(self) -> str | None:
        """A sentence that tells the first difference, or None."""
        if self.expected is None or self.actual is None:
            if (self.expected is None) == (self.actual is None):
                return None
            return f"PyTorch: {self.expected_error or 'a graph'}; overlap: {self.actual_error or 'a graph'}"
        position = first_difference(node_digests(self.expected), node_digests(self.actual))
        if position is not None:
            return (f"node {position}: PyTorch has {node_text(self.expected, position)}, overlap has "
                    f"{node_text(self.actual, position)}")
        for wanted, got in zip(self.expected["nodes"], self.actual["nodes"]):
            if wanted.get("users_order") != got.get("users_order"):
                return f"{wanted['name']}: users {got.get('users_order')}, expected {wanted.get('users_order')}"
        return difference(self.expected, self.actual)


def node_text(document: dict[str, Any], position: int) -> str:
    nodes = document["nodes"]
    fields = ("name", "target", "args", "kwargs", "outputs", "module_stack", "custom")
    return json.dumps({key: nodes[position][key] for key in fields if key in nodes[position]}) \
        if position < len(nodes) else "no more nodes"


def compare(graph_module: fx.GraphModule, pipeline: Pipeline, *, write_times: bool = True) -> Outcome:
    """Runs the pipeline on a copy of the graph with PyTorch, and on its export with `overlap`.

    @param write_times whether the export has a time for each node; without it the application computes them.
    """
    graph_module = copy_graph(graph_module)
    groups = [group["name"] for group in graph_document(graph_module, name="groups")["process_groups"]]
    costs = cost_model(groups)
    times = AnalyticTimes(costs)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        exported = folder / "graph.graph.json.gz"
        export_graph(graph_module, exported, cost_model=costs, estimate=times if write_times else None)
        actual, actual_error = _apply(exported, pipeline, folder)
    expected, expected_error = None, ""
    created = trainer()
    created.forget_groups()
    try:
        result = run_pipeline(graph_module, pipeline, times)
        expected = graph_document(result, name="result", cost_model=costs, sorted_only=False)
    except Exception as error:  # where PyTorch raises, the application has to refuse
        expected_error = f"{type(error).__name__}: {error}"
    return Outcome(expected, expected_error, actual, actual_error)


def _apply(graph: Path, pipeline: Pipeline, folder: Path) -> tuple[dict[str, Any] | None, str]:
    steps, out = folder / "pipeline.json", folder / "out.graph.json.gz"
    steps.write_text(json.dumps(list(pipeline)), encoding="utf-8")
    done = run_overlap("apply", graph, "--pipeline", steps, "-o", out)
    if done.returncode != 0:
        return None, done.stderr.strip() or f"status {done.returncode}"
    with gzip.open(out, "rt", encoding="utf-8") as file:
        return json.load(file), ""
