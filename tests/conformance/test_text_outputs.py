#!/usr/bin/env python3
"""What commands print for people, and how they read from pipes."""
import csv
import json
import os
import subprocess

from command_line import CommandLine, SCHEDULER, bucketing, data, main, program
from compare_graphs import read_document

FLEX = "higher_order.flex_attention"


class Texts(CommandLine):
    def test_simulate_lists_the_worst_collectives_with_causes(self):
        figures = self.json("simulate", self.graph, "--json")
        worst = sorted(figures["collectives"], key=lambda each: -each["exposed_ms"])
        lines = self.expect(0, "simulate", self.graph, "--rows", "3").stdout.splitlines()
        (head,) = [number for number, line in enumerate(lines) if line.startswith("most exposed")]
        for line, collective in zip(lines[head + 1:head + 4], worst):
            self.assertEqual((line.split()[0], line.split()[-1]), (collective["name"], collective["cause"]))
        self.assertIn(f"{worst[0]['name']}: {worst[0]['explanation']}", lines)
        exposed = sum(each["cause"] != "none" for each in figures["collectives"])
        self.assertEqual(lines[-1], f"and {exposed - 3} other exposed collectives")
        everything = self.expect(0, "simulate", self.graph, "--rows", "0").stdout
        self.assertNotIn("other exposed", everything)

    def test_apply_and_its_report_have_the_step(self):
        pipeline, report, out = self.path("p.json", bucketing("layers.0")), self.path("r.json"), self.path("o.graph.json")
        figures = self.json("apply", self.graph, "--pipeline", pipeline, "-o", out, "--report", report, "--json")
        with open(report, encoding="utf-8") as file:
            document = json.load(file)
        for key, graph in (("step_before", self.graph), ("step_after", out)):
            simulated = self.json("simulate", graph, "--json")
            for field in ("step_ms", "compute_ms", "exposed_ms", "idle_ms", "peak_memory_bytes", "torch_peak_memory_bytes"):
                self.assertAlmostEqual(figures[key][field], simulated[field], places=6, msg=field)
            self.assertEqual(document[key], figures[key])
        self.assertRegex(self.expect(0, "apply", self.graph, "--pipeline", pipeline, "-o", out).stdout, r"\nstep \S+ ms \(\S+ ms before\)")

    def test_entries_count_from_one_everywhere(self):
        report, pipeline = self.path("r.json"), self.path("p.json", bucketing("layers.1", "layers.0"))
        self.expect(0, "apply", self.graph, "--pipeline", pipeline, "-o", self.path("o.json"), "--report", report)
        with open(report, encoding="utf-8") as file:
            document = json.load(file)
        buckets = document["passes"][0]["buckets"]
        self.assertEqual({bucket["plan_entry"] for bucket in buckets}, {1, 2})
        bucket = next(bucket for bucket in buckets if bucket["plan_entry"] == 2)
        told = self.expect(0, "explain", self.graph, "--node", bucket["members"][0], "--pipeline", pipeline).stdout
        self.assertIn("entry 2 (layers.0)", told)

    def test_numbers_of_tables_are_short(self):
        plan = self.path("x.plan.json", {"format": "overlap-plan", "version": 1, "name": "x", "pipeline": [{"pass": SCHEDULER}]})
        table = self.path("c.csv")
        self.expect(0, "export", plan, "--graph", self.graph, "--to", "collectives.csv", "-o", table)
        with open(table, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertGreater(len(rows), 5)
        for row in rows:
            for column in ("start_ms", "end_ms", "duration_ms", "exposed_ms", "issue_ms", "ready_ms"):
                self.assertLessEqual(len(row[column].partition(".")[2]), 6, row[column])

    def test_a_merged_collective_is_of_the_modules_of_its_members(self):
        plan = self.path("x.plan.json", {"format": "overlap-plan", "version": 1, "name": "x",
                                         "pipeline": bucketing("layers.0")[:1]})
        table = self.path("c.csv")
        self.expect(0, "export", plan, "--graph", self.graph, "--to", "collectives.csv", "-o", table)
        with open(table, newline="", encoding="utf-8") as file:
            merged = [row for row in csv.DictReader(file) if int(row["member_count"]) > 1]
        self.assertGreater(len(merged), 0)
        self.assertEqual({row["module"] for row in merged}, {"layers.0"})

    def test_trace_stats_is_a_summary_unless_all_is_asked_for(self):
        events = []
        for step in range(40):
            begin = step * 1000
            events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": begin, "dur": 900})
            launch = {"pid": 1, "tid": 1, "ts": begin + 10, "dur": 5, "args": {"correlation": step}}
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", **launch})
            events.append({"ph": "X", "cat": "kernel", "name": f"kernel_{step}", "pid": 0, "tid": 7, "ts": begin + 20, "dur": 500,
                           "args": {"stream": 7, "device": 0, "correlation": step}})
        trace = self.path("trace.json", {"schemaVersion": 1, "traceEvents": events})
        short, whole = (self.expect(0, "trace-stats", trace, *options).stdout for options in ((), ("--all",)))
        self.assertIn("and 32 steps between; --all lists them", short)
        self.assertIn("ProfilerStep#39", short)
        self.assertEqual(sum("ProfilerStep" in line for line in short.splitlines()), 8)
        self.assertEqual(sum("ProfilerStep" in line for line in whole.splitlines()), 40)

    def test_import_lists_collectives(self):
        logs = [data("structured_logs", f"schedule_rank_{rank}.log") for rank in range(3)]
        listed = self.json("import", "--list", "--json", *logs)["graphs"]
        self.assertTrue(any(graph["collectives"] > 0 for graph in listed))
        lines = self.expect(0, "import", "--list", *logs).stdout.splitlines()
        self.assertIn("collectives", lines[0])

    def test_groups_are_given_by_ranges(self):
        text, out = data("fx_text", "step.readable.py"), self.path("o.graph.json")
        self.expect(0, "import", text, "--group", "0=0-3,8-9,12", "-o", out)
        groups = {group["name"]: group["ranks"] for group in read_document(out)["process_groups"]}
        self.assertEqual(groups["0"], [0, 1, 2, 3, 8, 9, 12])
        for wrong, words in (("0=3-1", "a range such as 0-7"), ("0=0-3,2", "2 twice"), ("0=-1", "found -1"), ("0=0-9999999", "million")):
            with self.subTest(group=wrong):
                self.expect_error(2, ["--group", words], "import", text, "--group", wrong, "-o", out)


class Models(CommandLine):
    def test_compare_takes_the_models_of_simulate(self):
        plan = self.path("x.plan.json", {"format": "overlap-plan", "version": 1, "name": "x", "pipeline": bucketing("layers.0")})
        model = data("cost_models", "everything.cost.json")
        for options in (("--cost-model", model), ("--cost-model", model, "--contention"), ("--compiled", "blocks"),
                        ("--cost-model", model, "--contention", "--compiled", "whole")):
            with self.subTest(options=options):
                compared = self.json("compare", self.graph, "--plan", plan, *options, "--json")["after"]
                if "--compiled" in options and "--contention" in options:
                    plain = self.json("compare", self.graph, "--plan", plan, *options[:2], "--json")["after"]
                    self.assertNotEqual(compared["step_ms"], plain["step_ms"])
                    continue
                simulated = self.json("simulate", self.graph, "--pipeline", plan, *options, "--json")
                self.assertAlmostEqual(compared["step_ms"], simulated["step_ms"], places=6)
        self.expect_error(1, ["no factors of contention"], "compare", self.graph, "--plan", plan, "--contention")

    def test_what_has_no_effect_is_told(self):
        done = self.expect(0, "simulate", self.graph, "--compiled", "blocks", "--attention-density", "0.3")
        has_flex = any(node["target"].startswith(FLEX) for node in read_document(self.graph)["nodes"])
        self.assertEqual("--attention-density has no effect" in done.stderr, not has_flex)
        self.assertIn("no built-in model has any", " ".join(self.expect(0, "simulate", "--help").stdout.split()))
        told = self.expect(0, "simulate", self.graph, "--cost-model", "h100-sxm", "--contention").stderr
        self.assertIn("overlap calibrate finds them", told)


class Pipes(CommandLine):
    def run_with(self, text, *arguments, **options):
        return subprocess.run([program("overlap"), *arguments], input=text, capture_output=True, timeout=120, check=False, **options)

    def test_standard_input(self):
        with open(self.graph, "rb") as file:
            graph = file.read()
        expected = self.expect(0, "simulate", self.graph, "--json").stdout
        done = self.run_with(graph, "simulate", "-", "--json")
        self.assertEqual((done.returncode, done.stdout.decode()), (0, expected), done.stderr)
        plan = json.dumps(bucketing("layers.0")).encode()
        piped = self.run_with(plan, "simulate", self.graph, "--pipeline", "-", "--json")
        file = self.path("p.json", plan)
        self.assertEqual(piped.stdout.decode(), self.expect(0, "simulate", self.graph, "--pipeline", file, "--json").stdout)

    def test_pipes_are_read_to_their_end(self):
        ends = os.pipe()
        with open(self.graph, "rb") as file, subprocess.Popen(["cat"], stdin=file, stdout=ends[1]):
            os.close(ends[1])
            done = self.run_with(None, "info", f"/dev/fd/{ends[0]}", "--json", pass_fds=[ends[0]])
        os.close(ends[0])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["nodes"], len(read_document(self.graph)["nodes"]))

    def test_errors_name_what_was_given(self):
        done = self.run_with(b"{", "info", "-")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.startswith(b"overlap: -: "), done.stderr)
        self.assertEqual(self.run_with(b"", "compare", "-", "--plan", "-").returncode, 2)

    def test_quiet_leaves_errors_alone(self):
        pipeline = self.path("p.json", bucketing("layers.99", "layers.0"))
        command = ("simulate", self.graph, "--pipeline", pipeline)
        self.assertIn("layers.99", self.expect(0, *command).stderr)
        quiet = self.expect(0, *command, "--quiet")
        self.assertEqual((quiet.stderr, quiet.stdout), ("", self.expect(0, *command).stdout))
        self.expect_error(1, ["absent"], "simulate", self.path("absent"), "-q")


if __name__ == "__main__":
    main()
