#!/usr/bin/env python3
"""Run `overlap redistribute` on files of golden cases and compare each answer with the golden.

    run_redistribution_goldens.py PROGRAMS FILE... [--show N]

PROGRAMS is the folder with `overlap`. Plans must agree in everything that goldens say of them: steps, logical shapes, costs
to the last bit, paths, the states that the search expanded, what torch cannot execute or delivers wrong. Totals of searches
beyond torch's edges add costs in another order and agree within 1e-9. Printed are the cases that agree of each file, and
the first N differences; the exit status is 1 when there are any.
"""
import argparse
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile

# What goldens say of how they were checked, not of the plan.
REMARKS = {"verified"}
# Whole sentences differ; that there is one must agree.
SENTENCES = {"torch_error"}


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def comparable(plan):
    return {name: name in SENTENCES or value for name, value in plan.items() if name not in REMARKS}


def plan_differences(golden, ours):
    # Our own planner is no golden; torch has none.
    for name in sorted((set(golden) | set(ours)) - {"optimal"}):
        expected, found = (comparable(plans.get(name, {})) for plans in (golden, ours))
        for field in sorted(set(expected) | set(found)):
            if expected.get(field) != found.get(field):
                yield f"{name}.{field}: {json.dumps(found.get(field))} instead of {json.dumps(expected.get(field))}"


def differences(golden, ours):
    if "error" in ours:
        yield f"refused: {ours['error']}"
        return
    for name, expected in golden.items():
        if name == "plans":
            yield from plan_differences(expected, ours["plans"])
        elif name.startswith(("optimum_", "torch_")):
            if not math.isclose(float(ours[name]), float(expected), rel_tol=1e-9, abs_tol=1e-9):
                yield f"{name}: {ours[name]} instead of {expected}"
        elif name in ("strategy_cost", "rank_offset_size", "strided", "decoded", "roundtrip", "cost_us"):
            if ours.get(name) != expected:
                yield f"{name}: {ours.get(name)} instead of {expected}"


def answers(programs, path):
    with tempfile.TemporaryDirectory() as folder:
        results = os.path.join(folder, "results.json")
        done = subprocess.run([os.path.join(programs, "overlap"), "redistribute", path, "-o", results],
                              capture_output=True, text=True, timeout=600, check=False)
        if done.returncode != 0:
            sys.exit(f"{path}: {done.stderr.strip()}")
        return read(results)["cases"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--show", type=int, default=20, metavar="N")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    shown, agreeing, total = 0, 0, 0
    for path in arguments.files:
        goldens, ours = read(path)["cases"], answers(arguments.programs, path)
        if len(goldens) != len(ours):
            sys.exit(f"{path}: {len(ours)} answers to {len(goldens)} cases")
        agree = 0
        for golden, answer in zip(goldens, ours):
            problems = list(differences(golden, answer))
            agree += not problems
            for problem in problems[:max(arguments.show - shown, 0)]:
                print(f"{golden.get('id', golden)}: {problem}")
                shown += 1
        print(f"{os.path.basename(path)}: {agree} of {len(goldens)} cases agree")
        agreeing, total = agreeing + agree, total + len(goldens)
    print(f"all: {agreeing} of {total}")
    sys.exit(agreeing != total)


if __name__ == "__main__":
    main()
