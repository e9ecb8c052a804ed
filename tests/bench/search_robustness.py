#!/usr/bin/env python3
"""How much of what a found plan gains is left when costs are others: the table of docs/search.md.

Each graph is searched with the file's own times and with a cost model. Of the step that a plan saves, its gain, the
table has what is left under each disturbance that the search's report lists, and where the plan that was found with one
kind of times is simulated with the other kind: of its own gain (as a share of the step), and of what the plan gains
that was found with those times.

usage: search_robustness.py PROGRAMS GRAPH... [--cost-model M] [--effort N] [--threads N] [--keep FOLDER]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

LEAST_GAIN = 0.01  # shares of less are noise
ENOUGH = 0.7


class Search:
    """A search of one graph with one kind of times, and what its plan takes with others."""

    def __init__(self, arguments, graph, model, folder):
        self.arguments, self.graph, self.model = arguments, graph, model
        self.report = {}
        self.plan = os.path.join(folder, (model or "file") + ".plan.json")
        report = self.plan.replace(".plan.json", ".report.json")
        if os.path.exists(report):
            self.read(report)
            return
        self.call("search", "-q", "-o", self.plan, "--report", report, "--effort", str(arguments.effort),
                  "--threads", str(arguments.threads), *self.times(model))
        self.read(report)

    def read(self, report):
        with open(report, encoding="utf-8") as file:
            self.report = json.load(file)

    @staticmethod
    def times(model):
        return ["--cost-model", model] if model else []

    def call(self, command, *options):
        program = os.path.join(self.arguments.programs, "overlap")
        return subprocess.run([program, command, self.graph, *options], capture_output=True, text=True, check=True).stdout

    def step_ms(self, model, plan):
        """With links shared; of the graph as it is without a plan. None where the plan is refused: the automatic pass
        merges otherwise with other times."""
        options = ["--pipeline", plan] if plan else []
        try:
            return json.loads(self.call("simulate", "--json", "--shared-links", *options, *self.times(model)))["step_ms"]
        except subprocess.CalledProcessError as error:
            print(f"{os.path.basename(self.graph)}: {error.stderr.strip().splitlines()[-1]}", file=sys.stderr)
            return None

    def baselines(self):
        """What the gain is told against: the graph as it is, and the best that anybody would try."""
        usable = [line for line in self.report["baselines"] if not line["refusal"]]
        return [usable[0], min(usable, key=lambda line: line["step_ms"])]


def kept(gain, before):
    return gain / before if before > 0 else None


def percent(share):
    return "–" if share is None else f"{100 * share:.0f} %"


def disturbed(search):
    """For each baseline: its gain, and what is left of it under each disturbance; none where there is hardly any."""
    best = search.report["best"]
    for baseline in search.baselines():
        gain = baseline["step_ms"] - best["step_ms"]
        if gain < LEAST_GAIN * baseline["step_ms"]:
            yield gain / baseline["step_ms"], []
            continue
        yield gain / baseline["step_ms"], [(before - after) / gain for before, after in
                                           zip(baseline["disturbed_ms"], best["disturbed_ms"])]


def crossed(search, other):
    """The plan with the other's times: what is left of its own gain, and of the gain of the other's plan."""
    before = other.step_ms(other.model, None)
    after = other.step_ms(other.model, search.plan)
    gain = 1 - after / before if after else 0
    as_it_is, best = search.report["baselines"][0]["step_ms"], search.report["best"]["step_ms"]
    own, possible = 1 - best / as_it_is, 1 - other.report["best"]["step_ms"] / before
    return [share if reference >= LEAST_GAIN else None for share, reference in
            ((kept(gain, own), own), (kept(gain, possible), possible))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("graphs", nargs="+")
    parser.add_argument("--cost-model", default="h100-sxm")
    parser.add_argument("--effort", type=int, default=500)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--keep", help="a folder for plans and reports, in which those of an earlier run are used again")
    arguments = parser.parse_args()
    print("| graph | times | gain over as it is | least kept | gain over the best tried | least kept | "
          "with the other times, of its own gain | of what can be gained |")
    print("|" + "---|" * 8)
    cases = {"as it is": [], "best tried": [], "other times, own": [], "other times, possible": []}
    for graph in arguments.graphs:
        name = os.path.basename(graph).removesuffix(".graph.json.gz")
        with tempfile.TemporaryDirectory() as scratch:
            folder = os.path.join(arguments.keep or scratch, name)
            os.makedirs(folder, exist_ok=True)
            searches = [Search(arguments, graph, model, folder) for model in ("", arguments.cost_model)]
            for search, other in zip(searches, reversed(searches)):
                (gain, shares), (gain_tried, shares_tried) = disturbed(search)
                own, possible = crossed(search, other)
                cases["as it is"] += shares
                cases["best tried"] += shares_tried
                cases["other times, own"] += [own] if own is not None else []
                cases["other times, possible"] += [possible] if possible is not None else []
                print("| " + " | ".join([
                    name, search.model or "file", f"{100 * gain:.1f} %",
                    percent(min(shares, default=None)), f"{100 * gain_tried:.1f} %",
                    percent(min(shares_tried, default=None)), percent(own), percent(possible)]) + " |", flush=True)
    for name, shares in cases.items():
        enough = sum(share >= ENOUGH for share in shares)
        print(f"{name}: {enough} of {len(shares)} cases keep {percent(ENOUGH)}")


if __name__ == "__main__":
    main()
