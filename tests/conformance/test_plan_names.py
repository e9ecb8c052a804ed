#!/usr/bin/env python3
"""A name in a plan that matches nothing is told by every command that reads a plan, whatever its passes are."""
import os
import subprocess

from command_line import CommandLine, PASS, SCHEDULER, bucketing, main, program

# What each plan names that the graph does not have.
UNKNOWN = {
    "manual": ("layers.99", {"buckets": [["layers.99"], ["layers.0"]],
                             "pipeline": [{"pass": PASS, "options": {"module_stack_fn": "custom.module_fqn"}}]}),
    "automatic": ("layers.99", {"buckets": [["layers.99"]], "pipeline": [{"pass": SCHEDULER}]}),
    "in_a_step": ("layers.98", {"pipeline": bucketing("layers.98", "layers.0")}),
    "without_passes": ("layers.99", {"buckets": [["layers.99"]], "pipeline": []}),
    "overlap": ("nope_1", {"pipeline": [{"pass": SCHEDULER}], "overlaps": [{"collective": "nope_1", "wait_after": "nope_2"}]}),
    "rule": ("nope_node", {"pipeline": [], "module_rules": [{"kind": "nodes", "module": "x", "nodes": ["nope_node"]}]}),
    "device_order": ("nope", {"pipeline": [], "device_orders": [{"parameters": "nope", "mesh": ["0"], "order": "S(0)"}]}),
}


class Names(CommandLine):
    def plans(self):
        for name, (unknown, fields) in UNKNOWN.items():
            yield name, unknown, self.path(name + ".plan.json", {"format": "overlap-plan", "version": 1, "name": name, **fields})

    def expect_told(self, unknown, *arguments):
        told = [line for line in self.expect(0, *arguments).stderr.splitlines() if "caution: " in line and unknown in line]
        self.assertTrue(told, arguments)

    def test_commands(self):
        out = self.path("out")
        for name, unknown, plan in self.plans():
            for command in (("simulate", self.graph, "--pipeline", plan), ("apply", self.graph, "--pipeline", plan, "-o", out),
                            ("bench", self.graph, "--pipeline", plan, "--repeat", "1"), ("compare", self.graph, "--plan", plan),
                            ("explain", self.graph, "--pipeline", plan, "--node", "all_gather_into_tensor")):
                with self.subTest(plan=name, command=command[0]):
                    self.expect_told(unknown, *command)

    def test_exports(self):
        for name, unknown, plan in self.plans():
            for form in ("plan", "graph_trainer", "job", "collectives.csv", "report"):
                with self.subTest(plan=name, form=form):
                    self.expect_told(unknown, "export", plan, "--graph", self.graph, "--to", form, "-o", self.path("out"))

    def test_an_export_without_a_graph_says_that_names_are_not_checked(self):
        for name, _, plan in self.plans():
            for form in ("plan", "graph_trainer"):
                with self.subTest(plan=name, form=form):
                    told = self.expect(0, "export", plan, "--to", form, "-o", self.path("out")).stderr
                    self.assertIn("names match anything is not known without its graph", told)
        empty = self.path("empty.plan.json", {"format": "overlap-plan", "version": 1, "name": "x", "pipeline": []})
        self.assertNotIn("names match", self.expect(0, "export", empty, "--to", "plan", "-o", self.path("out")).stderr)

    def test_the_runner(self):
        if not os.path.exists(program("overlap-runner")):
            self.skipTest("overlap-runner is not built")
        for name, unknown, plan in self.plans():
            with self.subTest(plan=name):
                done = subprocess.run([program("overlap-runner"), "--dry-run", self.graph, "--pipeline", plan, "-o", self.path("run.json")],
                                      capture_output=True, text=True, timeout=120, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(unknown, done.stdout + done.stderr)


class ExportWithoutGraph(CommandLine):
    def test_options_of_a_graph_are_refused(self):
        plan = self.path("x.plan.json", {"format": "overlap-plan", "version": 1, "name": "x", "pipeline": []})
        for option, value in (("--cost-model", "h100-sxm"), ("--compiled", "blocks"), ("--attention-density", "0.5")):
            with self.subTest(option=option):
                self.expect_error(2, [option, "--graph is missing"], "export", plan, "--to", "plan", "-o", self.path("out"), option, value)


if __name__ == "__main__":
    main()
