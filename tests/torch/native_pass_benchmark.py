"""PyTorch's overlap passes and `native_pass()` on the same graph in the same process: the same result, and the times.

    python tests/torch/native_pass_benchmark.py --reference TOOLS [--repeat N] [--native-repeat N] [--symbols] GRAPH...

Needs torch 2.15 and the wheel (or PYTHONPATH with the package that it has inside); no GPU. TOOLS is the folder with
graph_to_fx.py, GRAPH an overlap-graph document with a cost model and the times that it gives; --symbols gives its tensors symbols for sizes where the job has them. Times are seconds of the processor, all threads of this
process together, without `recompile`: both need it, some passes of PyTorch run it and others leave it to their callers.
Exit status 1 where results differ.
"""
from __future__ import annotations

import argparse
import logging
import os
import re
import statistics
import sys
from pathlib import Path
from typing import Any

import torch
import torch.fx as fx
from overlap_studio.analytic_times import PlanTimes
from overlap_studio.export import graph_document
from overlap_studio.digests import node_digests
from overlap_studio.group_names import GroupNames
from overlap_studio.passes_in_core import native_pass

from comparison import copy_graph
from processor_time import compile_seconds, machine, seconds_text, timed
from reference_passes import run_pipeline
from symbolic_sizes import SymbolicMode, put_symbols

from compare_graphs import difference

Document = dict[str, Any]


def blocks_of(document: Document) -> list[Any]:
    """A bucket for each block of the model, and one for what is outside of them, as torchtitan makes them."""
    names = {node.get("custom", {}).get("module_fqn", "") for node in document["nodes"]}
    blocks = {match[0] for name in names if (match := re.match(r"layers\.\d+", name))}
    return ["tok_embeddings", *sorted(blocks, key=lambda block: int(block.split(".")[1])), ["norm", "lm_head"]]


def pipelines(document: Document) -> dict[str, list[Document]]:
    blocks = {"module_bucket_plans": blocks_of(document), "module_stack_fn": "custom.module_fqn"}
    return {
        "manual_overlap_bucketing": [{"pass": "manual_overlap_bucketing", "options": blocks}],
        "schedule_overlap_bucketing": [{"pass": "schedule_overlap_bucketing", "options": {"collective_bucketing": True}}],
    }


def first_difference(expected: fx.GraphModule, made: fx.GraphModule) -> str | None:
    """Names, arguments, tensors, modules and the order of users."""
    documents = [graph_document(gm, name="result", sorted_only=False) for gm in (expected, made)]
    found = difference(*documents, True, True)
    if found is None and node_digests(documents[0]) != node_digests(documents[1]):
        found = "modules differ"
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", required=True, help="folder with graph_to_fx.py")
    parser.add_argument("--repeat", type=int, default=1, help="how often PyTorch's pass is run")
    parser.add_argument("--native-repeat", type=int, default=5)
    parser.add_argument("--pass", dest="only", help="this pass alone")
    parser.add_argument("--symbols", action="store_true", help="sizes are symbols where the document says so")
    parser.add_argument("graphs", nargs="+")
    arguments = parser.parse_args()
    sys.path.append(os.path.abspath(arguments.reference))
    import graph_to_fx

    if arguments.symbols:
        graph_to_fx.FakeTensorMode = SymbolicMode
    logging.disable(logging.WARNING)
    print(f"{machine()}; torch {torch.__version__}\n")
    print("| graph | nodes | pass | PyTorch, s | native, s | ratio | `recompile`, s | the same graph |\n" + "|---" * 8 + "|")
    is_same = True
    for path in arguments.graphs:
        loaded, document = graph_to_fx.load(path)
        if arguments.symbols:
            print(f"{put_symbols(loaded, document)} tensors have symbols", file=sys.stderr)
        name = Path(path).name.removesuffix(".graph.json.gz")
        for pass_name, steps in pipelines(document).items():
            if arguments.only not in (None, pass_name):
                continue
            # Both sides take the document's times for its nodes, and the cost model's for new ones.
            given = {node["name"]: node.get("estimate_ms", 0.0) for node in document["nodes"]}
            times = PlanTimes({"node_ms": list(given.values()), "cost_model": document["cost_model"]}, list(given),
                              GroupNames([], 0))
            # Neither side aligns times with other ranks, as the reference is run.
            given_times = [{**one, "options": {**one["options"], "compute_estimator": "analytical"}}
                           if one["pass"] == "schedule_overlap_bucketing" else one for one in steps]
            run_native = native_pass(given_times, cost_model=document["cost_model"], estimate=lambda node: given.get(node.name))
            expected, made, theirs, ours, compiled = loaded, loaded, [], [], []
            for _ in range(arguments.native_repeat):
                made = copy_graph(loaded)
                ours.append(timed(lambda: run_native(made)))
                compiled.append(compile_seconds(made))
            for _ in range(arguments.repeat):
                expected = copy_graph(loaded)
                theirs.append(timed(lambda: run_pipeline(expected, steps, times)))
            found = first_difference(expected, made)
            is_same = is_same and found is None
            print(f"| {name} | {len(loaded.graph.nodes)} → {len(made.graph.nodes)} | {pass_name} | {seconds_text(theirs)} | "
                  f"{seconds_text(ours)} | {statistics.median(theirs) / statistics.median(ours):.1f} | "
                  f"{seconds_text(compiled)} | {'yes' if found is None else found} |", flush=True)
    print(f"\n{machine()}")
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
