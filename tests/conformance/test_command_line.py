#!/usr/bin/env python3
"""The command line as a user meets it: exit statuses, messages, figures, files."""
import gzip
import json
import os

from command_line import CommandLine, PASS, SCHEDULER, bucketing, main
from compare_graphs import read_document


class Usage(CommandLine):
    def test_help_and_version(self):
        self.assertIn("simulate", self.expect(0, "--help").stdout)
        self.assertIn("--pipeline", self.expect(0, "apply", "--help").stdout)
        self.assertRegex(self.expect(0, "--version").stdout, r"^\d+\.\d+\.\d+\n$")

    def test_wrong_usage(self):
        pipeline = self.path("pipeline.json", [])
        self.expect_error(2, ["--help"])
        self.expect_error(2, ["no_such_command"], "no_such_command")
        self.expect_error(2, ["simulat", "simulate"], "simulat", self.graph)
        self.expect_error(2, ["overlap info", "GRAPH"], "info")
        self.expect_error(2, ["overlap info", "--nonsense"], "info", self.graph, "--nonsense")
        self.expect_error(2, ["overlap apply", "--pipeline"], "apply", self.graph, "-o", self.path("out"))
        self.expect_error(2, ["overlap apply", "--output"], "apply", self.graph, "--pipeline", pipeline)
        for count in ("0", "-3", "many", "1.5"):
            with self.subTest(repeat=count):
                self.expect_error(2, ["--repeat"], "bench", self.graph, "--pipeline", pipeline, "--repeat", count)
        for launch in ("-1", "soon"):
            with self.subTest(launch=launch):
                self.expect_error(2, ["--launch-us"], "simulate", self.graph, "--launch-us", launch)


class BadInput(CommandLine):
    def test_graphs_that_cannot_be_read(self):
        with open(self.graph, "rb") as file:
            packed = file.read()
        plain = gzip.decompress(packed)
        files = {
            "truncated.graph.json.gz": packed[: len(packed) // 2],
            "truncated.graph.json": plain[: len(plain) // 2],
            "damaged.graph.json.gz": packed[:2000] + bytes(100) + packed[2100:],
            "empty.graph.json": b"",
            "text.graph.json": b"this is no JSON",
            "list.graph.json": b"[]",
            "version.graph.json": {"format": "overlap-graph", "version": 2, "nodes": []},
            "format.graph.json": {"format": "something-else", "version": 1, "nodes": []},
        }
        for name, content in files.items():
            with self.subTest(file=name):
                self.expect_error(1, [name], "info", self.path(name, content))
        self.expect_error(1, ["absent.graph.json"], "info", self.path("absent.graph.json"))
        self.expect_error(1, [self.scratch.name], "info", self.scratch.name)

    def test_a_message_says_what_was_expected(self):
        document = {"format": "overlap-graph", "version": 7, "nodes": []}
        self.expect_error(1, ["7", "1"], "info", self.path("version.graph.json", document))

    def apply(self, pipeline, *words):
        out = self.path("out.graph.json")
        file = self.path("pipeline.json", pipeline)
        self.expect_error(1, ["pipeline.json", *words], "apply", self.graph, "--pipeline", file, "-o", out)
        self.assertFalse(os.path.exists(out))

    def test_pipelines_that_cannot_be_run(self):
        self.apply(b"{", "pipeline.json")
        self.apply(b"[{]")
        self.apply(b"")
        self.apply(17)
        self.apply([17])
        self.apply([{"options": {}}], "pass")
        self.apply([{"pass": "manual_overlap_buckets"}], "manual_overlap_buckets", PASS)
        self.apply([{"pass": "x"}], PASS)
        self.apply([{"pass": PASS}], "module_bucket_plans")
        self.apply([{"pass": PASS, "options": []}])
        self.apply(b'[{"pass": "schedule_overlap_bucketing", "options": {"max_in_flight_gb": 1e400}}]', "beyond")
        self.apply(b'{"format": "overlap-plan", "version": 1e999}', "beyond")
        self.apply(bucketing("layers.0", bucket_moed=None), "bucket_moed", "bucket_mode")
        self.apply(bucketing("layers.0", bucket_mode=3), "bucket_mode", "3")
        self.apply(bucketing("layers.0", bucket_mode="custom"), "custom_ops")
        self.apply(bucketing("layers.0", insert_overlap_deps="yes"), "insert_overlap_deps", "true or false")
        self.apply(bucketing("layers.0", 5), "5")
        self.apply(bucketing("layers.0", "layers.0.attention"))

    def test_options_of_the_scheduler_that_are_wrong(self):
        for name, value, words in (
                ("max_in_flight_gb", -1, "at least 0"),
                ("max_in_flight_gb", None, "found null, expected a number"),
                ("max_in_flight_gb", "5", "expected a number"),
                ("max_off_bucket_gb", True, "a number or null"),
                ("max_memory_increase_gb", -0.5, "at least 0"),
                ("max_coll_distance", 1.5, "a whole number"),
                ("max_compute_pre_fetch", -1, "at least 0"),
                ("compute_overlap_multipler", -1, "at least 0"),
                ("collective_bucketing", None, "true or false"),
                ("bucket_exposed_first", 1, "true or false"),
                ("bucket_mode", "custom", "custom_ops_multidtype"),
                ("compute_overlap_multiplier", 1, "compute_overlap_multipler")):
            with self.subTest(option=name, value=value):
                self.apply([{"pass": SCHEDULER, "options": {name: value}}], name, words)

    def schedule(self, change, *words):
        """The scheduler refuses the graph after `change`, and says why in one line with the node's name."""
        document = read_document(self.graph)
        change(document)
        self.schedule_text(json.dumps(document), *words)

    def schedule_text(self, text, *words):
        graph, out = self.path("changed.graph.json", text.encode()), self.path("out.graph.json")
        pipeline = self.path("pipeline.json", [{"pass": SCHEDULER, "options": {"pre_bucketing_fsdp_collectives": False}}])
        self.expect_error(1, words, "apply", graph, "--pipeline", pipeline, "-o", out)
        self.assertFalse(os.path.exists(out))

    def test_graphs_that_cannot_be_scheduled(self):
        gather = next(node["name"] for node in read_document(self.graph)["nodes"] if "all_gather" in node["target"])

        def forget_times(document):
            del document["cost_model"]
            for node in document["nodes"]:
                node.pop("estimate_ms", None)

        def take(milliseconds):
            def change(document):
                next(node for node in document["nodes"] if node["name"] == gather)["estimate_ms"] = milliseconds
            return change

        self.schedule(forget_times, "node \"", "no cost_model", "estimate_ms")
        self.schedule(lambda document: document["cost_model"].update(links=[]), gather, "no link for process group")
        self.schedule(take(-1), gather, "not negative")
        self.schedule(take("fast"), gather, "expected a finite number")
        document = read_document(self.graph)
        take(123.456)(document)
        self.schedule_text(json.dumps(document).replace("123.456", "1e999"), gather, "expected a finite number")

    def test_a_pipeline_file_that_is_not_there(self):
        self.expect_error(1, ["absent.json"], "apply", self.graph, "--pipeline", self.path("absent.json"), "-o", self.path("o"))

    def test_a_plan_for_another_graph(self):
        plan = {
            "format": "overlap-plan", "version": 1,
            "graph": {"name": "another graph", "nodes": 12, "digest": "0123456789abcdef"},
            "buckets": [{"modules": ["layers.0"]}],
            "pipeline": [{"pass": PASS, "options": {"module_stack_fn": "custom.module_fqn"}}],
        }
        self.apply(plan, "another graph")

    def test_an_unknown_version_of_a_plan(self):
        self.apply({"format": "overlap-plan", "version": 99}, "99")

    def test_results_that_cannot_be_written(self):
        pipeline = self.path("pipeline.json", [])
        nowhere = self.path(os.path.join("no", "such", "folder", "out.json"))
        self.expect_error(1, ["no/such/folder"], "apply", self.graph, "--pipeline", pipeline, "-o", nowhere)
        self.expect_error(1, ["no/such/folder"], "simulate", self.graph, "--trace", nowhere)
        self.assertEqual(sorted(os.listdir(self.scratch.name)), ["pipeline.json"])


class Figures(CommandLine):
    def test_info(self):
        document = read_document(self.graph)
        info = self.json("info", self.graph, "--json")
        self.assertEqual(info["nodes"], len(document["nodes"]))
        started = [n for n in document["nodes"] if n["target"].startswith("_c10d_functional.") and "wait" not in n["target"]]
        self.assertEqual(sum(entry["count"] for entry in info["collectives"]), len(started))
        self.assertEqual(info["modules"]["source"], "custom.module_fqn")
        self.assertGreaterEqual(info["modules"]["depth"], 3)
        self.assertIn("all_gather", self.expect(0, "info", self.graph).stdout)

    def test_estimate_reproduces_the_times_of_the_file(self):
        document = read_document(self.graph)
        times = self.json("estimate", self.graph, "--json")
        self.assertEqual(len(times), len(document["nodes"]))
        for node in document["nodes"]:
            # The files leave out times of 0.
            self.assertAlmostEqual(times[node["name"]], node.get("estimate_ms", 0), delta=1e-6, msg=node["name"])
        self.assertIn("one after the other", self.expect(0, "estimate", self.graph).stdout)

    def test_simulate(self):
        figures = self.json("simulate", self.graph, "--json")
        document = read_document(self.graph)
        known = {node["name"]: node for node in document["nodes"]}
        self.assertGreater(figures["peak_memory_bytes"], 0)
        self.assertLessEqual(figures["compute_ms"] + figures["exposed_ms"], figures["step_ms"] + 1e-6)
        self.assertAlmostEqual(sum(c["exposed_ms"] for c in figures["collectives"]), figures["exposed_ms"], places=6)
        for collective in figures["collectives"]:
            duration = collective["end_ms"] - collective["start_ms"]
            self.assertAlmostEqual(duration, known[collective["name"]]["estimate_ms"], places=6)
        for group in figures["groups"]:
            mine = [c for c in figures["collectives"] if c["process_group"] == group["process_group"]]
            self.assertEqual(group["collectives"], len(mine))
            self.assertAlmostEqual(group["exposed_ms"], sum(c["exposed_ms"] for c in mine), places=6)
            self.assertAlmostEqual(group["comm_ms"], sum(c["end_ms"] - c["start_ms"] for c in mine), places=6)
            for before, after in zip(mine, mine[1:]):
                self.assertLessEqual(before["end_ms"], after["start_ms"] + 1e-9)
        self.assertIn("exposed", self.expect(0, "simulate", self.graph).stdout)

    def test_identical_input_gives_identical_output(self):
        first, second = (self.expect(0, "simulate", self.graph, "--json").stdout for _ in range(2))
        self.assertEqual(first, second)

    def test_launch_time_lengthens_the_step(self):
        free = self.json("simulate", self.graph, "--json")["step_ms"]
        slow = self.json("simulate", self.graph, "--json", "--launch-us", "1000")["step_ms"]
        self.assertGreater(slow, free)
        calls = [node for node in read_document(self.graph)["nodes"] if node["op"] == "call_function"]
        self.assertGreaterEqual(slow, len(calls))

    def test_trace(self):
        trace = self.path("trace.json")
        figures = self.json("simulate", self.graph, "--json", "--trace", trace)
        with open(trace, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        slices = [event for event in events if event["ph"] == "X"]
        self.assertTrue(all(event["dur"] >= 0 for event in slices))
        self.assertAlmostEqual(max(e["ts"] + e["dur"] for e in slices), figures["step_ms"] * 1000, places=3)
        on_groups = {event["name"] for event in slices if event["tid"] > 0}
        self.assertEqual(on_groups, {collective["name"] for collective in figures["collectives"]})
        starts, ends = ([e["id"] for e in events if e["ph"] == phase] for phase in "sf")
        self.assertEqual(sorted(starts), sorted(ends))

    def test_bench(self):
        pipeline = self.path("pipeline.json", bucketing("layers.0", "layers.1"))
        times = self.json("bench", self.graph, "--pipeline", pipeline, "--repeat", "3", "--json")
        self.assertGreater(times["min_ms"], 0)
        self.assertGreaterEqual(times["median_ms"], times["min_ms"])
        self.assertIn("median", self.expect(0, "bench", self.graph, "--pipeline", pipeline).stdout)


class Explain(CommandLine):
    def first(self, part, module):
        """Name of the first node whose target holds `part`, in a module."""
        nodes = read_document(self.graph)["nodes"]
        found = (n for n in nodes if part in n["target"] and n.get("custom", {}).get("module_fqn", "").startswith(module))
        return next(found)["name"]

    def test_a_bucketed_collective_names_its_company(self):
        gather = self.first("all_gather", "layers.0")
        pipeline = self.path("pipeline.json", bucketing("layers.0", "layers.1"))
        figures = self.json("explain", self.graph, "--node", gather, "--pipeline", pipeline, "--json")
        self.assertEqual(figures["collective"], gather)
        self.assertIn(gather, figures["bucket"]["members"])
        self.assertEqual(figures["timing"]["start"], figures["bucket"]["start"])
        done = self.expect(0, "explain", self.graph, "--node", gather, "--pipeline", pipeline)
        self.assertEqual(done.stdout.splitlines(), figures["sentences"])
        self.assertIn("entry 1 (layers.0)", done.stdout)
        merged = figures["bucket"]["start"]
        of_result = self.json("explain", self.graph, "--node", merged, "--pipeline", pipeline, "--json")
        self.assertEqual(of_result["bucket"], figures["bucket"])
        self.assertIn(gather, of_result["sentences"][0] + " ".join(figures["bucket"]["members"]))

    def test_reasons_for_no_bucket(self):
        gather = self.first("all_gather", "layers.2")
        pipeline = self.path("pipeline.json", bucketing("layers.0"))
        self.assertIn("no entry of the plan", self.expect(0, "explain", self.graph, "--node", gather, "--pipeline", pipeline).stdout)
        self.assertIn("can be bucketed", self.expect(0, "explain", self.graph, "--node", gather).stdout)
        compute = self.first("aten.mm", "layers.0")
        self.assertIn("is no collective", self.expect(0, "explain", self.graph, "--node", compute).stdout)

    def test_names_that_are_nowhere_and_pipelines_that_are_refused(self):
        gather = self.first("all_gather", "layers.0")
        self.expect_error(1, [gather + "x", gather], "explain", self.graph, "--node", gather + "x")
        self.expect_error(1, ['no node "nonode"', "simulate GRAPH --json"], "explain", self.graph, "--node", "nonode")
        pipeline = self.path("pipeline.json", bucketing("layers.0", "layers.0.attention"))
        self.expect_error(1, ["pipeline.json: step 1 (" + PASS + ")", "layers.0"], "explain", self.graph, "--node", gather, "--pipeline", pipeline)
        self.expect_error(2, ["--node"], "explain", self.graph)


if __name__ == "__main__":
    main()
