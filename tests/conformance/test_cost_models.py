#!/usr/bin/env python3
"""Cost models on the command line: built-in ones, files, contention, and calibration from runs."""
import gzip
import itertools
import json

from command_line import CommandLine, data, main


def two_gathers():
    """Two gathers at a time, over two process groups of one host, in a graph without a cost model."""
    storages = itertools.count()

    def tensor(size):
        return [{"dtype": "float32", "shape": [size], "stride": [1], "device": "cuda", "storage": next(storages),
                 "storage_bytes": 4 * size}]

    nodes = [{"name": "x", "op": "placeholder", "target": "x", "outputs": tensor(4)}]
    for group in ("a", "b"):
        nodes.append({"name": f"gather_{group}", "op": "call_function", "estimate_ms": 1.0, "outputs": tensor(8),
                      "target": "_c10d_functional.all_gather_into_tensor.default", "args": [{"node": "x"}, 2, group]})
    for group in ("a", "b"):
        nodes.append({"name": f"wait_{group}", "op": "call_function", "outputs": tensor(8),
                      "target": "_c10d_functional.wait_tensor.default", "args": [{"node": f"gather_{group}"}]})
    nodes.append({"name": "output", "op": "output", "target": "output", "args": [[{"node": "wait_a"}, {"node": "wait_b"}]]})
    groups = [{"name": name, "ranks": [0, other], "rank": 0} for name, other in (("a", 1), ("b", 2))]
    return {"format": "overlap-graph", "version": 1, "name": "two gathers", "process_groups": groups, "nodes": nodes}


class CostModels(CommandLine):
    def setUp(self):
        super().setUp()
        self.model = data("cost_models", "everything.cost.json")

    def figures(self, *arguments):
        return json.loads(self.expect(0, "simulate", *arguments, "--json").stdout)

    def without_times(self):
        """The graph as an import gives it: no times, no cost model."""
        with gzip.open(self.graph) as file:
            document = json.load(file)
        document.pop("cost_model")
        for node in document["nodes"]:
            node.pop("estimate_ms", None)
        return self.path("untimed.graph.json", document)

    def pipeline(self):
        return self.path("pipeline.json", [
            {"pass": "manual_overlap_bucketing",
             "options": {"module_bucket_plans": [["layers.0", "layers.1"]], "module_stack_fn": "custom.module_fqn"}}])

    def test_built_in_models_are_listed(self):
        listed = json.loads(self.expect(0, "estimate", "--list-cost-models", "--json").stdout)
        self.assertIn("h100-sxm", [model["name"] for model in listed])
        self.assertIn("h100-sxm", self.expect(0, "estimate", "--list-cost-models").stdout)
        checked = {model["name"]: model["checked"] for model in listed}
        self.assertIn("published runs", checked["h100-96gb-500w"])
        self.assertIsNone(checked["h100-sxm"])
        self.expect(2, "estimate")

    def test_a_graph_without_times_gets_them(self):
        untimed = self.without_times()
        self.assertIn("--cost-model", self.expect(1, "simulate", untimed).stderr)
        self.assertGreater(self.figures(untimed, "--cost-model", "h100-sxm")["step_ms"], 0)
        written = self.path("timed.graph.json")
        self.expect(0, "estimate", untimed, "--cost-model", "h100-sxm", "-o", written)
        self.assertAlmostEqual(self.figures(written)["step_ms"],
                               self.figures(untimed, "--cost-model", "h100-sxm")["step_ms"])

    def test_a_graph_says_how_its_job_compiles(self):
        asked = self.figures(self.graph, "--compiled", "blocks")
        traced = self.figures(self.graph)
        self.assertNotEqual(asked["step_ms"], traced["step_ms"])
        written = self.path("compiled.graph.json")
        self.expect(0, "apply", self.graph, "--pipeline", self.path("nothing.json", []), "--compiled", "blocks",
                    "-o", written)
        with open(written, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["cost_model"]["compiled"], "blocks")
        self.assertEqual(self.figures(written), asked)
        self.assertEqual(self.figures(written, "--compiled", "none")["step_ms"], traced["step_ms"])

    def test_some_times_are_the_users(self):
        before = self.figures(self.graph)
        times = self.path("times.json", {"mm": 100.0})
        self.assertGreater(self.figures(self.graph, "--times", times)["compute_ms"], before["compute_ms"] + 90)
        wrong = self.expect(1, "simulate", self.graph, "--times", self.path("wrong.json", {"nn": 1})).stderr
        self.assertIn('there is no node "nn" in the graph', wrong)
        self.expect(1, "simulate", self.graph, "--times", self.path("negative.json", {"mm": -1}))
        gone = self.path("gone.json", {"all_gather_into_tensor_5": 5})
        self.assertIn("passes replaced", self.expect(0, "simulate", self.graph, "--times", gone, "--pipeline",
                                                     self.pipeline()).stderr)

    def test_another_batch_is_another_graph(self):
        traced = data("published_runs", "a_llama3_8b_fsdp8.prebucket.graph.json.gz")
        model, doubled, back = ("--cost-model", "h100-96gb-500w"), self.path("doubled.graph.json"), self.path("back.graph.json")
        self.expect(0, "estimate", traced, "--local-batch", "4", *model, "-o", doubled)
        self.expect(0, "estimate", doubled, "--local-batch", "2", *model, "-o", back)
        step_ms = [self.figures(graph, *model)["step_ms"] for graph in (traced, doubled, back)]
        self.assertEqual(step_ms[0], step_ms[2])
        self.assertGreater(step_ms[1], 1.5 * step_ms[0])
        self.assertEqual(self.figures(traced, *model, "--local-batch", "4")["step_ms"], step_ms[1])
        self.assertIn("the graph has to be traced again",
                      self.expect(1, "simulate", traced, *model, "--local-batch", "1").stderr)
        self.expect_error(2, ["--local-batch", "from 1 to"], "simulate", traced, "--local-batch", "0")
        packed = data("graphs", "llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")
        self.assertIn("sequences are packed into one", self.expect(1, "simulate", packed, "--local-batch", "4").stderr)

    def test_a_step_of_several_microbatches(self):
        graph = data("published_runs", "a_llama3_8b_fsdp8.prebucket.graph.json.gz")
        options = ("--cost-model", "h100-96gb-500w", "--compiled", "blocks")
        self.assertIsNone(self.figures(graph, *options)["accumulated"])
        figures = self.figures(graph, *options, "--microbatches", "4")
        all_ms = 4 * figures["step_ms"] + figures["beside_ms"] * (1 + 3 * 0.3)
        self.assertEqual(figures["accumulated"]["microbatches"], 4)
        self.assertAlmostEqual(figures["accumulated"]["ms"], all_ms, places=3)
        self.assertIn("for 4 microbatch runs", self.expect(0, "simulate", graph, *options, "--microbatches", "4").stdout)

    def test_compilations_that_are_none_are_refused(self):
        self.expect(2, "simulate", self.graph, "--compiled", "some")
        self.expect(2, "simulate", self.graph, "--attention-density", "0.2", "--compiled", "none")
        missing = self.expect(2, "simulate", self.graph, "--attention-density", "0.2").stderr
        self.assertIn("--compiled is missing", missing)
        self.assertIn("--cost-model", self.expect(1, "simulate", self.without_times(), "--compiled", "whole").stderr)

    def test_a_graph_without_times_is_planned_all_the_same(self):
        untimed, pipeline = self.without_times(), self.pipeline()
        result = self.path("bucketed.graph.json")
        self.expect(0, "apply", untimed, "--pipeline", pipeline, "-o", result)
        explained = self.expect(0, "explain", untimed, "--node", "all_gather_into_tensor").stdout
        self.assertIn("How long it takes is not known", explained)
        plan = self.path("x.plan.json", {"format": "overlap-plan", "version": 1, "name": "x",
                                         "buckets": [{"modules": ["layers.0", "layers.1"]}],
                                         "pipeline": [{"pass": "manual_overlap_bucketing",
                                                       "options": {"module_stack_fn": "custom.module_fqn"}}]})
        self.expect(0, "export", plan, "--graph", untimed, "--to", "job", "-o", self.path("job.json"))
        refused = self.expect(1, "export", plan, "--graph", untimed, "--to", "report", "-o", self.path("x.html"))
        self.assertIn("not known until a cost model is chosen", refused.stderr)
        self.expect(0, "export", plan, "--graph", untimed, "--to", "report", "-o", self.path("x.html"),
                     "--cost-model", "h200-sxm")

    def test_what_is_replaced_is_told(self):
        told = self.expect(0, "simulate", self.graph, "--cost-model", self.model).stderr
        self.assertIn('the cost model "cluster A" replaces the times that the graph has for', told)
        self.assertEqual(self.figures(self.graph, "--cost-model", self.model)["cost_model"], "cluster A")
        self.assertIsNone(self.figures(self.graph)["cost_model"])

    def test_contention_slows_what_overlaps(self):
        arguments = [self.graph, "--cost-model", self.model, "--pipeline", self.pipeline()]
        alone, contended = self.figures(*arguments), self.figures(*arguments, "--contention")
        self.assertIsNone(alone["contention"])
        self.assertEqual(contended["contention"]["communication_slowdown"], 0.1)
        self.assertEqual(contended["contention"]["compute_slowdown"]["matrix_multiply"], 0.2)
        self.assertGreaterEqual(contended["step_ms"], alone["step_ms"])
        trace = self.path("trace.json")
        self.expect(0, "simulate", *arguments, "--contention", "--trace", trace)
        with open(trace, encoding="utf-8") as file:
            self.assertIn('"rate of process group', file.read())

    def test_links_that_groups_share_are_told(self):
        graph = data("graphs", "llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")
        figures = self.figures(graph, "--cost-model", "h100-sxm")
        (shared,) = figures["shared_links"]
        communicating = {group["process_group"] for group in figures["groups"]}
        self.assertGreater(len(shared), 1)
        self.assertLessEqual(set(shared), communicating)
        text = self.expect(0, "simulate", graph, "--cost-model", "h100-sxm").stdout
        self.assertIn("one link is shared by the process groups " + ", ".join(shared[:-1]), text)
        apart = self.figures(graph)
        self.assertEqual(apart["shared_links"], [])
        passes = self.path("passes.json", [{"pass": "reassign_collective_pgs_pass", "options": {}}])
        (with_made,) = self.figures(graph, "--cost-model", "h100-sxm", "--pipeline", passes)["shared_links"]
        self.assertGreater(len(with_made), len(shared))

    def test_links_are_shared_by_a_cost_model_and_give_it_no_contention(self):
        graph = data("graphs", "llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")
        # Without a cost model links are shared alike, by hosts, and the step is the one that is told without the option.
        without = self.path("without.graph.json", two_gathers())
        plan = self.path("empty.plan.json", {"format": "overlap-plan", "version": 1, "name": "x"})
        alone, shared = self.figures(without), self.figures(without, "--shared-links")
        self.assertEqual((alone["step_ms"], alone["shared_links"]), (1, []))
        self.assertEqual((shared["step_ms"], shared["shared_links"]), (2, [["a", "b"]]))
        for command in (["simulate", without], ["compare", without, "--plan", plan], ["sweep", without]):
            told, taken = self.expect(0, *command), self.expect(0, *command, "--shared-links")
            self.assertIn("the step is 2 ms, not 1 ms", told.stderr)
            self.assertNotIn("the step is", taken.stderr)
            self.assertNotEqual(taken.stdout, told.stdout)
        for command in (["simulate", graph], ["compare", graph, "--plan", plan]):
            self.expect(0, *command, "--shared-links")
            alone = self.expect(1, *command, "--contention").stderr
            self.assertIn("it has no factors of contention", alone)
            self.assertEqual(self.expect(1, *command, "--contention", "--shared-links").stderr, alone)

    def test_what_a_compiled_job_does_beside_the_step_is_told_everywhere(self):
        graph = self.path("compiled.graph.json")
        nothing = self.path("nothing.json", [])
        self.expect(0, "apply", data("graphs", "llama3_debugmodel_fsdp8.prebucket.graph.json.gz"), "--pipeline", nothing,
                    "--cost-model", "h100-sxm", "--compiled", "blocks", "-o", graph)
        beside = self.figures(graph)["beside_ms"]
        self.assertGreater(beside, 0)
        plan = self.path("empty.plan.json", {"format": "overlap-plan", "version": 1, "name": "x"})
        compared = ["compare", graph, "--plan", plan]
        totals = json.loads(self.expect(0, *compared, "--json").stdout)
        self.assertEqual(totals["before"]["beside_ms"], beside)
        self.assertEqual(totals["after"]["beside_ms"], beside)
        self.assertIn("beside it: clipping, AdamW", self.expect(0, *compared).stdout)
        report = self.path("report.html")
        self.expect(0, "export", plan, "--graph", graph, "--to", "report", "-o", report)
        with open(report, encoding="utf-8") as file:
            self.assertIn("of clipping and AdamW, which are not in the graph", file.read())
        as_traced = self.path("traced.graph.json")
        self.expect(0, "apply", graph, "--pipeline", nothing, "--compiled", "none", "-o", as_traced)
        self.assertIsNone(json.loads(self.expect(0, "compare", as_traced, "--plan", plan, "--json").stdout)
                          ["after"]["beside_ms"])

    def test_contention_needs_factors(self):
        self.assertIn("no factors of contention", self.expect(1, "simulate", self.graph, "--contention").stderr)

    def test_damaged_models_are_refused_with_place(self):
        with open(self.model, encoding="utf-8") as file:
            document = json.load(file)
        document["classes"]["memory"]["efficiency"] = "fast"
        damaged = self.path("damaged.cost.json", document)
        error = self.expect(1, "simulate", self.graph, "--cost-model", damaged).stderr
        self.assertIn("damaged.cost.json: classes.memory.efficiency", error)
        self.assertIn("nearest", self.expect(1, "simulate", self.graph, "--cost-model", "h100-smx").stderr)

    def run_of(self, name, graph, *model):
        """What overlap-runner would write of the graph on a device that the model describes."""
        trace = self.path("run.trace.json")
        # It starts each operator by itself.
        step = self.figures(graph, *model, "--compiled", "eager", "--trace", trace)["step_ms"]
        with open(trace, encoding="utf-8") as file:
            times = {event["name"]: event["dur"] / 1000 for event in json.load(file)["traceEvents"]
                     if event["ph"] == "X"}
        plan = self.path("empty.plan.json", {"format": "overlap-plan", "version": 1, "name": "x"})
        full = self.path("full.plan.json")
        self.expect(0, "export", plan, "--graph", graph, "--to", "plan", "-o", full)
        with open(full, encoding="utf-8") as file:
            digest = json.load(file)["graph"]["digest"]
        nodes = [{"name": node, "median_ms": time} for node, time in times.items() if time > 0]
        return self.path(name, {"format": "overlap-run", "version": 1, "mode": "gpu", "graph": {"digest": digest},
                                "step_ms": {"median": step}, "device": "device A", "libraries": {"nccl": "2.28.3"},
                                "nodes": nodes})

    def test_a_calibration_finds_the_device(self):
        run = self.run_of("first.run.json", self.graph, "--cost-model", self.model)
        fitted = self.path("fitted.cost.json")
        arguments = ["calibrate", self.graph, run, "--cost-model", "h200-sxm", "-o", fitted]
        found = json.loads(self.expect(0, *arguments, "--json").stdout)
        self.assertEqual(found["model"]["name"], "fitted")
        self.assertEqual(found["model"]["device"]["name"], "device A")
        (step,) = found["steps"]
        self.assertLess(abs(step["after"]["step_ms"] / step["measured_step_ms"] - 1), 0.02)
        self.assertGreater(abs(step["before"]["step_ms"] / step["measured_step_ms"] - 1), 0.5)
        for row in found["rows"]:
            self.assertLess(row["relative_error_after"]["median"], 0.05, row)
        told = self.expect(0, *arguments)
        self.assertIn("is not known", told.stderr)
        # Rates of links are in the unit that the window and cost models have.
        self.assertRegex(told.stdout, r"process group .* [0-9.]+ GB/s, ")
        self.assertNotIn("B/s", told.stdout.replace(" GB/s", ""))
        self.assertAlmostEqual(self.figures(self.graph, "--cost-model", fitted, "--compiled", "eager")["step_ms"],
                               step["after"]["step_ms"])

    def test_a_calibration_predicts_other_plans_with_an_expected_error(self):
        run = self.run_of("first.run.json", self.graph, "--cost-model", self.model)
        plan = self.path("empty.plan.json", {"format": "overlap-plan", "version": 1, "name": "x"})
        fitted = self.path("fitted.cost.json")
        arguments = ["calibrate", self.graph, run, "--cost-model", "h200-sxm", "--predict", plan, "-o", fitted]
        found = json.loads(self.expect(0, *arguments, "--json").stdout)
        as_it_is, preset, _, given = found["predictions"]
        self.assertEqual([entry["plan"] for entry in found["predictions"]],
                         ["the graph as it is", "torchtitan_default", "torchtitan_performance", plan])
        (step,) = found["steps"]
        self.assertEqual(as_it_is["step_ms"], step["after"]["step_ms"])
        self.assertEqual(given["step_ms"], as_it_is["step_ms"])
        planned = self.figures(self.graph, "--cost-model", fitted, "--preset", "torchtitan_default", "--compiled",
                               "eager")
        self.assertAlmostEqual(preset["step_ms"], planned["step_ms"], places=5)
        measured_error = abs(step["after"]["step_ms"] / step["measured_step_ms"] - 1)
        self.assertGreaterEqual(as_it_is["expected_error"], measured_error)
        self.assertLess(as_it_is["expected_error"], measured_error + 0.05)
        text = self.expect(0, *arguments).stdout
        self.assertIn("expected errors: that of the measured steps, and what sums are off that were held out", text)
        self.assertRegex(text, r"torchtitan_default +[0-9.]+ m?s.*within")

    def test_factors_that_are_not_known_are_left_out_and_told(self):
        run = self.run_of("first.run.json", self.graph, "--cost-model", self.model)
        fitted = self.path("fitted.cost.json")
        self.expect(0, "calibrate", self.graph, run, "--cost-model", "h200-sxm", "-o", fitted)
        with open(fitted, encoding="utf-8") as file:
            self.assertNotIn("communication_slowdown", json.load(file)["contention"])
        told = self.expect(0, "simulate", self.graph, "--cost-model", fitted, "--contention").stderr
        self.assertIn("by how much compute slows communication down", told)

    def test_the_remedy_is_named_where_times_are_missing(self):
        untimed = self.without_times()
        passes = self.path("passes.json", [{"pass": "schedule_overlap_bucketing", "options": {}}])
        error = self.expect(1, "apply", untimed, "--pipeline", passes, "-o", self.path("x.graph.json")).stderr
        self.assertIn("--cost-model gives it one", error)

    def test_a_run_of_another_graph_is_refused(self):
        run = self.run_of("first.run.json", self.graph, "--cost-model", self.model)
        other = data("graphs", "llama3_debugmodel_fsdp8.graph.json.gz")
        error = self.expect(1, "calibrate", other, run, "-o", self.path("x.cost.json")).stderr
        self.assertIn("it is of another graph", error)


if __name__ == "__main__":
    main()
