#!/usr/bin/env python3
"""overlap sweep: a table over graphs, cost models, plans and values of options."""
import csv

from command_line import CommandLine, PASS, SCHEDULER, bucketing, graph_path, main


class Sweep(CommandLine):
    def setUp(self):
        super().setUp()
        self.other = graph_path("llama3_debugmodel_fsdp8_aot_fw")
        self.manual = self.path("manual.json", bucketing("layers.0", "layers.1"))
        self.automatic = self.path("automatic.json", [{"pass": SCHEDULER}])

    def table(self, *arguments):
        out = self.path("table.csv")
        self.assertEqual(self.expect(0, "sweep", *arguments, "--csv", out).stdout, "")
        with open(out, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_every_combination_has_the_figures_of_simulate(self):
        models = ("h100-sxm", "a100-sxm")
        rows = self.table(self.graph, self.other, "--plan", self.manual, "--plan", self.automatic,
                          "--cost-model", models[0], "--cost-model", models[1], "--jobs", "3")
        expected = [(graph, model, plan) for graph in (self.graph, self.other) for model in models
                    for plan in ("", self.manual, self.automatic)]
        self.assertEqual([(row["graph"], row["cost_model"], row["plan"]) for row in rows], expected)
        for row in rows:
            plan = ("--pipeline", row["plan"]) if row["plan"] else ()
            figures = self.json("simulate", row["graph"], "--cost-model", row["cost_model"], *plan, "--json")
            for column in ("step_ms", "compute_ms", "exposed_ms", "idle_ms"):
                self.assertAlmostEqual(float(row[column]), figures[column], places=5)
            for column in ("peak_memory_bytes", "torch_peak_memory_bytes"):
                self.assertEqual(int(row[column]), figures[column])
            self.assertEqual((int(row["collectives"]), row["refusal"]), (len(figures["collectives"]), ""))

    def test_values_of_options(self):
        bucket, distance = PASS + ".bucket_mode", SCHEDULER + ".max_coll_distance"
        rows = self.table(self.graph, "--plan", self.automatic, "--plan", self.manual,
                          "--set", distance + "=0,10,1000", "--set", bucket + "=default,custom_ops")
        values = [(row["plan"], row[distance], row[bucket]) for row in rows]
        self.assertEqual(values, [("", "", ""), *((self.automatic, value, "") for value in ("0", "10", "1000")),
                                  *((self.manual, "", value) for value in ("default", "custom_ops"))])
        steps = {row[distance]: row["step_ms"] for row in rows if row["plan"] == self.automatic}
        for value, step in steps.items():
            plan = self.path("one.json", [{"pass": SCHEDULER, "options": {"max_coll_distance": int(value)}}])
            self.assertAlmostEqual(float(step), self.json("simulate", self.graph, "--pipeline", plan, "--json")["step_ms"], places=5)

    def test_order_and_content_do_not_depend_on_jobs(self):
        arguments = (self.graph, self.other, "--plan", self.automatic, "--set", SCHEDULER + ".max_coll_distance=1,50", "--json")
        one, four = (self.expect(0, "sweep", *arguments, "--jobs", jobs).stdout for jobs in ("1", "4"))
        self.assertEqual(one, four)

    def test_a_refused_row_says_why_and_the_others_are_there(self):
        refused = self.path("refused.json", bucketing("layers.0", "layers.0.attention"))
        done = self.expect(0, "sweep", self.graph, "--plan", refused, "--plan", self.manual, "--json")
        rows = self.json("sweep", self.graph, "--plan", refused, "--plan", self.manual, "--json")["rows"]
        self.assertEqual([row["step"] is None for row in rows], [False, True, False])
        self.assertIn("layers.0", rows[1]["refusal"])
        self.assertIn("refused.json", done.stderr)
        text = self.expect(0, "sweep", self.graph, "--plan", refused).stdout
        self.assertIn("refused", text)

    def test_a_plan_of_one_of_the_graphs_is_refused_for_the_others(self):
        own = self.path("own.plan.json")
        self.expect(0, "search", self.graph, "--effort", "1", "-o", own)
        rows = self.json("sweep", self.other, self.graph, "--plan", own, "--plan", self.automatic, "--json")["rows"]
        self.assertEqual([row["step"] is None for row in rows], [False, True, False, False, False, False])
        self.assertTrue(rows[1]["refusal"].startswith("graph: the plan is for another graph"), rows[1]["refusal"])
        self.expect_error(1, ["own.plan.json", "the plan is for another graph"], "sweep", self.other, "--plan", own)

    def test_progress_is_told_unless_quiet(self):
        told = self.expect(0, "sweep", self.graph, "--plan", self.manual).stderr
        self.assertIn("overlap: 2 of 2: ", told)
        self.assertEqual(self.expect(0, "sweep", self.graph, "--plan", self.manual, "-q").stderr, "")

    def test_wrong_settings(self):
        for setting, words in (("nonsense", "PASS.OPTION=VALUE"), ("manual_overlap_buckets.x=1", PASS),
                               (SCHEDULER + ".max_coll_distanc=1", "max_coll_distance"),
                               (SCHEDULER + ".max_coll_distance=1,many", "whole number"),
                               (SCHEDULER + ".max_in_flight_gb=-1", "at least 0"),
                               ("stable_topological_sort.x=1", "x")):
            with self.subTest(setting=setting):
                self.expect_error(2, ["--set", words], "sweep", self.graph, "--plan", self.automatic, "--set", setting)
        self.expect_error(1, ["no plan runs the pass"], "sweep", self.graph, "--plan", self.automatic, "--set", PASS + ".bucket_mode=default")
        self.expect_error(2, ["--jobs"], "sweep", self.graph, "--jobs", "0")


if __name__ == "__main__":
    main()
