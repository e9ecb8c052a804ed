#!/usr/bin/env python3
"""overlap apply: graphs, summaries, reports and plans."""
import json
import os

from command_line import CommandLine, PASS, bucketing, data, graph_path, main
from compare_graphs import difference, read_document


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
        self.expect_error(2, ["overlap bench", "torchtitan_default"], "bench", self.graph, "--preset", "torchtitan_defualt")
        self.expect_error(2, ["--preset"], "bench", self.graph)
        pipeline = self.path("pipeline.json", [])
        self.expect_error(2, ["--preset"], "explain", self.graph, "--node", gather, "--preset", "torchtitan_default",
                          "--pipeline", pipeline)

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
        self.assertEqual({bucket["plan_entry"] for bucket in step["buckets"]}, {1, 2})
        for bucket in step["buckets"]:
            self.assertGreater(len(bucket["members"]), 1)
            self.assertLessEqual(set(bucket["members"]), before)
            self.assertIn(bucket["start"], after)
            self.assertLessEqual(set(bucket["waits"]), after)
            self.assertGreater(bucket["bytes"], 0)
        self.assertEqual([problem["kind"] for problem in step["problems"]], ["gathered_for_both"])

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
        samples = data("..", "..", "resources", "samples")
        graph = os.path.join(samples, "llama3_8b_fsdp128.prebucket.graph.json.gz")
        plan, out = os.path.join(samples, "llama3_8b_fsdp128.plan.json"), self.path("out.graph.json.gz")
        done = self.expect(0, "apply", graph, "--pipeline", plan, "-o", out)
        self.assertEqual(done.stderr, "")
        before, after = (self.json("simulate", file, "--json") for file in (graph, out))
        self.assertLess(after["step_ms"], before["step_ms"])

    def test_a_misspelt_option_is_named_before_a_missing_one(self):
        done = self.expect(2, "apply", self.graph, "--presett", "torchtitan_default", "-o", self.path("o.json"))
        self.assertIn('there is no option "--presett"; nearest: "--preset"', done.stderr)

    def test_a_missing_command_is_named(self):
        self.expect_error(2, ["overlap: a command is required; see overlap --help"])

    def test_behind_two_dashes_there_are_no_options(self):
        done = self.expect(2, "apply", "--preset", "torchtitan_default", "--", self.graph)
        self.assertNotIn("there is no option", done.stderr)

    def test_a_file_without_a_name_is_no_file(self):
        self.assertIn("the name of the file is empty", self.expect(1, "info", "").stderr)

    def test_what_a_plan_holds_and_is_not_evaluated_is_told(self):
        for later, told in (({"from_the_future": 1}, "keeps but does not know: from_the_future"),
                            ({"process_groups": [{"name": "0", "max_ctass": 16}]},
                             'does not know: process_groups[0].max_ctass; nearest: "max_ctas"'),
                            ({"buckets": [{"modules": "norm", "titel": "n"}]}, "does not know: buckets[0].titel"),
                            ({"overlaps": [{"collective": "gone", "befor": "mm"}]}, "does not know: overlaps[0].befor"),
                            ({"process_groups": [{"min_ctas": 1}]}, "a run would refuse process_groups[0]")):
            plan = self.path("later.plan.json", {"format": "overlap-plan", "version": 1, **later})
            done = self.expect(0, "apply", self.graph, "--pipeline", plan, "-o", self.path("o.json"))
            self.assertIn(told, done.stderr)
        added = self.path("m.plan.json", {"format": "overlap-plan", "version": 1, "memory": {}})
        graph = graph_path("llama3_debugmodel_fsdp8")  # before the passes have run
        for command in (("simulate", graph, "--pipeline", added), ("bound", graph, "--pipeline", added),
                        ("apply", graph, "--pipeline", added, "-o", self.path("o.json")),
                        ("explain", graph, "--pipeline", added, "--node", "mm"), ("compare", graph, "--plan", added),
                        ("export", added, "--to", "graph_trainer", "-o", self.path("o.py")),
                        ("search", graph, "--from", added, "--effort", "1", "-o", self.path("s.plan.json"))):
            self.assertIn("so steps were added when the plan was read", self.expect(0, *command).stderr, command)
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
        self.assertIn("caution: overlap 3 (gone is issued before", done.stderr)
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
        self.expect_error(2, ["torchtitan_default"], "apply", self.graph, "--preset", "torchtitan_defalt", "-o", out)
        self.expect_error(2, ["nope", "torchtitan_default", "torchtitan_performance"],
                          "apply", self.path("absent"), "--preset", "nope", "-o", out)
        both = self.path("pipeline.json", [])
        self.expect_error(2, ["--pipeline", "--preset"],
                          "apply", self.graph, "--preset", "torchtitan_default", "--pipeline", both, "-o", out)

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
        self.assertEqual([problem["plan_entry"] for problem in problems if problem["severity"] != "note"], [1])


if __name__ == "__main__":
    main()
