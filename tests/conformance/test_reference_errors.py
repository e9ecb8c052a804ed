#!/usr/bin/env python3
"""Odd and bad plans: `overlap apply` does what the reference does, or refuses with a reason. It never guesses.

tests/data/goldens/errors.json records what PyTorch 2.15 and torchtitan make of each input. Where they raise,
exit status 1 is expected; where they return a graph and the plan is well-formed, a graph with the same numbers of
nodes and collectives; where they return a graph by accident of Python (a string iterated letter by letter, a bucket
mode that does not exist), either the same numbers or a refusal.

Some cases are of a graph that is wrong; graph_edits.py makes it so again.
"""
import collections
import json
import os

from command_line import CommandLine, data, graph_path, main
from compare_graphs import read_document
from graph_edits import EDITS

MANUAL_PASS = "manual_overlap_bucketing"
JOINT_PASS = "joint_transformer_block_bucketing_reordering_pass"
DENSE_PASS = "schedule_fsdp_comms_to_dense_regions_pass"
BUCKETING_OPTIONS = ("module_bucket_plans", "bucket_mode", "insert_overlap_deps", "fsdp_param_module_order")
DENSE_OPTIONS = ("transformer_bucket_counts_by_layer", "strict", "n_layers", "moe_layer_ids")


def options_of(given, names):
    return {name: given[name] for name in names if name in given}


def pipeline_of(case):
    given, name = case["input"], case["pass"]
    if name == MANUAL_PASS:
        # The recordings on joint graphs used torchtitan's module names wherever they do not say otherwise.
        options = {"module_stack_fn": given.get("module_stack_fn", "custom.module_fqn")}
        pipeline = [{"pass": name, "options": options | options_of(given, BUCKETING_OPTIONS)}]
    elif name == "joint_bucketing+" + DENSE_PASS:
        pipeline = [{"pass": JOINT_PASS, "options": options_of(given, BUCKETING_OPTIONS)},
                    {"pass": DENSE_PASS, "options": {"moe_layer_ids": []} | options_of(given, DENSE_OPTIONS)}]
    else:
        pipeline = [{"pass": name, "options": options_of(given, BUCKETING_OPTIONS + DENSE_OPTIONS)}]
    return pipeline * (2 if given.get("note") == "pass applied twice" else 1)


def is_well_formed(case):
    """A plan that says what its writer meant, in the mode that is reproduced."""
    plans = case["input"].get("module_bucket_plans", [])
    return isinstance(plans, list) and case["input"].get("bucket_mode") in (None, "custom_ops")


def collectives(document):
    counts = collections.Counter()
    for node in document["nodes"]:
        target = node["target"]
        if target == "_c10d_functional.wait_tensor.default":
            counts["wait_tensor"] += 1
        elif target.startswith("_c10d_functional."):
            named = [argument for argument in node["args"] if isinstance(argument, str)]
            group = named[-1] if named else node["kwargs"]["group_name"]
            counts[f"{target}@{group}"] += 1
        elif target.startswith("bucketing."):
            counts[target] += 1
    return dict(counts)


class ReferenceErrors(CommandLine):
    def run_case(self, case):
        graph = graph_path(case["graph"])
        edit = EDITS.get(case.get("edit", case.get("case")))
        if edit:
            document = read_document(graph)
            edit(document)
            graph = self.path("edited.graph.json", document)
        out = self.path("out.graph.json")
        if os.path.exists(out):
            os.remove(out)
        done = self.overlap("apply", graph, "--pipeline", self.path("pipeline.json", pipeline_of(case)), "-o", out)
        return done, read_document(out) if os.path.exists(out) else None

    def check_refusal(self, done, written):
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIsNone(written, "a refused pipeline writes no graph")
        # A case without sizes is told of when it is read.
        told = [line for line in done.stderr.splitlines() if "caution: times and memory leave out" not in line]
        self.assertEqual(len(told), 1, done.stderr)
        self.assertIn("pipeline.json", done.stderr)

    def check_result(self, case, done, written):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(written["nodes"]), case["nodes_after"])
        self.assertEqual(collectives(written), case["collectives_after"])

    def test_recorded_cases(self):
        with open(data("goldens", "errors.json"), encoding="utf-8") as file:
            cases = json.load(file)
        self.assertGreater(len(cases), 60)
        for case in cases:
            with self.subTest(case=case["case"], of=case["pass"]):
                done, written = self.run_case(case)
                if case["outcome"] == "error":
                    self.check_refusal(done, written)
                    self.assertIn(case.get("node", ""), done.stderr, "the node is named")
                elif is_well_formed(case) or done.returncode == 0:
                    self.check_result(case, done, written)
                else:
                    self.check_refusal(done, written)

    def test_names_that_match_nothing_are_told(self):
        for name, near in (("layers.0x", "layers.0"), ("layer.0", "layers.0"), ("tok_embedding", "tok_embeddings")):
            case = {"pass": MANUAL_PASS, "graph": "llama3_debugmodel_fsdp8.prebucket",
                    "input": {"module_bucket_plans": [name]}}
            with self.subTest(name=name):
                done, _ = self.run_case(case)
                self.assertEqual(done.returncode, 0)
                self.assertIn(name, done.stderr)
                self.assertIn(near, done.stderr.replace(name, "", 1))


if __name__ == "__main__":
    main()
