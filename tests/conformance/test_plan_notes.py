#!/usr/bin/env python3
"""What is remarkable about a plan is said by every command that reads it."""
import gzip
import json
import os

from command_line import PASS, CommandLine, bucketing, graph_path, main

PLAN = {"format": "overlap-plan", "version": 1, "name": "remarkable", "of_newer": 1,
        "buckets": [{"modules": ["layers.0"]}, {"modules": ["layers.77"]}],
        "memory": {"policy": "full", "rules": [{"modules": ["nowhere"], "action": "recompute"}]},
        "pipeline": [{"pass": PASS, "options": {"module_stack_fn": "custom.module_fqn"}}]}


class PlanNotes(CommandLine):
    def setUp(self):
        super().setUp()
        self.graph = os.path.abspath(graph_path("llama3_debugmodel_fsdp8"))  # jobs look beside their document
        self.plan = self.path("x.plan.json", PLAN)
        simulated = self.notes(self.plan, "simulate", self.graph, "--pipeline", self.plan)
        for words in ("\"layers.77\" matches no module", "\"nowhere\" matches no module", "steps were added", "of_newer"):
            self.assertTrue(any(words in note for note in simulated), (words, simulated))
        self.simulated = simulated

    def notes(self, file, *arguments):
        head = f"overlap: {file}: "
        lines = self.expect(0, *arguments).stderr.splitlines()
        return [line.removeprefix(head) for line in lines if line.startswith(head)]

    def job(self, *stages):
        return self.path("x.job.json", {"format": "overlap-job", "version": 1, "stages": list(stages),
                                        "schedule": {"name": "1F1B", "microbatches": 4}})

    def test_commands_of_graphs(self):
        trace = self.path("trace.json")
        self.expect(0, "simulate", self.graph, "--trace", trace)
        for command in (("apply", self.graph, "--pipeline", self.plan, "-o", self.path("o.graph.json")),
                        ("bench", self.graph, "--pipeline", self.plan, "--repeat", "1"),
                        ("bound", self.graph, "--pipeline", self.plan),
                        ("calibrate", self.graph, trace, "--predict", self.plan, "-o", self.path("o.cost.json")),
                        ("compare", self.graph, "--plan", self.plan),
                        ("explain", self.graph, "--pipeline", self.plan, "--node", "mm"),
                        ("export", self.plan, "--graph", self.graph, "--to", "report", "-o", self.path("o.html")),
                        ("search", self.graph, "--from", self.plan, "--effort", "1", "-o", self.path("o.plan.json")),
                        ("sweep", self.graph, "--plan", self.plan)):
            with self.subTest(command=command[0]):
                self.assertEqual(self.notes(self.plan, *command), self.simulated)

    def test_of_a_sweep_each_once_and_figures_with_their_row(self):
        option, small = PASS + ".bucket_mode", self.path("small.graph.json", self.graph_of_a_small_device())
        passes = self.path("list.json", bucketing("layers.0", "layers.77"))
        lines = self.expect(0, "sweep", self.graph, small, "--plan", passes, "--set",
                            option + "=default,custom_ops").stderr.splitlines()
        self.assertEqual(len([line for line in lines if line.startswith(f"overlap: {passes}: ")]), 1, lines)
        for row in (small, f"{small}, {passes}, {option}=default", f"{small}, {passes}, {option}=custom_ops"):
            found = [line for line in lines if line.startswith(f"overlap: {row}: caution: ")]
            self.assertEqual(len(found), 1, (row, lines))
            self.assertIn("the peak memory of the step is", found[0])

    def test_jobs_say_them_once_with_their_stages(self):
        stage = {"graph": self.graph, "plan": "x.plan.json"}
        job = self.job(stage, {"graph": self.graph}, {**stage, "name": "another"}, {"ms": {"F": 1, "B": 2}})
        expected = ["x.plan.json (stages 0 and 2): " + note for note in self.simulated]
        for action in ("simulate", "check", "schedules"):
            with self.subTest(action=action):
                self.assertEqual(self.notes(job, "job", action, job), expected)
                self.assertEqual(self.json("job", action, job, "--json")["notes"], expected)

    def test_jobs_warn_of_a_graph_as_simulate_does(self):
        graph = self.path("small.graph.json", self.graph_of_a_small_device())
        simulated = [note for note in self.notes(graph, "simulate", graph) if "peak" in note or "holds" in note]
        self.assertEqual(len(simulated), 1, simulated)
        job = self.job({"graph": "small.graph.json"}, {"forward": "small.graph.json", "backward": "small.graph.json"})
        self.assertEqual(self.notes(job, "job", "simulate", job), ["small.graph.json (stages 0 and 1): " + simulated[0]])

    def graph_of_a_small_device(self):
        with gzip.open(self.graph, "rt", encoding="utf-8") as file:
            graph = json.load(file)
        graph["cost_model"]["device"]["memory_bytes"] = 1 << 20
        return graph


if __name__ == "__main__":
    main()
