"""The bound of `overlap bound`, the optimum of a solver that knows nothing of it, and what `overlap search` finds."""
from __future__ import annotations

import gzip
import json
import statistics
import tempfile
import unittest
from pathlib import Path
from typing import Any

from cases import add_cases
from least_step import Work, least_step
from programs import REPOSITORY, overlap

GRAPHS = REPOSITORY / "tests" / "data" / "graphs"
# Forward and backward of a small model, with links so many times slower: from where compute decides to where links do.
CASES = [("aot_fw", 1), ("aot_fw", 25), ("aot_reshard_fw", 60), ("aot_bw", 1), ("aot_bw", 5), ("aot_bw", 25)]
CLEAN_UPS = [{"pass": name, "options": {}} for name in ("eliminate_dead_code_pass", "canonicalize_graph_pass")]
EFFORT = 60
ORDERED_SECONDS, FREE_SECONDS = 20.0, 3.0
OPTIMUM = 1.002  # of what is proven: near enough
ROUNDING_MS = 1e-3  # each of some hundred times is rounded to nanoseconds
# The median of bound / optimum was 0.9993 when this was written.
LEAST_MEDIAN = 0.99


def with_slower_links(graph: str, factor: float) -> dict[str, Any]:
    with gzip.open(GRAPHS / f"llama3_debugmodel_fsdp8_{graph}.graph.json.gz") as file:
        document = json.load(file)
    work = Work(document)
    for link in document["cost_model"]["links"]:
        link["latency_ms"] *= factor
        link["bytes_per_s"] /= factor
    for node in document["nodes"]:
        if node.get("estimate_ms") and work.communicates(node["name"]):
            node["estimate_ms"] *= factor
    return document


class LeastStepTest(unittest.TestCase):
    ratios: list[float] = []

    @classmethod
    def tearDownClass(cls) -> None:
        if len(cls.ratios) == len(CASES) and statistics.median(cls.ratios) < LEAST_MEDIAN:
            raise AssertionError(f"the median of bound / optimum is {statistics.median(cls.ratios):.4f}")


def check(test: LeastStepTest, graph: str, factor: float) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        given, cleaned, passes = folder / "given.graph.json", folder / "cleaned.graph.json", folder / "passes.json"
        given.write_text(json.dumps(with_slower_links(graph, factor)), encoding="utf-8")
        passes.write_text(json.dumps(CLEAN_UPS), encoding="utf-8")
        overlap("apply", given, "--pipeline", passes, "-o", cleaned)
        document = json.loads(cleaned.read_text(encoding="utf-8"))
        bound = json.loads(overlap("bound", given, "--json"))
        report = folder / "report.json"
        overlap("search", given, "--effort", str(EFFORT), "-o", folder / "found.json", "--report", report)
        found_ms = json.loads(report.read_text(encoding="utf-8"))["best"]["step_ms"]
    ordered = least_step(document, True, ORDERED_SECONDS)
    free = least_step(document, False, FREE_SECONDS)
    # Any schedule of the model is above the bound; what is proven of all of them is below every plan.
    test.assertLessEqual(bound["step_ms"], ordered.step_ms + ROUNDING_MS)
    test.assertLessEqual(bound["order_free_ms"], free.step_ms + ROUNDING_MS)
    test.assertLessEqual(ordered.proven_ms, found_ms + ROUNDING_MS)
    test.assertLessEqual(ordered.step_ms, ordered.proven_ms * OPTIMUM, "the solver found no optimum")
    LeastStepTest.ratios.append(bound["step_ms"] / ordered.step_ms)


add_cases(LeastStepTest, check, [(f"{graph}_{factor}", (graph, factor)) for graph, factor in CASES])

if __name__ == "__main__":
    unittest.main()
