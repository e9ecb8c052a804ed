"""What `apply_plan()` takes to bring a plan into a job's graph, in mode "exact".

    python tests/torch/apply_plan_benchmark.py --reference TOOLS [--repeat N] [--profile] GRAPH...

Needs torch 2.15, the wheel and OVERLAP_PROGRAMS, the folder of `overlap`; no GPU. TOOLS is the folder with graph_to_fx.py,
GRAPH an overlap-graph document. Each of native_pass_benchmark.py's pipelines is a plan, exported for the job. Times are
seconds of the processor, all threads of this process together, from the file of the plan to the graph that was compared
node for node, without `recompile`, which stands beside. --profile prints where they go.
"""
from __future__ import annotations

import argparse
import cProfile
import json
import logging
import os
import pstats
import sys
import tempfile
from pathlib import Path

import torch
from overlap_studio import apply_plan

from comparison import copy_graph
from native_pass_benchmark import pipelines
from processor_time import compile_seconds, machine, seconds_text, timed
from programs import overlap


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", required=True, help="folder with graph_to_fx.py")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--profile", action="store_true", help="profile one application of each plan")
    parser.add_argument("graphs", nargs="+")
    arguments = parser.parse_args()
    sys.path.append(os.path.abspath(arguments.reference))
    import graph_to_fx

    logging.disable(logging.WARNING)
    print(f"{machine()}; torch {torch.__version__}\n")
    print("| graph | nodes | plan | `apply_plan`, s | `recompile`, s |\n" + "|---" * 5 + "|")
    for path in arguments.graphs:
        loaded, document = graph_to_fx.load(path)
        for name, steps in pipelines(document).items():
            with tempfile.TemporaryDirectory() as folder:
                plan, job_plan = Path(folder) / "benchmark.plan.json", Path(folder) / "benchmark.job.plan.json"
                plan.write_text(json.dumps({"format": "overlap-plan", "version": 1, "name": name, "buckets": [],
                                            "pipeline": steps}), encoding="utf-8")
                overlap("export", plan, "--graph", path, "--to", "job", "-o", job_plan)
                seconds, compiled = [], []
                for _ in range(arguments.repeat):
                    made = copy_graph(loaded)
                    seconds.append(timed(lambda: apply_plan(made, job_plan, mode="exact")))
                    compiled.append(compile_seconds(made))
                if arguments.profile:
                    made = copy_graph(loaded)
                    with cProfile.Profile() as profile:
                        apply_plan(made, job_plan, mode="exact")
                    pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(25)
            print(f"| {Path(path).name.removesuffix('.graph.json.gz')} | {len(loaded.graph.nodes)} → "
                  f"{len(made.graph.nodes)} | {name} | {seconds_text(seconds)} | {seconds_text(compiled)} |", flush=True)
    print(f"\n{machine()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
