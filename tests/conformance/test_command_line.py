#!/usr/bin/env python3
"""The command line as a user meets it: exit statuses, messages, figures, files.

    test_command_line.py PROGRAMS DATA

PROGRAMS is the folder with `overlap`, DATA is tests/data.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

from compare_graphs import difference, read_document

PROGRAMS = DATA = ""
PASS = "manual_overlap_bucketing"
SCHEDULER = "schedule_overlap_bucketing"


def graph_path(name):
    return os.path.join(DATA, "graphs", name + ".graph.json.gz")


def bucketing(*entries, **options):
    return [{"pass": PASS, "options": {"module_bucket_plans": list(entries), "module_stack_fn": "custom.module_fqn", **options}}]


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.graph = graph_path("llama3_debugmodel_fsdp8.prebucket")

    def path(self, name, content=None):
        path = os.path.join(self.scratch.name, name)
        if content is not None:
            with open(path, "wb") as file:
                file.write(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    def overlap(self, *arguments):
        command = [os.path.join(PROGRAMS, "overlap"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)

    def expect(self, status, *arguments):
        done = self.overlap(*arguments)
        self.assertEqual(done.returncode, status, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def expect_error(self, status, words, *arguments):
        """Exits with `status` and says one line that holds all of `words`."""
        done = self.expect(status, *arguments)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def json(self, *arguments):
        return json.loads(self.expect(0, *arguments).stdout)


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


class Apply(CommandLine):
    def test_an_empty_pipeline_changes_nothing(self):
        pipeline = self.path("pipeline.json", [])
        for name in ("same.graph.json", "same.graph.json.gz"):
            with self.subTest(name=name):
                out = self.path(name)
                self.expect(0, "apply", self.graph, "--pipeline", pipeline, "-o", out)
                self.assertEqual(read_document(out), read_document(self.graph))
        with open(self.path("same.graph.json.gz"), "rb") as file:
            self.assertEqual(file.read(2), b"\x1f\x8b")

    def summary(self, *steps):
        """What is printed of each step, and the remarks."""
        pipeline = self.path("pipeline.json", [{"pass": step} for step in steps])
        done = self.expect(0, "apply", self.graph, "--pipeline", pipeline, "-o", self.path("out.graph.json.gz"))
        return [line.split(": ")[1] for line in done.stdout.splitlines()[:-1]], done.stderr

    def test_the_summary_says_what_each_pass_did(self):
        lines, notes = self.summary("reassign_collective_pgs_pass", "isolate_ep_process_group_pass",
                                    "deduplicate_fsdp_unshard_chains_pass", "stable_topological_sort")
        self.assertRegex(lines[0], r"^\d+ collectives moved to a new process group$")
        self.assertEqual(lines[1], "nothing changed")
        self.assertIn("no expert parallelism to isolate", notes)
        self.assertEqual(self.summary("schedule_overlap_bucketing")[0][0].count("collectives in"), 1)

    def test_an_order_left_open_is_a_caution_with_what_to_do(self):
        for step in ("bucket_all_gather", "pre_bucket_fsdp_collectives"):
            with self.subTest(step=step):
                (note,) = [line for line in self.summary(step)[1].splitlines() if "before one of" in line]
                self.assertIn(": caution: ", note)
                self.assertIn("add the pass stable_topological_sort", note)

    def test_presets_are_for_every_command_that_runs_passes(self):
        self.expect(0, "bench", self.graph, "--preset", "torchtitan_default", "--repeat", "1")
        gather = next(n["name"] for n in read_document(self.graph)["nodes"] if "all_gather" in n["target"])
        done = self.expect(0, "explain", self.graph, "--node", gather, "--preset", "torchtitan_default")
        self.assertNotIn("can be bucketed", done.stdout)
        self.expect_error(1, ["torchtitan_default"], "bench", self.graph, "--preset", "torchtitan_defualt")
        self.expect_error(2, ["--preset"], "bench", self.graph)
        pipeline = self.path("pipeline.json", [])
        self.expect_error(2, ["--preset"], "explain", self.graph, "--node", gather, "--preset", "x", "--pipeline", pipeline)

    def test_the_report(self):
        out, report = self.path("out.graph.json"), self.path("report.json")
        pipeline = self.path("pipeline.json", bucketing(["layers.0", "layers.1"], "layers.2"))
        self.expect(0, "apply", self.graph, "--pipeline", pipeline, "-o", out, "--report", report)
        before = {node["name"] for node in read_document(self.graph)["nodes"]}
        after = {node["name"] for node in read_document(out)["nodes"]}
        with open(report, encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual((document["nodes_before"], document["nodes_after"]), (len(before), len(after)))
        (step,) = document["passes"]
        self.assertEqual(step["pass"], PASS)
        self.assertEqual({bucket["plan_entry"] for bucket in step["buckets"]}, {0, 1})
        for bucket in step["buckets"]:
            self.assertGreater(len(bucket["members"]), 1)
            self.assertLessEqual(set(bucket["members"]), before)
            self.assertIn(bucket["start"], after)
            self.assertLessEqual(set(bucket["waits"]), after)
            self.assertGreater(bucket["bytes"], 0)
        self.assertEqual(step["problems"], [])

    def test_figures_as_json(self):
        out = self.path("out.graph.json")
        pipeline = self.path("pipeline.json", bucketing("layers.0"))
        figures = self.json("apply", self.graph, "--pipeline", pipeline, "-o", out, "--json")
        self.assertEqual(figures["nodes_after"], len(read_document(out)["nodes"]))

    def test_a_plan_is_a_pipeline(self):
        plan = {
            "format": "overlap-plan", "version": 1, "name": "two layers",
            "buckets": [{"modules": ["layers.0", "layers.1"]}],
            "pipeline": [{"pass": PASS, "options": {"module_stack_fn": "custom.module_fqn"}}],
        }
        by_plan, by_list = self.path("plan.graph.json"), self.path("list.graph.json")
        self.expect(0, "apply", self.graph, "--pipeline", self.path("two.plan.json", plan), "-o", by_plan)
        pipeline = self.path("pipeline.json", bucketing(["layers.0", "layers.1"]))
        self.expect(0, "apply", self.graph, "--pipeline", pipeline, "-o", by_list)
        self.assertIsNone(difference(read_document(by_list), read_document(by_plan)))

    def test_the_sample_plan_fits_the_sample_graph(self):
        samples = os.path.join(DATA, "..", "..", "resources", "samples")
        graph = os.path.join(samples, "llama3_8b_fsdp64.prebucket.graph.json.gz")
        plan, out = os.path.join(samples, "llama3_8b_fsdp64.plan.json"), self.path("out.graph.json.gz")
        done = self.expect(0, "apply", graph, "--pipeline", plan, "-o", out)
        self.assertEqual(done.stderr, "")
        before, after = (self.json("simulate", file, "--json") for file in (graph, out))
        self.assertLess(after["step_ms"], before["step_ms"])

    def test_what_a_plan_holds_and_is_not_evaluated_is_told(self):
        for later, told in (({"from_the_future": 1}, "keeps but does not know: from_the_future"),
                            ({"process_groups": [{"min_ctas": 1}]}, "a run would refuse process_groups[0]")):
            plan = self.path("later.plan.json", {"format": "overlap-plan", "version": 1, **later})
            done = self.expect(0, "apply", self.graph, "--pipeline", plan, "-o", self.path("o.json"))
            self.assertIn(told, done.stderr)
        unknown = self.path("u.plan.json", {"format": "overlap-plan", "version": 1,
                                            "process_groups": [{"name": "nobody"}, {"name": "no one"}]})
        for command in (("apply", self.graph, "--pipeline", unknown, "-o", self.path("o.json")),
                        ("simulate", self.graph, "--pipeline", unknown)):
            told = self.expect(0, *command).stderr
            self.assertEqual(told.count("a run would refuse process_groups["), 2, told)
            self.assertIn('process_groups[1].name: there is no process group "no one"', told)

    def overlaps_plan(self):
        """A plan without passes: one overlap that can hold and one that cannot."""
        names = [node["name"] for node in read_document(self.graph)["nodes"]]
        gathers = [name for name in names if name.startswith("all_gather")]
        first_compute = next(name for name in names if name.startswith(("mm", "embedding")))
        overlaps = [{"collective": gathers[-1], "start_after": gathers[0]},
                    {"collective": gathers[3], "start_before": first_compute},
                    {"collective": "gone", "start_before": first_compute}]
        return self.path("overlaps.plan.json", {"format": "overlap-plan", "version": 1, "overlaps": overlaps})

    def test_overlaps_by_hand(self):
        plan, out, report = self.overlaps_plan(), self.path("o.graph.json"), self.path("r.json")
        done = self.expect(0, "apply", self.graph, "--pipeline", plan, "-o", out, "--report", report)
        self.assertIn("error: overlap 3 (gone starts before", done.stderr)
        self.assertIn("is left out: the graph has no collective", done.stderr)
        before, after = ([node["name"] for node in read_document(file)["nodes"]] for file in (self.graph, out))
        self.assertNotEqual(before, after)
        self.assertEqual(sorted(before), sorted(after))
        told = read_document(report)["passes"][-1]
        self.assertEqual(told["pass"], "overlaps")
        for ordering in told["orderings"]:
            self.assertLess(after.index(ordering["source"]), after.index(ordering["target"]))
        whole = self.json("simulate", self.graph, "--pipeline", plan, "--json")
        self.assertEqual(whole, self.json("simulate", out, "--json"))
        collective = told["orderings"][-1]["source"]
        said = self.expect(0, "explain", self.graph, "--node", collective, "--pipeline", plan).stdout
        self.assertIn("because you asked for it", said)
        self.expect(0, "bench", self.graph, "--pipeline", plan, "--repeat", "1")

    def test_no_graph_is_written_without_its_report(self):
        out = self.path("alone.graph.json")
        pipeline = self.path("pipeline.json", [])
        self.expect(1, "apply", self.graph, "--pipeline", pipeline, "-o", out, "--report", self.path("no/such/r.json"))
        self.assertFalse(os.path.exists(out))

    def test_presets(self):
        out, report = self.path("out.graph.json"), self.path("report.json")
        for preset, least in (("torchtitan_default", 1), ("torchtitan_performance", 3)):
            done = self.expect(0, "apply", self.graph, "--preset", preset, "-o", out, "--report", report)
            self.assertIn("they have been run already", done.stderr)
            with open(report, encoding="utf-8") as file:
                self.assertEqual(len(json.load(file)["passes"]), least)
        self.expect_error(1, ["torchtitan_default"], "apply", self.graph, "--preset", "torchtitan_defalt", "-o", out)
        both = self.path("pipeline.json", [])
        self.expect_error(2, ["--pipeline", "--preset"], "apply", self.graph, "--preset", "x", "--pipeline", both, "-o", out)

    def test_safe_is_said_to_be_no_result_of_pytorch(self):
        by_default, safe = self.path("default.graph.json"), self.path("safe.graph.json")
        for out, options in ((by_default, {}), (safe, {"safe": True})):
            pipeline = self.path("pipeline.json", bucketing("layers.0", **options))
            done = self.expect(0, "apply", self.graph, "--pipeline", pipeline, "-o", out)
            self.assertEqual("not PyTorch's result" in done.stderr, bool(options))
        self.assertIsNotNone(difference(read_document(by_default), read_document(safe)))
        nodes = {node["name"]: node for node in read_document(safe)["nodes"]}
        filled = [node for node in nodes.values() if node["target"] == "higher_order.control_deps"]
        self.assertTrue(filled)
        for node in filled:
            (copy,) = node["args"][0]
            self.assertEqual(nodes[copy["node"]]["target"], "aten.split_with_sizes_copy.out")
            self.assertEqual(node["outputs"], nodes[node["args"][2]["node"]]["outputs"])
        self.expect(0, "simulate", safe)

    def test_a_name_that_matches_nothing_is_told_and_reported(self):
        report = self.path("report.json")
        pipeline = self.path("pipeline.json", bucketing("layers.99", "layers.0"))
        done = self.expect(0, "apply", self.graph, "--pipeline", pipeline, "-o", self.path("o.json"), "--report", report)
        self.assertIn("layers.99", done.stderr)
        with open(report, encoding="utf-8") as file:
            problems = json.load(file)["passes"][0]["problems"]
        self.assertEqual([problem["plan_entry"] for problem in problems], [0])


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
        pipeline = self.path("pipeline.json", bucketing("layers.0", "layers.0.attention"))
        self.expect_error(1, ["pipeline.json: step 1 (" + PASS + ")", "layers.0"], "explain", self.graph, "--node", gather, "--pipeline", pipeline)
        self.expect_error(2, ["--node"], "explain", self.graph)


class Redistribute(CommandLine):
    HEADER = {"mesh_shape": [2, 2, 2], "mesh_dim_names": ["pp", "dp", "tp"], "devices_per_host": 8,
              "tensor_shape": [64, 48], "dtype": "float32"}

    def answers(self, cases, *options, **header):
        results = self.path("results.json")
        document = {"header": {**self.HEADER, **header}, "cases": cases}
        self.expect(0, "redistribute", self.path("cases.json", document), "-o", results, *options)
        with open(results) as file:
            return json.load(file)["cases"]

    def refused(self, words, *cases, **header):
        document = {"header": {**self.HEADER, **header}, "cases": list(cases)}
        self.expect_error(1, ["cases.json", *words], "redistribute", self.path("cases.json", document), "-o", self.path("results.json"))
        self.assertFalse(os.path.exists(self.path("results.json")))

    def test_another_order_of_the_source_makes_the_seeds_case_cheaper(self):
        given, dragged = self.answers([{"id": "given", "src": "S(0)S(0)S(0)", "dst": "S(0)[1,2]R[0]"},
                                       {"id": "dragged", "src": "S(0)[1,2,0]", "dst": "S(0)[1,2]R[0]"}])
        self.assertEqual(given["plans"]["greedy"]["path"].split("->")[0], "S(0)[0]S(0)[1]S(0)[2]")
        self.assertAlmostEqual(given["torch_default_executed"], 10.914, places=3)
        self.assertEqual(len(dragged["plans"]["optimal"]["steps"]), 1)
        self.assertLess(dragged["plans"]["optimal"]["total_cost"], given["plans"]["optimal"]["total_cost"])

    def test_measured_times_decide_for_the_optimal_plan(self):
        case = {"id": "gather", "src": "S(0)S(0)R", "dst": "RRR"}
        series = [{"collective": "all_gather", "mesh_dims": dims, "points": [[1024, us]]}
                  for dims, us in ((["pp"], 1.0), (["dp"], 1.0), (["dp", "pp"], 900.0))]
        table = self.path("table.json", {"series": series})
        self.assertEqual(len(self.answers([case])[0]["plans"]["optimal"]["steps"]), 1)
        self.assertEqual(len(self.answers([case], "--costs", table)[0]["plans"]["optimal"]["steps"]), 2)

    def test_questions_that_make_no_sense(self):
        self.refused(["cases[0] \"a\"", "2 placements", "3 dimensions"], {"id": "a", "src": "S(0)S(0)", "dst": "RRR"})
        self.refused(["dst", "mesh dimension 0 is there twice"], {"id": "a", "src": "RRR", "dst": "S(0)[0,0]R[1,2]"})
        self.refused(["src", "mesh dimension 2 is missing"], {"id": "a", "src": "S(0)[0]R[1]", "dst": "RRR"})
        self.refused(["src", "S(2) cuts a dimension"], {"id": "a", "src": "S(2)RR", "dst": "RRR"})
        self.refused(["called \"dp\""], {"id": "a", "src": "RRR", "dst": "RRR"}, mesh_dim_names=["dp", "tp", "dp"])
        self.refused(["not \"shard_ordr\""], {"id": "a", "dst": "RRR", "src": {"placements": ["R"] * 3, "shard_ordr": []}})

    def test_partials_that_do_not_mix_and_shards_that_do_not_fit(self):
        self.refused(["does not mix partial operations"], {"id": "a", "src": "RRR", "dst": "P(max)P(min)R"})
        (answer,) = self.answers([{"id": "a", "src": "_S(0, 2)RR", "dst": "RR_S(0, 3)"}])
        self.assertIn("plans", answer)

    def test_orders_that_would_save_something(self):
        graph = os.path.join(DATA, "redistribution_graphs", "fsdp_tp.graph.json")
        self.assertIn("40.56", self.expect(0, "info", graph, "--redistributions").stdout)


class TraceStats(CommandLine):
    def trace(self, name):
        return os.path.join(DATA, "traces", name + ".json.gz")

    def ranks(self, *files):
        return self.json("trace-stats", "--json", *files)["ranks"]

    def test_figures_per_rank_and_step(self):
        (rank,) = self.ranks(self.trace("hta_nccl_data"))
        self.assertEqual((rank["rank"], rank["world_size"], rank["device"], rank["events"]), (0, 2, "0", 40573))
        for figures in (rank, *rank["steps"]):
            self.assertAlmostEqual(
                figures["overlap_percent"], 100 * (1 - figures["exposed_ms"] / figures["communication_ms"]), places=9
            )
            self.assertGreater(figures["compute_ms"], 0)
            self.assertGreater(figures["idle_ms"], 0)
            self.assertEqual(figures["unmatched_events"], 0)
        self.assertEqual([step["name"] for step in rank["steps"]], ["ProfilerStep#4", "ProfilerStep#5", "ProfilerStep#6"])
        self.assertEqual([step["counted"] for step in rank["steps"]], [True, True, False])
        (gathered,) = [entry for entry in rank["collectives"] if entry["kind"] == "all_reduce"]
        self.assertEqual((gathered["description"], gathered["size"], gathered["count"]), ("default_pg", 2, 15))

    def test_figures_of_holistic_trace_analysis(self):
        with open(os.path.join(DATA, "traces", "holistic_trace_analysis.json")) as file:
            goldens = json.load(file)["traces"]
        for name, golden in goldens.items():
            with self.subTest(trace=name):
                (rank,) = self.ranks(os.path.join(DATA, "traces", name))
                figures, temporal = rank["holistic_trace_analysis"], golden["temporal"][0]
                for ours, theirs in (("compute_us", "compute_time(us)"), ("non_compute_us", "non_compute_time(us)"),
                                     ("idle_us", "idle_time(us)"), ("kernel_us", "kernel_time(us)")):
                    self.assertEqual(figures[ours], temporal[theirs])
                self.assertEqual(round(figures["overlap_percent"], 2), golden["overlap"][0]["comp_comm_overlap_pctg"])

    def test_a_trace_without_gpu_events_has_zeros(self):
        (rank,) = self.ranks(self.trace("hta_no_distributed_info"))
        self.assertEqual((rank["rank"], rank["compute_ms"], rank["overlap_percent"], rank["steps"]), (None, 0, None, []))
        self.assertIsNone(rank["holistic_trace_analysis"])
        text = self.expect(0, "trace-stats", self.trace("hta_no_distributed_info")).stdout
        self.assertIn("no GPU events", text)

    def test_table(self):
        text = self.expect(0, "trace-stats", self.trace("hta_nccl_data")).stdout
        for words in ("rank 0, GPU 0", "14.76 %", "* ProfilerStep#6", "launches_without_gpu_event: 3"):
            self.assertIn(words, text)

    def test_ranks_are_aligned_on_their_collectives(self):
        with gzip.open(self.trace("hta_nccl_data")) as file:
            other = json.load(file)
        other["distributedInfo"]["rank"] = 1
        other["baseTimeNanoseconds"] -= 2_000_000
        document = self.json("trace-stats", "--json", self.trace("hta_nccl_data"), self.path("rank1.json", other))
        self.assertEqual([rank["rank"] for rank in document["ranks"]], [0, 1])
        first, second = document["alignment"]["ranks"]
        self.assertEqual((first["clock_offset_ms"], second["clock_offset_ms"], second["spread_ms"]), (0, 2, 0))
        self.assertEqual((second["matched"], second["unmatched"]), (21, 0))
        self.assertEqual(len(document["alignment"]["collectives"]), 21)
        text = self.expect(0, "trace-stats", self.trace("hta_nccl_data"), self.path("rank1.json", other)).stdout
        self.assertIn("clocks, by 21 collectives", text)

    def test_bad_traces(self):
        with open(self.trace("hta_no_distributed_info"), "rb") as file:
            packed = file.read()
        plain = gzip.decompress(packed)
        files = {
            "truncated.json.gz": (packed[: len(packed) // 2], "truncated"),
            "truncated.json": (plain[: len(plain) // 2], "traceEvents["),
            "empty.json": (b"", "empty"),
            "graph.json": ({"format": "overlap-graph", "version": 1, "nodes": []}, "traceEvents"),
            "time.json": ({"traceEvents": [{"ph": "X", "ts": "now", "name": "a"}]}, "microseconds"),
        }
        for name, (content, word) in files.items():
            with self.subTest(file=name):
                self.expect_error(1, [name, word], "trace-stats", self.trace("hta_no_distributed_info"), self.path(name, content))
        self.expect_error(1, ["absent.json"], "trace-stats", self.path("absent.json"))
        self.expect_error(2, ["FILE"], "trace-stats")


class CompareCommand(CommandLine):
    """A plan beside another one, and beside what a job did."""

    NAMES = {"all_gather": "_allgather_base", "reduce_scatter": "_reduce_scatter_base", "all_reduce": "allreduce"}

    def plan(self, name, *entries):
        document = {"format": "overlap-plan", "version": 1, "name": name, "pipeline": bucketing(*entries)}
        return self.path(name + ".plan.json", document)

    def trace(self, name, change=lambda collectives: None):
        """The simulated step as a profiler would write it; `change` disturbs it."""
        collectives = self.json("simulate", self.graph, "--json")["collectives"]
        change(collectives)
        ranks = str(list(range(8)))
        events = [{
            "ph": "X", "cat": "kernel", "name": "ncclDevKernel_Generic(ncclDevComm*)", "pid": 0, "tid": 20, "ts": each["start_ms"] * 1e3,
            "dur": (each["end_ms"] - each["start_ms"]) * 1e3,
            "args": {"stream": 20, "device": 0, "Collective name": self.NAMES[each["kind"]], "dtype": "Byte", "In msg nelems": each["bytes"],
                     "Out msg nelems": each["bytes"], "Group size": 8, "Process Group Name": each["process_group"], "Process Group Ranks": ranks},
        } for each in collectives]
        return self.path(name, {"schemaVersion": 1, "traceEvents": events})

    def test_two_plans(self):
        one_each, together = self.plan("one", "layers.0", "layers.1"), self.plan("both", ["layers.0", "layers.1"])
        document = self.json("compare", self.graph, "--plan", one_each, "--plan", together, "--json")
        before, after = document["before"], document["after"]
        self.assertEqual((before["name"], after["name"]), (one_each, together))
        self.assertEqual(document["changes"]["merged"], before["collectives"] - after["collectives"])
        self.assertEqual(sum(document["changes"].values()), len(document["rows"]))
        self.assertEqual({row["remark"] for row in document["rows"] if row["change"] == "merged"},
                         {"merged into " + row["counterpart"] for row in document["rows"] if row["change"] == "merged"})
        self.assertAlmostEqual(sum(row["exposed_change_ms"] for row in document["rows"]), after["exposed_ms"] - before["exposed_ms"], places=6)
        self.assertNotIn("measurement", document)
        text = self.expect(0, "compare", self.graph, "--plan", one_each, "--plan", together, "--rows", "2").stdout
        self.assertRegex(text, r"all_gather_into_tensor_out: 1 collective instead of 2, \S+ .s instead of")
        self.assertIn("with smaller effects", text)

    def test_one_plan_is_compared_with_the_graph(self):
        document = self.json("compare", self.graph, "--plan", self.plan("one", "layers.0"), "--json")
        self.assertEqual(document["before"]["name"], "llama3_debugmodel_fsdp8.prebucket")
        self.assertGreater(document["changes"]["merged"], 10)
        self.assertEqual(document["changes"]["vanished"], 0)

    def test_measured_step(self):
        def change(collectives):
            collectives[7]["end_ms"] += 2
            for later in collectives[8:]:
                later["start_ms"] += 2
                later["end_ms"] += 2
            del collectives[30]
            collectives.append({**collectives[-1], "bytes": 77})
        document = self.json("compare", self.graph, "--trace", self.trace("job.json", change), "--json")
        measurement = document["measurement"]
        self.assertEqual((measurement["only_planned"], measurement["only_measured"], measurement["step"]), (1, 1, None))
        self.assertEqual(measurement["groups"], [{"planned": "0", "measured": "0", "matched_by": "ranks", "collectives": measurement["matched"]}])
        self.assertEqual(measurement["matched"] + 1, document["before"]["collectives"])
        self.assertEqual([row["cause"] for row in document["rows"] if row.get("cause", "none") != "none"], ["longer_kernel"])
        first = document["rows"][0]
        self.assertEqual((first["change"], first["cause"]), ("changed", "longer_kernel"))
        self.assertAlmostEqual(first["time_change_ms"], 2, places=3)
        self.assertEqual((document["changes"]["appeared"], document["changes"]["vanished"]), (1, 1))
        self.assertGreater(document["prediction_error"]["model"]["mean_absolute_ms"], 0.01)
        text = self.expect(0, "compare", self.graph, "--trace", self.path("job.json")).stdout
        self.assertIn("1 only planned, 1 only measured", text)
        self.assertIn("slower than the plan's cost model says", text)

    def test_times_of_a_profile(self):
        def change(collectives):
            for each in collectives:
                each["end_ms"] = each["start_ms"] + 0.25
        trace = self.trace("job.json", change)
        with open(trace) as file:
            document = json.load(file)
        for event in document["traceEvents"]:  # what the graph gathers and reduces is bfloat16 or float32
            event["args"]["dtype"] = "BFloat16"
            event["args"]["Out msg nelems"] //= 2
        profile, timed = self.path("profile.json", document), self.path("timed.graph.json.gz")
        done = self.expect(0, "estimate", self.graph, "--profile", profile, "-o", timed, "--json")
        self.assertRegex(done.stderr, r"the profile knows \d+ collectives and 0 other nodes of 1843 nodes")
        times = json.loads(done.stdout)
        self.assertEqual(times["all_gather_into_tensor"], 0.25)
        nodes = {node["name"]: node for node in read_document(timed)["nodes"]}
        self.assertEqual(nodes["all_gather_into_tensor"]["estimate_ms"], 0.25)
        self.assertEqual(nodes["mm"]["estimate_ms"], times["mm"])
        by_model = self.json("compare", self.graph, "--trace", trace, "--profile", profile, "--json")["prediction_error"]
        self.assertLess(by_model["profile"]["mean_absolute_ms"], by_model["model"]["mean_absolute_ms"])
        by_profile = self.json("compare", timed, "--trace", trace, "--json")["prediction_error"]
        self.assertLessEqual(by_profile["model"]["median_relative"], by_model["model"]["median_relative"])
        self.expect_error(1, ["profile.json", "traceEvents"], "estimate", self.graph, "--profile", self.path("profile.json", []))

    def test_usage_and_bad_input(self):
        plan = self.plan("one", "layers.0")
        self.expect_error(2, ["nothing to compare"], "compare", self.graph)
        self.expect_error(2, ["two plans at most"], "compare", self.graph, "--plan", plan, "--plan", plan, "--plan", plan)
        self.expect_error(2, ["--trace"], "compare", self.graph, "--plan", plan, "--step", "3")
        trace = self.trace("job.json")
        self.expect_error(1, ["job.json", "no step \"9\""], "compare", self.graph, "--trace", trace, "--step", "9")
        self.expect_error(1, ["job.json", "no GPU \"5\"; it has 0"], "compare", self.graph, "--trace", trace, "--device", "5")
        self.expect_error(1, ["missing.json"], "compare", self.graph, "--trace", self.path("missing.json"))


if __name__ == "__main__":
    PROGRAMS, DATA = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
