#!/usr/bin/env python3
"""Figures mean the same in every output: peak memory, idle time, and what numbers on the command line may be."""
import json
import re

from command_line import CommandLine, graph_path, main

LARGE = "llama3_70b_fsdp256.prebucket"  # its step holds more than any device


class PeakMemory(CommandLine):
    """One peak, called so everywhere, with PyTorch's own estimate beside it by name."""

    def setUp(self):
        super().setUp()
        self.recomputing = graph_path("llama3_8b_fsdp64.prebucket")

    def empty_plan(self):
        return self.path("empty.plan.json", {"format": "overlap-plan", "version": 1, "name": "x", "pipeline": []})

    def test_every_output_has_the_same_two(self):
        simulated = self.json("simulate", self.recomputing, "--json")
        peak, by_torch = simulated["peak_memory_bytes"], simulated["torch_peak_memory_bytes"]
        self.assertLess(peak, by_torch)
        compared = self.json("compare", self.recomputing, "--plan", self.empty_plan(), "--json")
        for side in ("before", "after"):
            self.assertEqual((compared[side]["peak_memory_bytes"], compared[side]["torch_peak_memory_bytes"]), (peak, by_torch))
        shown, shown_by_torch = (f"{number / 2 ** 30:#.4g} GiB" for number in (peak, by_torch))
        text = self.expect(0, "simulate", self.recomputing).stdout
        self.assertIn(f"memory   {shown} at the peak, {shown_by_torch} as PyTorch estimates it", text)
        text = self.expect(0, "compare", self.recomputing, "--plan", self.empty_plan()).stdout
        self.assertRegex(text, rf"peak memory +{shown}")
        self.assertRegex(text, rf"peak memory as PyTorch estimates it +{shown_by_torch}")
        page = self.path("report.html")
        self.expect(0, "export", self.empty_plan(), "--graph", self.recomputing, "--to", "report", "-o", page)
        with open(page, encoding="utf-8") as file:
            self.assertRegex(file.read(), rf"Peak memory</span><b>{shown}</b>|Peak memory[^0-9]*{shown}")

    def test_curves_of_traces_reach_the_peak(self):
        trace = self.path("trace.json")
        figures = self.json("simulate", self.recomputing, "--json", "--trace", trace)
        with open(trace, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        held = [value for event in events if event["ph"] == "C" and event["name"] == "memory" for value in event["args"].values()]
        self.assertEqual(max(held), figures["peak_memory_bytes"])

    def test_a_peak_beyond_the_device_is_a_problem_everywhere(self):
        model = ("--cost-model", "h100-sxm")
        graph = graph_path(LARGE)
        figures = json.loads(self.expect(0, "simulate", graph, *model, "--json").stdout)
        self.assertEqual(figures["device_memory_bytes"], 80_000_000_000)
        (problem,) = figures["problems"]
        self.assertEqual(problem["severity"], "caution")
        self.assertIn("more than the device holds (NVIDIA H100 SXM 80GB, 74.51 GiB)", problem["message"])
        timed, plan = self.path("timed.graph.json.gz"), self.empty_plan()
        done = self.expect(0, "apply", graph, "--pipeline", plan, *model, "-o", timed)
        words = "more than the device holds"
        for arguments in (("simulate", timed), ("compare", timed, "--plan", plan),
                          ("export", plan, "--graph", timed, "--to", "collectives.csv", "-o", self.path("c.csv"))):
            with self.subTest(command=arguments[0]):
                self.assertIn(words, self.expect(0, *arguments).stderr)
        page = self.path("report.html")
        self.expect(0, "export", plan, "--graph", timed, "--to", "report", "-o", page)
        with open(page, encoding="utf-8") as file:
            self.assertIn(words, file.read())

    def test_a_step_that_fits_is_no_problem(self):
        figures = self.json("simulate", self.graph, "--json", "--cost-model", "h100-sxm")
        self.assertEqual(figures["problems"], [])
        self.assertIsNone(self.json("simulate", self.graph, "--json")["device_memory_bytes"])
        self.assertNotIn("device holds", self.expect(0, "simulate", self.graph).stdout)


if __name__ == "__main__":
    main()
