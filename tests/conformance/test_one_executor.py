#!/usr/bin/env python3
"""A plan is run by one executor: every program finds the same problems of it, refuses it in the same words and makes the
same graph and figures of it.

    test_one_executor.py PROGRAMS DATA [TEST...]
"""
import json
import os
import subprocess

from command_line import PASS, SCHEDULER, CommandLine, bucketing, graph_path, main, program

GOOD = {"pass": PASS, "options": {"module_stack_fn": "custom.module_fqn"}}
BLOCKS = [{"modules": "layers.[0-3]"}]
ISOLATE, REASSIGN = {"pass": "isolate_ep_process_group_pass"}, {"pass": "reassign_collective_pgs_pass"}
JOINT = {"pass": "joint_transformer_block_bucketing_reordering_pass"}
DENSE = {"pass": "schedule_fsdp_comms_to_dense_regions_pass",
         "options": {"moe_layer_ids": [], "n_layers": 60, "strict": True}}
JOINT_GRAPH = "llama3_debugmodel_fsdp8.prebucket"
INNER_LIST = ["layers.0", "layers.0.attention"]
INNER = [{"modules": name} for name in INNER_LIST]
SHARED = "entries 1 (layers.0) and 2 (layers.0.attention) share "
EARLY = {"collective": "all_gather_into_tensor_23", "hide_behind": "layers.1"}
GONE = {"collective": "gone", "start_before": "all_gather_into_tensor_2"}

# What a plan is, what is said of it, and whether overlap-runner refuses it for its process groups.
PLANS = {
    "empty": ({}, []),
    "blocks": ({"buckets": BLOCKS, "pipeline": [GOOD]}, []),
    "unknown module": ({"buckets": [{"modules": "layer.1"}], "pipeline": [GOOD]}, ["matches no module"]),
    "own entries of a later step": ({"pipeline": [JOINT, *bucketing("layers.0")]}, []),
    "own entries": ({"pipeline": bucketing("layers.99")}, ["matches no module"]),
    "empty entry": ({"buckets": [{"modules": []}], "pipeline": [GOOD]}, ["names no module and does nothing"]),
    "nothing gathered": ({"buckets": [{"modules": "layers.0.attention.rope"}], "pipeline": [GOOD]}, ["no collective"]),
    "other source": ({"buckets": BLOCKS, "pipeline": [{"pass": PASS}]}, ["no node of the graph has a module stack"]),
    "not taken": ({"buckets": BLOCKS}, ["no step of the plan takes its bucket"]),
    "unknown field": ({"buckets": BLOCKS, "pipeline": [GOOD], "of_a_newer_writer": 1}, ["of_a_newer_writer"]),
    "no new group": ({"pipeline": [ISOLATE]}, ["no expert parallelism to isolate"]),
    "twice reassigned": ({"pipeline": [REASSIGN, REASSIGN]}, ["again"]),
    "device order": ({"device_orders": [{"parameters": "none.*", "mesh": ["0"], "order": "S(0)"}]}, ["none.*"]),
    "rule of nothing": ({"module_rules": [{"kind": "nodes", "module": "extra", "nodes": ["no_such_node"]}]},
                        ["rule 1 (no_such_node"]),
    "overlaps": ({"buckets": BLOCKS, "pipeline": [GOOD], "overlaps": {"directives": [EARLY, GONE]}},
                 ["overlap 2 (gone is issued before"]),
    "settings": ({"process_groups": [{"name": "0", "max_ctas": 4}]}, []),
    "order left open": ({"pipeline": [{"pass": "bucket_all_gather"}]}, ["stable_topological_sort"]),
    "scheduled": ({"pipeline": [{"pass": SCHEDULER, "options": {"collective_bucketing": True}}]}, []),
    "unknown group": ({"process_groups": [{"name": "9"}]}, ["a run would refuse process_groups[0].name"], True),
    "wrong setting": ({"process_groups": [{"name": "0", "max_ctas": 0}]}, ["a run would refuse process_groups[0]"], True),
}

# Plans that cannot be run, with the place and the words for it.
REFUSED = {
    "joint pass": ({"buckets": BLOCKS, "pipeline": [{"pass": "eliminate_dead_code_pass"},
                                                   {"pass": "joint_transformer_block_bucketing_reordering_pass"}]},
                   "step 2 (joint_transformer_block_bucketing_reordering_pass): no node has a module"),
    "overlapping entries": ({"buckets": INNER, "pipeline": [{"pass": PASS}]}, f"step 1 ({PASS}), bucket plans: {SHARED}"),
    "overlapping entries of a step": ({"pipeline": [{"pass": PASS, "options": {"module_bucket_plans": INNER_LIST}}]},
                                      f"step 1 ({PASS}), bucket plans: {SHARED}"),
    "overlapping, but refused for more": ({"buckets": INNER, "pipeline": [DENSE]},
                                          f"step 1 ({DENSE['pass']}): launches cannot be scheduled", JOINT_GRAPH),
}


class OneExecutor(CommandLine):
    def plan(self, name, fields):
        return self.path(name.replace(" ", "_") + ".plan.json", {"format": "overlap-plan", "version": 1, **fields})

    def commands(self, graph, plan):
        """Every command that runs plans."""
        out = self.path("out.graph.json")
        return {
            "apply": ("apply", graph, "--pipeline", plan, "-o", out),
            "simulate": ("simulate", graph, "--pipeline", plan),
            "bench": ("bench", graph, "--pipeline", plan, "--repeat", "1"),
            "explain": ("explain", graph, "--node", "all_gather_into_tensor_23", "--pipeline", plan),
            "compare": ("compare", graph, "--plan", plan),
            "calibrate": ("calibrate", graph, graph, "--plan", plan, "--cost-model", "h200-sxm", "-o", self.path("fitted.cost.json")),
            "export": ("export", plan, "--graph", graph, "--to", "report", "-o", self.path("out.html")),
        }

    def runner(self, graph, plan):
        command = [program("overlap-runner"), "--dry-run", graph, "--pipeline", plan, "-o", self.path("result.json"),
                   "--iterations", "1", "--warm-up", "1"]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)

    @staticmethod
    def problems(stderr, plan):
        """The lines on the plan, without the program that says them."""
        return [line.split(": ", 1)[1] for line in stderr.splitlines() if f": {plan}: " in line]

    def test_problems_are_the_same_everywhere(self):
        for name, (fields, words, *refused_by_runner) in PLANS.items():
            plan = self.plan(name, fields)
            # A graph is no run, which calibrate notices after it has reported the plan's problems.
            found = {command: self.problems(self.expect(int(command == "calibrate"), *arguments).stderr, plan)
                     for command, arguments in self.commands(self.graph, plan).items()}
            if not refused_by_runner:
                done = self.runner(self.graph, plan)
                self.assertEqual(done.returncode, 0, done.stderr)
                found["runner"] = self.problems(done.stderr, plan)
            for command, problems in found.items():
                with self.subTest(plan=name, command=command):
                    self.assertEqual(problems, found["apply"])
                    for word in words:
                        self.assertTrue(any(word in problem for problem in problems), problems)
                    if not words:
                        self.assertEqual([line for line in problems if ": error: " in line], [])

    def test_the_runner_refuses_groups_that_others_tell_of(self):
        for name, (fields, _, *refused) in PLANS.items():
            if not refused:
                continue
            plan = self.plan(name, fields)
            done = self.runner(self.graph, plan)
            (told,) = self.problems(self.expect(0, *self.commands(self.graph, plan)["apply"]).stderr, plan)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, f"overlap-runner: {plan}: {told.split('a run would refuse ')[1]}\n")

    def test_figures_are_the_same_everywhere(self):
        for name in ("empty", "blocks", "overlaps", "scheduled", "twice reassigned"):
            with self.subTest(plan=name):
                plan, out = self.plan(name, PLANS[name][0]), self.path("out.graph.json")
                self.expect(0, "apply", self.graph, "--pipeline", plan, "-o", out)
                applied, simulated = self.json("simulate", out, "--json"), self.json(
                    "simulate", self.graph, "--pipeline", plan, "--json")
                self.assertEqual(applied, simulated)
                compared = self.json("compare", self.graph, "--plan", plan, "--json")
                self.assertEqual(compared["after"]["step_ms"], simulated["step_ms"])

    def test_explain_tells_the_buckets_that_apply_makes(self):
        """Entries of one step are for no other step, which would bucket the same collectives once more."""
        for name in ("blocks", "own entries of a later step"):
            plan, report = self.plan(name, PLANS[name][0]), self.path("report.json")
            self.expect(0, "apply", self.graph, "--pipeline", plan, "-o", self.path("out.graph.json"), "--report", report)
            with open(report, encoding="utf-8") as file:
                buckets = [(each["pass"], bucket) for each in json.load(file)["passes"] for bucket in each["buckets"]]
            self.assertTrue(buckets)
            for made_by, bucket in buckets:
                with self.subTest(plan=name, bucket=bucket["start"]):
                    told = self.json("explain", self.graph, "--node", bucket["members"][0], "--pipeline", plan, "--json")
                    self.assertEqual(told["bucket"], bucket)
                    self.assertTrue(any(f" of {made_by}" in sentence for sentence in told["sentences"]), told)

    def test_refusals_are_the_same_everywhere(self):
        for name, (fields, words, *other_graph) in REFUSED.items():
            graph = graph_path(*other_graph or ["llama3_debugmodel_fsdp8_aot_fw"])
            plan, reasons = self.plan(name, fields), set()
            for command, arguments in self.commands(graph, plan).items():
                with self.subTest(plan=name, command=command):
                    done = self.expect(1, *arguments)
                    self.assertEqual(done.stdout, "")
                    nothing = "the plan is refused, so there is nothing to export: " if command == "export" else ""
                    self.assertTrue(done.stderr.startswith(f"overlap: {plan}: {nothing}{words}"), done.stderr)
                    reasons.add(done.stderr.split(words)[1])
            done = self.runner(graph, plan)
            self.assertEqual(done.returncode, 1)
            self.assertTrue(done.stderr.startswith(f"overlap-runner: {plan}: {words}"), done.stderr)
            self.assertEqual(reasons, {done.stderr.split(words)[1]})


if __name__ == "__main__":
    main()
