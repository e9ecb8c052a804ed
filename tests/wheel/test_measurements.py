"""Measured steps in Python: the answers are the command line's."""
from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

from overlap_studio import core
from overlap_studio.errors import InputError

from programs import DATA, SMALL, overlap_json

RECORDED = DATA / "traces" / "hta_nccl_data.json.gz"


class Measurements(unittest.TestCase):
    """The step of one cost model stands for a measured one."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.scratch = tempfile.TemporaryDirectory()
        cls.trace = Path(cls.scratch.name) / "trace.json"
        cls.graph = core.read_graph(SMALL)
        core.evaluate(cls.graph, cost_model="a100-sxm").write_trace(cls.trace)
        cls.step = core.evaluate(cls.graph)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.scratch.cleanup()

    def test_a_trace_has_the_figures_of_trace_stats(self) -> None:
        shares: list[float] = []
        trace = core.read_trace(RECORDED, progress=shares.append)
        (given,) = overlap_json("trace-stats", RECORDED, "--json")["ranks"]
        (device,) = trace.devices
        self.assertEqual((len(trace), trace.rank, trace.world_size, device.device),
                         (given["events"], given["rank"], given["world_size"], given["device"]))
        for field in ("span_ms", "compute_ms", "communication_ms", "exposed_ms", "memory_ms", "idle_ms", "overlap_percent"):
            self.assertEqual(getattr(device.times, field), given[field], field)
        self.assertEqual([(step.name, step.counted, step.times.span_ms) for step in device.steps],
                         [(step["name"], step["counted"], step["span_ms"]) for step in given["steps"]])
        self.assertTrue(all(0 <= share <= 1 for share in shares))

    def test_a_plan_against_a_measured_step(self) -> None:
        measured = core.compare_with_trace(self.step, [core.read_trace(self.trace)])
        given = overlap_json("compare", SMALL, "--trace", self.trace, "--json", "--quiet")
        self.assertEqual((measured.matched, measured.doubt), (given["measurement"]["matched"], given["measurement"]["doubt"]))
        self.assertIn("simulated", measured.doubt)
        self.assertEqual((measured.before.step_ms, measured.after.step_ms),
                         (given["before"]["step_ms"], given["after"]["step_ms"]))
        error = given["prediction_error"]["model"]
        self.assertEqual((measured.mean_error_ms, measured.median_relative_error),
                         (error["mean_absolute_ms"], error["median_relative"]))
        self.assertEqual([(row.change, row.cause, row.remark) for row in measured.rows],
                         [(row["change"], row.get("cause", "none"), row["remark"]) for row in given["rows"]])

    def test_a_trace_of_another_job(self) -> None:
        with self.assertRaises(InputError) as caught:
            core.compare_with_trace(self.step, [core.read_trace(RECORDED)])
        self.assertEqual(caught.exception.file, str(RECORDED))
        self.assertIn("another job", caught.exception.problem)

    def test_a_calibration_is_the_command_lines(self) -> None:
        model = Path(self.scratch.name) / "mine.cost.json"
        given = overlap_json("calibrate", SMALL, self.trace, "--cost-model", "h100-sxm", "-o", model, "--json", "--quiet")
        step = core.evaluate(self.graph, cost_model="h100-sxm")
        made = core.calibrate([(self.trace, step)], cost_model="h100-sxm", name="mine")
        self.assertEqual(made.cost_model.document(), json.loads(model.read_text(encoding="utf-8")))
        self.assertEqual([(row.name, row.samples, row.before.median, row.after.ninetieth) for row in made.rows],
                         [(row["name"], row["samples"], row["relative_error_before"]["median"],
                           row["relative_error_after"]["ninetieth_percentile"]) for row in given["rows"]])
        (fitted,) = made.steps
        self.assertEqual((fitted.measured_ms, fitted.after_ms),
                         (given["steps"][0]["measured_step_ms"], given["steps"][0]["after"]["step_ms"]))
        self.assertEqual(core.evaluate(self.graph, cost_model=made.cost_model).step_ms, fitted.after_ms)

    def test_nothing_to_calibrate_with(self) -> None:
        with self.assertRaisesRegex(InputError, "runs: expected one run or more"):
            core.calibrate([])
        with self.assertRaises(InputError):
            core.compare_with_trace(self.step, [])


if __name__ == "__main__":
    unittest.main()
