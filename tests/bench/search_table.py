#!/usr/bin/env python3
"""The table of docs/search.md: overlap search on graphs, with the files' own times and with a cost model.

usage: search_table.py PROGRAMS GRAPH... [--cost-model M] [--effort N] [--threads N] [--keep FOLDER]
"""
import argparse
import json
import os
import subprocess
import tempfile
import time


def number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def row(programs, graph, model, arguments):
    name = os.path.basename(graph).removesuffix(".graph.json.gz")
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(arguments.keep or scratch, name)
        os.makedirs(folder, exist_ok=True)
        kept = os.path.join(folder, model or "file")
        report = kept + ".report.json"
        command = [os.path.join(programs, "overlap"), "search", graph, "-q", "-o", kept + ".plan.json",
                   "--report", report, "--effort", str(arguments.effort), "--threads", str(arguments.threads)]
        begin = time.monotonic()
        done = subprocess.run(command + (["--cost-model", model] if model else []), capture_output=True, text=True, check=False)
        seconds = time.monotonic() - begin
        if done.returncode != 0:
            return f"| {name} | {done.stderr.strip()} |"
        with open(report, encoding="utf-8") as file:
            found = json.load(file)
    baselines = {line["name"].split(" (")[0]: line for line in found["baselines"]}

    def cell(key):
        line = baselines.get(key)
        return number(line["step_ms"]) if line and not line["refusal"] else "–"

    best, bound = found["best"], found["bound"]
    grid = baselines.get("best of the grid")
    gib = 1024 ** 3
    return "| " + " | ".join([
        name, model or "file", cell("as it is"), cell("torchtitan_default"), cell("torchtitan_performance"),
        cell("best of the grid"), number(best["step_ms"]), number(bound["step_ms"]), number(bound["order_free_ms"]),
        f"{100 * (best['step_ms'] / bound['step_ms'] - 1):.1f} %",
        f"{grid['peak_bytes'] / gib:.3g}" if grid else "–", f"{best['corrected_peak_bytes'] / gib:.3g}",
        f"{found['evaluations']}", f"{seconds:.0f} s"]) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs")
    parser.add_argument("graphs", nargs="+")
    parser.add_argument("--cost-model", action="append", default=[])
    parser.add_argument("--effort", type=int, default=1500)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--keep", help="a folder for plans and reports, which search_robustness.py --keep uses again")
    arguments = parser.parse_args()
    columns = ["graph", "times", "as it is", "default", "performance", "grid", "found", "bound", "any order", "gap",
               "peak of grid, GiB", "of found", "plans", "took"]
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for graph in arguments.graphs:
        for model in ["", *arguments.cost_model]:
            print(row(arguments.programs, graph, model, arguments), flush=True)


if __name__ == "__main__":
    main()
