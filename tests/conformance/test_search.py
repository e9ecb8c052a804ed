#!/usr/bin/env python3
"""overlap bound and overlap search: figures that other commands repeat, limits, refusals."""
import csv
import gzip
import heapq
import json
import os
import random
import re

from command_line import PASS, CommandLine, bucketing, data, graph_path, main
from graph_arguments import nodes_in

# Products and attention, whose order passes keep.
HEAVY = ("mm", "attention", "conv")


def reordered(document, seed, keeps_heavy):
    """The nodes in another order that can run: collectives earlier, waits later, all else moved a little."""
    choose = random.Random(seed)
    spread = choose.choice((0, 5, 50, 500))
    nodes = document["nodes"]
    place = {node["name"]: index for index, node in enumerate(nodes)}

    def wish(node):
        if node["op"] != "call_function":
            return ({"output": 2}.get(node["op"], 0), place[node["name"]])
        at = place[node["name"]] + choose.uniform(-spread, spread)
        if "wait_tensor" in node["target"]:
            return (1, at + choose.choice((0, 50, 300)))
        return (1, at - choose.choice((0, 100, 1000)) if "_c10d" in node["target"] else at)

    needs = {node["name"]: set(nodes_in([node.get("args"), node.get("kwargs")])) for node in nodes}
    if keeps_heavy:
        heavy = [node["name"] for node in nodes if any(word in str(node.get("target")) for word in HEAVY)]
        for before, after in zip(heavy, heavy[1:]):
            needs[after] = needs[after] | {before}
    # What is computed again waits for the end of the forward pass, or no bound holds.
    again = [node["name"] for node in nodes if "_recomputed" in node["name"]]
    forward = [node["name"] for node in nodes if any(word in str(node.get("target")) for word in HEAVY)
               and not node.get("autograd_backward") and "_recomputed" not in node["name"]]
    if forward and again and place[forward[-1]] < min(place[name] for name in again):
        for name in again:
            needs[name] = needs[name] | {forward[-1]}
    users = {name: [] for name in place}
    for name, inputs in needs.items():
        for source in inputs:
            users[source].append(name)
    missing = {name: len(inputs) for name, inputs in needs.items()}
    ready = [(wish(nodes[place[name]]), name) for name, count in missing.items() if count == 0]
    heapq.heapify(ready)
    order = []
    while ready:
        name = heapq.heappop(ready)[1]
        order.append(nodes[place[name]])
        for user in users[name]:
            missing[user] -= 1
            if missing[user] == 0:
                heapq.heappush(ready, (wish(nodes[place[user]]), user))
    return {**document, "nodes": order}


class Search(CommandLine):
    def setUp(self):
        super().setUp()
        self.small = graph_path("llama3_debugmodel_fsdp8.prebucket")

    def search(self, graph, *arguments, name="found"):
        plan, report = self.path(name + ".plan.json"), self.path("found.json")
        self.expect(0, "search", graph, "--effort", "120", "-o", plan, "--report", report, *arguments)
        with open(report, encoding="utf-8") as file:
            return plan, json.load(file)

    def test_the_saved_plan_has_the_figures_of_the_report(self):
        for graph in (self.small, graph_path("llama3_debugmodel_fsdp4_tp2.prebucket")):
            plan, report = self.search(graph)
            out = self.path("out.graph.json.gz")
            self.expect(0, "apply", graph, "--pipeline", plan, "-o", out)
            for figures in (self.json("simulate", out, "--json"), self.json("simulate", graph, "--pipeline", plan, "--json")):
                self.assertEqual(figures["step_ms"], report["best"]["simulated_ms"])
                self.assertEqual(figures["peak_memory_bytes"], report["best"]["corrected_peak_bytes"])
            bound = self.json("bound", graph, "--pipeline", plan, "--json")
            self.assertEqual(bound["plan_step_ms"], report["best"]["step_ms"])
            self.assertEqual(bound["step_ms"], report["bound"]["step_ms"])
            self.assertEqual(bound["plan_peak_bytes"], report["best"]["peak_bytes"])

    def test_a_plan_that_leaves_out_work_has_no_bound(self):
        once = self.path("once.json", {"format": "overlap-plan", "version": 1,
                                       "pipeline": [{"pass": "deduplicate_fsdp_unshard_chains_pass"}]})
        bound = self.json("bound", self.small, "--pipeline", once, "--json")
        self.assertRegex(bound["plan_leaves_out"], "of all_gather are not sent")
        self.assertIsNone(self.json("bound", self.small, "--json")["plan_leaves_out"])
        text = self.expect(0, "bound", self.small, "--pipeline", once).stdout
        self.assertIn("no bound holds for it, since it leaves out work: " + bound["plan_leaves_out"], text)
        self.assertNotRegex(text, "% above")

    def test_whether_the_step_keeps_the_limit_is_told_with_its_peak(self):
        peak = self.json("simulate", self.small, "--json")["peak_memory_bytes"]
        def told(limit):
            return self.expect(0, "bound", self.small, "--memory-limit", limit).stdout
        self.assertRegex(told("baseline"), r"\npeak +(\S+ MiB), at least \S+ MiB in every plan\nlimit +\1, which the step keeps\n")
        self.assertRegex(told(str(peak - 1024)), r"\nlimit +\S+ MiB, which the step does not keep: its peak is 1 KiB beyond\n")
        self.assertNotIn("limit", self.expect(0, "bound", self.small).stdout)

    def test_the_bound_with_the_order_kept_is_told_where_it_is_the_longer_one(self):
        def told(graph, *arguments):
            return self.expect(0, "bound", graph_path(graph), *arguments).stdout.splitlines()[0]
        longer, other = "llama3_debugmodel_fsdp4_tp2.prebucket", "deepseek_v3_debugmodel_fsdp8_ep4.prebucket"
        self.assertRegex(told(longer), r"^bound +8\.\d+ ms with the order of heavy compute kept, 7\.\d+ ms in any order$")
        for first in (told(longer, "--any-order"), told(other)):
            self.assertRegex(first, r"^bound +[\d.]+ ms in any order$")

    def test_merged_gathers_of_compiled_jobs_leave_out_no_work(self):
        """What reads gathered parameters is counted as less there, by what it reads of them."""
        for scope in ("eager", "blocks", "whole"):
            bound = self.json("bound", self.small, "--preset", "torchtitan_default", "--compiled", scope,
                              "--cost-model", "h100-sxm", "--json")
            self.assertIsNone(bound["plan_leaves_out"], scope)
            self.assertLess(bound["step_ms"], bound["plan_step_ms"])

    def test_threads_make_no_difference(self):
        (_, one), (_, three) = (self.search(self.small, "--threads", threads) for threads in ("1", "3"))
        self.assertEqual(one, three)

    def test_limits(self):
        front = self.path("front.csv")
        _, report = self.search(self.small, "--memory-limit", "+10%", "--front", front)
        peak = self.json("simulate", self.small, "--json")["peak_memory_bytes"]
        self.assertLessEqual(report["best"]["corrected_peak_bytes"], 1.1 * peak)
        with open(front, newline="", encoding="utf-8") as file:
            self.assertEqual(len(list(csv.DictReader(file))), len(report["front"]))
        self.assertIn("must be alive", self.expect(1, "bound", self.small, "--memory-limit", "1000").stderr)
        self.assertIn("must be alive", self.expect(1, "search", self.small, "--memory-limit", "1000", "-o", self.path("x.json")).stderr)
        unknown = self.expect(1, "bound", self.small, "--memory-limit", "Device - 2 GiB").stderr
        self.assertIn("the cost model does not tell what the device holds", unknown)
        self.assertIn("expected bytes, 40GiB, baseline or a sum", unknown)
        for command in (("bound",), ("search", "-o", self.path("x.json"))):
            self.assertIn('expected bytes, 40GiB, baseline, device or a sum such as baseline+10%, not "much": "much" is '
                          "neither a number of bytes nor one of baseline, device",
                          self.expect(2, *command, self.small, "--memory-limit", "much").stderr)

    def test_limits_are_sums_as_in_the_window(self):
        peak = self.json("simulate", self.small, "--json")["peak_memory_bytes"]

        def limit(text: str) -> int:
            return self.json("bound", self.small, "--memory-limit", text, "--json")["memory_limit_bytes"]

        for text in ("+10%", "baseline+10%", "baseline + 10 %"):
            self.assertEqual(limit(text), int(peak * 1.1), text)
        self.assertEqual(limit("baseline + 6"), peak + (6 << 30))
        self.assertEqual(limit(str(peak)), peak)
        self.assertEqual(limit("768 MiB"), 768 << 20)

    def test_a_faster_plan_than_the_best_is_told(self):
        graph, report = graph_path("llama3_debugmodel_fsdp4_tp2.prebucket"), self.path("found.json")
        done = self.expect(0, "search", graph, "--effort", "120", "-o", self.path("found.plan.json"), "--report", report)
        with open(report, encoding="utf-8") as file:
            found = json.load(file)
        shortest = min(point["step_ms"] for point in found["front"])
        self.assertLess(shortest, found["best"]["step_ms"])
        told = re.search(r"^the fastest, ([\d.]+) ms, is shorter by less than 0.30 %, and takes more memory,",
                         done.stdout, re.MULTILINE)
        self.assertIsNotNone(told, done.stdout)
        self.assertAlmostEqual(float(told[1]), shortest, places=3)

    def test_why_a_plan_is_refused_stands_below_the_table(self):
        done = self.expect(0, "search", self.small, "--effort", "60", "-o", self.path("found.plan.json"))
        table, _, below = done.stdout.partition("\nbound ")
        (row,) = [line for line in table.splitlines() if line.endswith("refused")]
        self.assertIn("\n" + row.removesuffix("refused").rstrip() + " is refused: it changes the order", below)
        self.assertLess(max(map(len, table.splitlines())), 120)

    def test_what_changes_from_the_given_plan_is_told(self):
        given = self.path("given.json", bucketing("layers.0", "layers.1"))
        done = self.expect(0, "search", self.small, "--from", given, "--effort", "60", "-o", self.path("found.json"))
        self.assertRegex(done.stdout, r"what changes from \S+given.json.: .*(bucket|pass|option|overlap|nothing)")

    def test_what_is_locked_stays(self):
        given = self.path("given.json", {"format": "overlap-plan", "version": 1, "pipeline": [{"pass": PASS, "options": {"module_stack_fn": "custom.module_fqn"}}],
                                         "buckets": [["layers.0", "layers.3"], "layers.1"]})
        plan, report = self.search(self.small, "--from", given, "--lock", "bucket:layers.3", "--lock", "memory")
        with open(plan, encoding="utf-8") as file:
            buckets = json.load(file)["buckets"]
        self.assertIn(["layers.0", "layers.3"], [entry["modules"] for entry in buckets])
        self.assertEqual(report["locked"], ["bucket layers.0 + layers.3", "memory"])
        distance = report["distance"]
        self.assertGreater(sum(distance[part] for part in ("buckets", "passes", "options", "overlaps")), 0)
        self.assertNotEqual(distance["text"], "nothing")
        _, free = self.search(self.small)
        self.assertIsNone(free["distance"])
        for lock, status in (("bucket:layers.2", 1), ("overlaps", 1), ("card", 2), ("bucket:", 2)):
            self.assertIn("--lock", self.expect(status, "search", self.small, "--from", given, "--lock", lock, "-o", self.path("x.json")).stderr)
        self.expect(2, "search", self.small, "--lock", "memory", "-o", self.path("x.json"))

    def test_what_cannot_be_searched_says_why(self):
        with open(data("graphs", "everything.graph.json"), encoding="utf-8") as file:
            graph = json.load(file)
        del graph["cost_model"]
        unpriced = self.path("unpriced.graph.json", graph)
        self.assertIn("--cost-model", self.expect(1, "bound", unpriced).stderr)
        self.assertIn("--cost-model", self.expect(1, "search", unpriced, "-o", self.path("x.json")).stderr)
        refused = self.path("refused.json", bucketing("layers.0", "layers.0.attention"))
        told = self.expect(1, "search", self.small, "--from", refused, "-o", self.path("x.json")).stderr
        self.assertIn(refused + ": the plan to start from cannot be used", told)
        self.assertNotIn(self.small, told)
        unmerged = self.path("unmerged.json", {"format": "overlap-plan", "version": 1, "pipeline": [], "buckets": ["layers.0"]})
        self.assertIn(unmerged + ": the bucket", self.expect(1, "search", self.small, "--from", unmerged, "--lock", "buckets",
                                                             "-o", self.path("x.json")).stderr)

    def test_no_order_beats_the_bound(self):
        """OVERLAP_BOUND_ORDERS asks for more than a test run has time for."""
        for name in ("llama3_debugmodel_fsdp4_tp2.prebucket", "deepseek_v3_debugmodel_fsdp8_ep4.prebucket"):
            with gzip.open(graph_path(name)) as file:
                document = json.load(file)
            bound = self.json("bound", graph_path(name), "--json")
            for seed in range(int(os.environ.get("OVERLAP_BOUND_ORDERS", "10"))):
                keeps_heavy = seed % 2 == 0
                other = self.path("other.graph.json", reordered(document, seed, keeps_heavy))
                found = self.json("bound", other, "--json")
                least = bound["step_ms"] if keeps_heavy else bound["order_free_ms"]
                self.assertLessEqual(least, found["plan_step_ms"] + 1e-6, (name, seed))
                self.assertLessEqual(found["step_ms"], found["plan_step_ms"] + 1e-6, (name, seed))

    def test_a_plan_to_start_from(self):
        first, found = self.search(self.small)
        _, again = self.search(self.small, "--from", first, name="again")
        self.assertLessEqual(again["best"]["step_ms"], found["best"]["step_ms"])
        self.assertIn("the plan to start from", [baseline["name"] for baseline in again["baselines"]])


if __name__ == "__main__":
    main()
