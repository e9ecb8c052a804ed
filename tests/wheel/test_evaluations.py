"""Evaluations in Python: the figures are the command line's, arrays agree with one another, and nothing is copied."""
from __future__ import annotations

import json
import tempfile
import unittest
import xml.etree.ElementTree
from base64 import b64decode
from pathlib import Path
from typing import Any

import numpy as np
from overlap_studio import core
from overlap_studio.errors import InputError, PassRefusal

from programs import DATA, EXPERTS, SAMPLE, SAMPLE_PLAN, SMALL, overlap_json


def named(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in rows}


class Figures(unittest.TestCase):
    """What `overlap simulate --json` prints of the same, to the last digit."""

    def check(self, graph: Path, arguments: list[str | Path], plan: core.Plan | None, **options: Any) -> None:
        given = overlap_json("simulate", graph, *arguments, "--json", "--quiet")
        step = core.evaluate(core.read_graph(graph), plan, **options)
        self.assertEqual(step.figures(), given)
        self.assertEqual((step.step_ms, step.compute_ms, step.exposed_ms, step.idle_ms, step.transfer_exposed_ms),
                         tuple(given[name] for name in ("step_ms", "compute_ms", "exposed_ms", "idle_ms",
                                                        "transfer_exposed_ms")))
        self.assertEqual((step.peak_bytes, step.torch_peak_bytes),
                         (given["peak_memory_bytes"], given["torch_peak_memory_bytes"]))
        self.assertEqual(step.beside_ms, given["beside_ms"])

    def test_as_it_is(self) -> None:
        self.check(SMALL, [], None)

    def test_with_a_plan(self) -> None:
        self.check(SAMPLE, ["--pipeline", SAMPLE_PLAN], core.read_plan(SAMPLE_PLAN))

    def test_with_another_cost_model(self) -> None:
        self.check(EXPERTS, ["--cost-model", "b200-sxm"], None, cost_model="b200-sxm")

    def test_with_links_shared(self) -> None:
        self.check(EXPERTS, ["--shared-links"], None, shared_links=True)


    def test_with_contention(self) -> None:
        model = DATA / "cost_models" / "everything.cost.json"
        self.check(SMALL, ["--cost-model", model, "--contention"], None, cost_model=model, contention=True)


class Progress(unittest.TestCase):
    def test_it_names_the_parts_of_the_plan(self) -> None:
        graph, plan, told = core.read_graph(SAMPLE), core.read_plan(SAMPLE_PLAN), list[core.EvaluationProgress]()
        core.evaluate(graph, plan, progress=told.append)
        ran = [report["pass"] for report in core.evaluate(graph, plan).reports()]
        self.assertEqual([made.part for made in told], [*ran, "simulation", "memory", ""])
        self.assertEqual([made.done for made in told], list(range(len(told))))
        self.assertEqual({made.of for made in told}, {len(told) - 1})

    def test_what_it_raises_ends_the_evaluation(self) -> None:
        def refuse(made: core.EvaluationProgress) -> None:
            raise KeyError(made.part)

        with self.assertRaises(KeyError):
            core.evaluate(core.read_graph(SMALL), progress=refuse)


class Evaluations(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.graph = core.read_graph(SAMPLE)
        cls.plan = core.read_plan(SAMPLE_PLAN)
        cls.step = core.evaluate(cls.graph, cls.plan)
        cls.simulated = overlap_json("simulate", SAMPLE, "--pipeline", SAMPLE_PLAN, "--json", "--quiet")

    def test_collectives_are_those_of_the_command_line(self) -> None:
        collectives = self.step.collectives()
        self.assertEqual([one.name for one in collectives], [row["name"] for row in self.simulated["collectives"]])
        for one, row in zip(collectives, self.simulated["collectives"]):
            for field in ("wait", "kind", "process_group", "bytes", "start_ms", "end_ms", "exposed_ms", "cause",
                          "blocker"):
                self.assertEqual(getattr(one, field), row[field], (one.name, field))
            self.assertEqual(one.explanation, row.get("explanation", ""))
            self.assertEqual(one.could_hide_ms, row.get("could_hide_ms", 0), one.name)

    def test_every_collective_of_the_input_is_a_member_of_one(self) -> None:
        before = [one.name for one in core.evaluate(self.graph).collectives()]
        members = [member for one in self.step.collectives() for member in one.members]
        self.assertEqual(sorted(members), sorted(before))
        for one in self.step.collectives():
            if one.bucket is not None:
                wanted = self.plan.buckets[one.bucket]
                self.assertTrue(all(any(module == path or module.startswith(path + ".") for path in wanted)
                                    for module in one.modules), one.name)

    def test_times_of_nodes(self) -> None:
        starts, ends, alone = self.step.node_start_ms, self.step.node_end_ms, self.step.node_times_ms
        for array in (starts, ends, alone):
            self.assertEqual((array.dtype, array.shape), (np.float64, (len(self.step.graph),)))
            self.assertFalse(array.flags.writeable)
        self.assertEqual(max(ends.max(), 0), self.step.step_ms)
        place = {name: index for index, name in enumerate(self.step.graph.node_names)}
        for one in self.step.collectives():
            self.assertEqual((starts[place[one.name]], ends[place[one.name]]), (one.start_ms, one.end_ms))
            node = place[one.name]
            np.testing.assert_allclose(ends[node] - starts[node], alone[node], rtol=1e-9)

    def test_arrays_outlive_the_evaluation(self) -> None:
        def starts() -> np.ndarray:
            return core.evaluate(core.read_graph(SMALL)).node_start_ms
        first = starts()
        kept = first.copy()
        for _ in range(5):
            starts()
        np.testing.assert_array_equal(first, kept)

    def test_origins(self) -> None:
        names, before = self.step.graph.node_names, self.step.input.node_names
        origins = self.step.node_origin
        self.assertEqual(origins.dtype, np.int64)
        for name, origin in zip(names, origins):
            if origin >= 0:
                self.assertEqual(before[origin], name)
        made = sum(1 for origin in origins if origin < 0)
        self.assertGreater(made, 30)
        buckets = self.step.node_bucket
        self.assertEqual(set(buckets.tolist()), {-1, *range(len(self.plan.buckets))})

    def test_the_graph_that_results_is_what_apply_writes(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            written = Path(scratch) / "out.graph.json"
            overlap_json("apply", SAMPLE, "--pipeline", SAMPLE_PLAN, "-o", written, "--json", "--quiet")
            self.step.graph.write(Path(scratch) / "own.graph.json")
            own = json.loads((Path(scratch) / "own.graph.json").read_text())
            self.assertEqual(own, json.loads(written.read_text()))

    def test_reports_are_those_of_apply(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            report = Path(scratch) / "report.json"
            overlap_json("apply", SAMPLE, "--pipeline", SAMPLE_PLAN, "-o", Path(scratch) / "out.graph.json", "--report",
                         report, "--json", "--quiet")
            written = json.loads(report.read_text())
        buckets = [bucket for step in self.step.reports() for bucket in step["buckets"]]
        self.assertEqual(buckets, [bucket for step in written["passes"] for bucket in step["buckets"]])

    def test_the_trace_is_that_of_simulate(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            overlap_json("simulate", SAMPLE, "--pipeline", SAMPLE_PLAN, "--json", "--quiet", "--trace",
                         Path(scratch) / "a.json")
            self.step.write_trace(Path(scratch) / "b.json")
            self.assertEqual((Path(scratch) / "a.json").read_bytes(), (Path(scratch) / "b.json").read_bytes())

    def test_problems_say_what_they_concern(self) -> None:
        plan = core.make_plan(self.graph, ["layers.0", "layer.1"])
        (problem,) = [one for one in core.evaluate(self.graph, plan).problems if one.kind == "unknown_module"]
        self.assertEqual(problem.plan_entry, 1)
        self.assertIn("layers.1", problem.message)
        self.assertIn(problem.severity, ("caution", "error"))

    def test_a_refused_plan(self) -> None:
        plan = core.make_plan(self.graph, ["layers.0", "layers.0"])
        with self.assertRaises(InputError) as caught:
            core.evaluate(self.graph, plan)
        self.assertIn("step 1 (manual_overlap_bucketing)", str(caught.exception))
        self.assertIsInstance(caught.exception, (InputError, PassRefusal))
        lenient = core.evaluate(self.graph, plan, strict=False)
        self.assertIn(caught.exception.problem, lenient.refusal or "")
        self.assertEqual(lenient.step_ms, core.evaluate(self.graph).step_ms)
        self.assertIsNone(self.step.refusal)

    def test_contention_without_factors(self) -> None:
        with self.assertRaisesRegex(InputError, "contention"):
            core.evaluate(core.read_graph(SMALL), contention=True)


class Timelines(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.step = core.evaluate(core.read_graph(SAMPLE), core.read_plan(SAMPLE_PLAN))
        cls.timeline = cls.step.timeline

    def test_lanes_are_streams(self) -> None:
        compute, *groups = self.timeline.lanes
        self.assertEqual((compute.kind, {lane.kind for lane in groups}), ("compute", {"process_group"}))
        for lane in self.timeline.lanes:
            for array in (lane.start_ns, lane.end_ns, lane.exposed_ns, lane.node, lane.is_stall):
                self.assertEqual(array.shape, (len(lane),))
                self.assertFalse(array.flags.writeable)
            self.assertTrue(np.all(lane.start_ns[1:] >= lane.end_ns[:-1]))
            names = self.step.graph.node_names
            self.assertEqual(lane.names, [names[node] for node in lane.node])
        stalled = (compute.end_ns - compute.start_ns)[compute.is_stall == 1].sum()
        self.assertAlmostEqual(stalled / 1e6, self.step.exposed_ms, delta=len(compute) * 1e-6)
        self.assertEqual(self.timeline.end_ns, round(self.step.step_ms * 1e6))

    def test_memory_is_what_kinds_add_up_to(self) -> None:
        memory = self.timeline.memory
        self.assertEqual(memory.bytes.max(), self.step.peak_bytes)
        self.assertTrue(np.all(np.diff(memory.time_ns) >= 0))
        kinds = memory.by_kind
        self.assertIn("saved_activations", kinds)
        np.testing.assert_array_equal(sum(kinds.values()), memory.bytes)
        peak = int(memory.bytes.argmax())
        given = self.step.figures()["peak"]["by_kind"]
        self.assertEqual({kind: int(column[peak]) for kind, column in kinds.items()}, given)

    def test_they_show_themselves(self) -> None:
        for shown, title in ((self.timeline, "Timeline"), (self.timeline.memory, "Memory held over the step")):
            svg = xml.etree.ElementTree.fromstring(shown.svg())
            space = "{http://www.w3.org/2000/svg}"
            self.assertEqual(svg.tag, space + "svg")
            self.assertEqual(svg.findtext(space + "title"), title)
            self.assertIn(".stall", svg.findtext(space + "style") or "")
            self.assertGreater(len(svg.findall(space + "path")), 5)
            html = shown._repr_html_()
            encoded = html.partition("base64,")[2].partition('"')[0]
            self.assertEqual(b64decode(encoded).decode(), shown.svg())
        drawn = {path.get("class") for path in xml.etree.ElementTree.fromstring(self.timeline.svg()).iter()}
        self.assertIn("stall", drawn)
        whole = self.step._repr_html_()
        self.assertRegex(whole, r"step 243\d(\.\d)? ms")
        self.assertEqual(whole.count("<img "), 2)


if __name__ == "__main__":
    unittest.main()
