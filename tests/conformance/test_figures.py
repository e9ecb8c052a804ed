#!/usr/bin/env python3
"""Figures mean the same in every output: peak memory, idle time, and what numbers on the command line may be."""
import json
import os

from command_line import CommandLine, data, graph_path, main
from compare_graphs import read_document

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

    def test_a_bound_and_a_search_say_so_too(self):
        model, words = ("--cost-model", "h100-sxm"), "more than the device holds"
        self.assertIn(words, self.expect(0, "bound", graph_path(LARGE), *model).stderr)
        done = self.expect(0, "bound", graph_path(LARGE), *model, "--json")
        self.assertIn(words, done.stderr)
        (problem,) = json.loads(done.stdout)["problems"]
        self.assertEqual((problem["severity"], problem["kind"]), ("caution", "beyond_device_memory"))
        plan, report = self.path("found.plan.json"), self.path("report.json")
        done = self.expect(0, "search", graph_path(LARGE), *model, "--effort", "1", "-o", plan, "--report", report)
        self.assertIn(words, done.stderr)
        with open(report, encoding="utf-8") as file:
            (problem,) = json.load(file)["problems"]
        self.assertIn(words, problem["message"])

    def test_a_step_that_fits_is_no_problem(self):
        figures = self.json("simulate", self.graph, "--json", "--cost-model", "h100-sxm")
        self.assertEqual(figures["problems"], [])
        done = self.expect(0, "bound", self.graph, "--json", "--cost-model", "h100-sxm")
        self.assertEqual(json.loads(done.stdout)["problems"], [])
        self.assertNotIn("device holds", done.stderr)
        self.assertIsNone(self.json("simulate", self.graph, "--json")["device_memory_bytes"])
        self.assertNotIn("device holds", self.expect(0, "simulate", self.graph).stdout)


class Idle(CommandLine):
    """What a step holds beside compute and exposed communication, when the host is late."""

    def test_the_parts_add_up_to_the_step(self):
        for arguments in ((), ("--launch-us", "50")):
            figures = self.json("simulate", self.graph, "--json", *arguments)
            with self.subTest(arguments=arguments):
                parts = figures["compute_ms"] + figures["exposed_ms"] + figures["idle_ms"]
                self.assertAlmostEqual(parts, figures["step_ms"], places=6)
                text = self.expect(0, "simulate", self.graph, *arguments).stdout
                self.assertEqual(figures["idle_ms"] > 0, bool(arguments))
                self.assertEqual("idle     " in text, bool(arguments))


class OtherBatch(CommandLine):
    """A plan belongs to the graph as it is read; its digest covers sizes, which another batch changes."""

    def setUp(self):
        super().setUp()
        samples = os.path.join(os.path.dirname(os.path.dirname(data())), "resources", "samples")
        self.sample = os.path.join(samples, "llama3_8b_fsdp128.prebucket.graph.json.gz")
        self.plan = os.path.join(samples, "llama3_8b_fsdp128.plan.json")

    def test_a_plan_of_the_graph_is_taken(self):
        step = self.json("simulate", self.sample, "--pipeline", self.plan, "--local-batch", "4", "--json")["step_ms"]
        preset = ("--preset", "torchtitan_default", "--local-batch", "4", "--json")
        self.assertAlmostEqual(step, self.json("simulate", self.sample, *preset)["step_ms"])
        self.assertGreater(step, self.json("simulate", self.sample, "--pipeline", self.plan, "--json")["step_ms"])
        self.expect(0, "apply", self.sample, "--pipeline", self.plan, "--local-batch", "4", "-o", self.path("o.graph.json"))
        self.expect(0, "explain", self.sample, "--pipeline", self.plan, "--local-batch", "4",
                    "--node", "all_gather_into_tensor")

    def test_a_plan_of_another_graph_is_not(self):
        self.expect_error(1, ["the plan is for another graph"],
                          "simulate", data("published_runs", "a_llama3_8b_fsdp8.prebucket.graph.json.gz"),
                          "--pipeline", self.plan, "--local-batch", "4")

    def test_microbatches_of_a_job_whose_update_has_no_times(self):
        text = self.expect(0, "simulate", self.sample, "--compiled", "none", "--microbatches", "2").stdout
        self.assertIn("without what adds gradients", text)
        text = self.expect(0, "simulate", self.sample, "--microbatches", "2").stdout
        self.assertIn("gradients added, and what is beside them", text)


class Ranges(CommandLine):
    """A number that cannot be meant is refused with the range that is."""

    def test_numbers_of_options(self):
        pipeline, out = self.path("pipeline.json", []), self.path("out.json")
        for option, values, limits, command in (
                ("--launch-us", ("nan", "inf", "-1", "1e400", "1x", ""), "from 0 to", ("simulate", self.graph)),
                ("--attention-density", ("nan", "-0.1", "1.5", "inf"), "from 0 to 1", ("simulate", self.graph, "--compiled", "blocks")),
                ("--repeat", ("0", "-1", "1.5", "nan"), "from 1 to 1,000,000,", ("bench", self.graph, "--pipeline", pipeline)),
                ("--rows", ("-1", "nan", "2.5"), "from 0 to", ("compare", self.graph, "--plan", pipeline)),
                ("--rank", ("-1", "nan", "2147483647"), "from 0 to", ("import", self.graph, "-o", out)),
                ("--world-size", ("0", "-8", "1e3"), "from 1 to", ("import", self.graph, "-o", out))):
            for value in values:
                with self.subTest(option=option, value=value):
                    self.expect_error(2, [option, limits] if value else [option], *command, f"{option}={value}")
        self.expect_error(2, ["rank 8", "8 ranks"], "import", self.text(), "--rank", "8", "--world-size", "8", "-o", out)
        self.expect_error(2, ["--symbol", "size from 0"], "import", self.text(), "--symbol", "s0=-3", "-o", out)

    def text(self):
        return data("fx_text", "step.readable.py")

    def test_shares_of_cost_models(self):
        with open(data("cost_models", "everything.cost.json"), encoding="utf-8") as file:
            document = json.load(file)

        def expect_share(*keys, value=5):
            changed = json.loads(json.dumps(document))
            fields = changed
            for key in keys[:-1]:
                fields = fields[key]
            fields[keys[-1]] = value
            model = self.path("changed.cost.json", changed)
            self.expect_error(1, ["changed.cost.json: " + ".".join(keys), "at most 1"], "simulate", self.graph, "--cost-model", model)

        document["origin"]["kind"] = "published_figures"
        expect_share("classes", "memory", "efficiency")
        document["links"]["cluster"] = {"gpu_link_bytes_per_s": 1e11, "card_bytes_per_s": 1e10}
        for key in ("gpu_link_efficiency", "card_efficiency", "switch_reduction"):
            expect_share("links", "cluster", key)
        document["origin"]["kind"] = "calibration"
        document["classes"]["memory"]["efficiency"] = 1.2
        self.expect(0, "simulate", self.graph, "--cost-model", self.path("fitted.cost.json", document))

    def test_shares_of_a_graphs_own_model(self):
        document = read_document(self.graph)
        document["cost_model"]["device"]["memory_efficiency"] = 5
        graph = self.path("fast.graph.json", document)
        self.expect_error(1, ["fast.graph.json: cost_model.device.memory_efficiency", "at most 1"], "simulate", graph)


if __name__ == "__main__":
    main()
