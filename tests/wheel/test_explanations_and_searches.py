"""Explanations, comparisons, bounds, searches and redistribution in Python: the answers are the command line's."""
from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

from overlap_studio import core
from overlap_studio.errors import InputError

from programs import EXPERTS, SAMPLE, SAMPLE_PLAN, SMALL, overlap, overlap_json


class Explanations(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.step = core.evaluate(core.read_graph(SAMPLE), core.read_plan(SAMPLE_PLAN))

    def check(self, node: str) -> None:
        given = overlap_json("explain", SAMPLE, "--node", node, "--pipeline", SAMPLE_PLAN, "--json", "--quiet")
        explained = core.explain(self.step, node)
        self.assertEqual((explained.node, explained.collective, explained.bucket, explained.sentences),
                         (node, given["collective"], given["bucket"], given["sentences"]))
        self.assertEqual(str(explained).splitlines(), [f"{sentence}." for sentence in given["sentences"]])

    def test_a_collective_that_was_merged(self) -> None:
        (merged, *_) = [one for one in self.step.collectives() if len(one.members) > 1]
        self.check(merged.name)
        self.check(merged.members[0])

    def test_a_node_of_compute(self) -> None:
        self.check(next(name for name in self.step.graph.node_names if name.startswith("mm")))

    def test_an_unknown_name(self) -> None:
        near = 'there is no node "all_gather_into_tensr"; nearest: "all_gather_into_tensor"'
        with self.assertRaisesRegex(InputError, near):
            core.explain(self.step, "all_gather_into_tensr")


class Comparisons(unittest.TestCase):
    def test_rows_are_those_of_the_command_line(self) -> None:
        graph = core.read_graph(SAMPLE)
        before, after = core.evaluate(graph), core.evaluate(graph, core.read_plan(SAMPLE_PLAN))
        compared = core.compare(before, after)
        given = overlap_json("compare", SAMPLE, "--plan", SAMPLE_PLAN, "--json", "--quiet")
        self.assertEqual(len(compared.rows), len(given["rows"]))
        for row, printed in zip(compared.rows, given["rows"]):
            self.assertEqual(row.change, printed["change"])
            for side, shown in ((row.before, printed["before"]), (row.after, printed["after"])):
                self.assertEqual(side is None, shown is None)
                if side is not None:
                    for field in ("name", "process_group", "kind", "bytes", "start_ms", "time_ms", "exposed_ms"):
                        self.assertEqual(getattr(side, field), shown[field])
        self.assertEqual((compared.before.step_ms, compared.after.step_ms), (before.step_ms, after.step_ms))
        self.assertEqual(compared.after.peak_bytes, after.peak_bytes)
        changes = sum(row.exposed_change_ms for row in compared.rows)
        self.assertAlmostEqual(changes, after.exposed_ms - before.exposed_ms)

    def test_other_graphs_cannot_be_compared(self) -> None:
        with self.assertRaisesRegex(InputError, "different graphs"):
            core.compare(core.evaluate(core.read_graph(SMALL)), core.evaluate(core.read_graph(EXPERTS)))

    def test_the_same_graph_read_twice(self) -> None:
        rows = core.compare(core.evaluate(core.read_graph(SMALL)), core.evaluate(core.read_graph(SMALL))).rows
        self.assertEqual({row.change for row in rows}, {"same"})


class Bounds(unittest.TestCase):
    def test_the_bound_is_the_command_lines(self) -> None:
        given = overlap_json("bound", SAMPLE, "--json", "--quiet")
        bound = core.bound(core.read_graph(SAMPLE))
        self.assertEqual(bound.step_ms, max(bound.ordered_ms, bound.order_free_ms))
        for field in ("ordered_ms", "order_free_ms", "least_peak_bytes", "least_peak_node"):
            if field in given:
                self.assertEqual(getattr(bound, field), given[field], field)
        self.assertEqual(bound.least_peak_bytes, given["least_peak_bytes"])
        for chain, length_ms in ((bound.chain, bound.step_ms), (bound.order_free_chain, bound.order_free_ms)):
            self.assertAlmostEqual(sum(step.end_ms - step.start_ms for step in chain), length_ms, places=6)
        any_order = core.bound(core.read_graph(SAMPLE), any_order=True)
        self.assertEqual((any_order.step_ms, any_order.ordered_ms), (bound.order_free_ms, 0))
        self.assertLessEqual(bound.step_ms, core.evaluate(core.read_graph(SAMPLE), core.read_plan(SAMPLE_PLAN)).step_ms)

    def test_a_limit_that_nothing_keeps(self) -> None:
        with self.assertRaises(InputError):
            core.bound(core.read_graph(SMALL), memory_limit=1)


class Searches(unittest.TestCase):
    def test_the_plan_is_the_command_lines(self) -> None:
        told: list[core.SearchProgress] = []
        found = core.search(core.read_graph(SMALL), effort=60, progress=told.append)
        with tempfile.TemporaryDirectory() as scratch:
            plan, report = Path(scratch) / "found.plan.json", Path(scratch) / "report.json"
            overlap("search", SMALL, "--effort", "60", "-o", plan, "--report", report, "--quiet")
            self.assertEqual(found.plan, core.read_plan(plan))
            self.assertEqual(found.report(), json.loads(report.read_text(encoding="utf-8")))
        self.assertLessEqual(told[-1].evaluations, found.evaluations)  # those of its elements come after it
        self.assertGreater(len(told), 1)
        self.assertEqual([one.evaluations for one in told], sorted(one.evaluations for one in told))
        self.assertEqual(found.best.step_ms, min(point.step_ms for point in found.front))
        self.assertGreaterEqual(found.best.step_ms, found.bound.step_ms)
        self.assertFalse(found.stopped)

    def test_locks_are_the_command_lines(self) -> None:
        graph = core.read_graph(SMALL)
        start = core.plan_by_block(graph)
        with tempfile.TemporaryDirectory() as scratch:
            plan, found = Path(scratch) / "start.plan.json", Path(scratch) / "found.plan.json"
            start.write(plan)
            overlap("search", SMALL, "--from", plan, "--lock", "bucket:1", "--lock", "passes", "--effort", "60", "-o", found,
                    "--quiet")
            made = core.search(graph, start=start, locks=["bucket:1", "passes"], effort=60)
            self.assertEqual(made.plan, core.read_plan(found))
        self.assertEqual(made.locked, ["bucket tok_embeddings", "all passes"])
        self.assertEqual((made.plan.buckets[0], made.plan.passes), (start.buckets[0], start.passes))

    def test_locks_of_what_there_is_not(self) -> None:
        graph = core.read_graph(SMALL)
        with self.assertRaisesRegex(InputError, "no plan to start from"):
            core.search(graph, locks=["passes"])
        with self.assertRaises(InputError):
            core.search(graph, start=core.plan_by_block(graph), locks=["bucket:layers.99"])

    def test_progress_may_end_it(self) -> None:
        found = core.search(core.read_graph(SMALL), effort=100_000, progress=lambda made: False)
        self.assertTrue(found.stopped)
        self.assertLess(found.evaluations, 100_000)
        self.assertEqual(found.best.refusal, "")

    def test_what_progress_raises_comes_out(self) -> None:
        def fail(made: Any) -> None:
            raise LookupError(made.origin)
        with self.assertRaises(LookupError):
            core.search(core.read_graph(SMALL), effort=100_000, progress=fail)


class Redistribution(unittest.TestCase):
    CASES = {"header": {"mesh_shape": [2, 2, 2], "mesh_dim_names": ["pp", "dp", "tp"], "devices_per_host": 8,
                        "tensor_shape": [64, 48], "dtype": "float32"},
             "cases": [{"id": "one", "src": "S(0)S(0)S(0)", "dst": "RS(0)S(0)"}]}

    def test_answers_are_the_command_lines(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            cases, results = Path(scratch) / "cases.json", Path(scratch) / "results.json"
            cases.write_text(json.dumps(self.CASES), encoding="utf-8")
            overlap("redistribute", cases, "-o", results)
            given = json.loads(results.read_text(encoding="utf-8"))["cases"]
        self.assertEqual(core.redistribute(self.CASES), given)
        self.assertEqual(core.redistribute(json.dumps(self.CASES)), given)
        self.assertIn("optimal", given[0]["plans"])

    def test_a_wrong_case_has_its_place(self) -> None:
        with self.assertRaises(InputError) as caught:
            core.redistribute({**self.CASES, "cases": [{"id": "one", "src": "S(0)S(0)S(0)", "dst": "X"}]}, "mine")
        self.assertEqual(caught.exception.file, "mine")
        self.assertIn("cases[0]", caught.exception.place)


if __name__ == "__main__":
    unittest.main()
