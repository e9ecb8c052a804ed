#!/usr/bin/env python3
"""Calls of the system that fail at the n-th time while plans are edited, saved and renamed in the window.

    window_faults_test.py EDITING_WINDOW LIBRARY GRAPH [--all] [--seed SEED]

The window opens a session of three plans, edits them, saves some, and is closed; then it starts again, and nothing fails.
Whatever failed before,

* the window has not ended by a signal, except for want of memory;
* where it could be closed, each plan is as its last edit made it; where it was not, it said why, and each plan is as it
  was at the start or as an edit made it;
* the file of a plan has what was saved last, if not more, and every file is whole.

Some faults are chosen by SEED; --all tries each, and allocations. Prints a line of figures; exit status 0 when all of it held.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from kill_test import EDITED_PLANS, damaged_files, newest_by_plan
from system_faults_test import ERRORS, Fault

EDITS = 6
TIME_LIMIT_S = 120
MEMORY_FAULTS = 40  # of half a million allocations
CHOSEN = 8


class Run:
    """What a window printed that has ended."""

    def __init__(self, status, text):
        self.status = status
        self.text = text.decode(errors="replace")

    def lines(self, word):
        return [line.split() for line in self.text.splitlines() if line.startswith(word + " ") or line == word]

    def found(self):
        """(edit, buckets) of each plan at the start, by its place."""
        return {int(place): (int(edit), buckets) for _, place, edit, buckets in self.lines("has")}

    def edited(self):
        """The same of each edit, oldest first."""
        plans = {}
        for _, edit, _, place, buckets in self.lines("edit"):
            plans.setdefault(int(place), []).append((int(edit), buckets))
        return plans


class Bench:
    def __init__(self, program, library, graph, folder):
        self.program, self.library, self.folder = program, library, folder
        self.graph = folder / "step.graph.json.gz"
        shutil.copy(graph, self.graph)
        self.begun = folder / "begun"  # a session to start from
        self.begun.mkdir()
        self.first = self.window(self.begun, EDITS)

    def window(self, work, edits, fault=None, counts=None):
        environment = dict(os.environ, QT_QPA_PLATFORM="offscreen")
        if counts:
            environment.update(LD_PRELOAD=str(self.library), OVERLAP_FAULTS_BELOW=str(work),
                               OVERLAP_FAULTS_COUNTS=str(counts), OVERLAP_FAULTS_CALL="")
        if fault:
            environment.update(OVERLAP_FAULTS_CALL=fault.call, OVERLAP_FAULTS_AT=str(fault.at),
                               OVERLAP_FAULTS_ERROR=str(fault.error), OVERLAP_FAULTS_STAYS="1" if fault.stays else "0")
        # Into a file: a pipe would have to wait for every process that the window has started.
        with tempfile.TemporaryFile() as printed:
            done = subprocess.run([self.program, work, self.graph, str(edits)], stdout=printed,
                                  stderr=subprocess.DEVNULL, env=environment, timeout=TIME_LIMIT_S, check=False)
            printed.seek(0)
            return Run(done.returncode, printed.read())

    def counts(self):
        work, counts = self.folder / "counted", self.folder / "counts"
        shutil.copytree(self.begun, work)
        self.window(work, EDITS, counts=counts)
        lines = (line.split() for line in counts.read_text().splitlines())
        return {call: int(count) for call, count in lines}

    def try_fault(self, number, fault):
        """@returns what did not hold, and whether the window was closed."""
        work = self.folder / str(number)
        shutil.copytree(self.begun, work)
        run = self.window(work, EDITS, fault, self.folder / f"{number}.counts")
        damaged = [f"{name} is not whole" for name in damaged_files(work)]
        problems = damaged or self.problems(run, self.window(work, 0), work, fault)
        shutil.rmtree(work)
        return problems, bool(run.lines("closed"))

    def problems(self, run, after, work, fault):
        told = []
        if run.status < 0 and fault.call != "memory":
            told.append(f"ended by signal {-run.status}")
        if after.status != 0:
            return told + [f"the next start ended with {after.status}"]
        begun = run.found() or self.begun_plans()
        found, edited = after.found(), run.edited()
        closed = bool(run.lines("closed"))
        for place in range(1, EDITED_PLANS + 1):
            known = [begun.get(place), *edited.get(place, [])]
            if closed and found.get(place) != known[-1]:
                told.append(f"plan {place} is {found.get(place)}, closed as {known[-1]}")
            elif found.get(place) not in [*known, self.begun_plans().get(place)]:
                told.append(f"plan {place} is {found.get(place)}, as it never was")
        if run.lines("refused") and len(run.lines("told")[0]) < 2:
            told.append("was not closed, and did not say why")
        for place, saved in newest_by_plan(run.lines("saved")).items():
            content = json.loads((work / f"{place}.plan.json").read_bytes())
            if int(content.get("notes") or 0) < saved:
                told.append(f"{place}.plan.json has edit {content.get('notes')}, {saved} was saved")
        strange = [file.name for file in work.rglob("*") if file.is_file() and not is_known(file.name)]
        return told + [f"{name} is left" for name in strange]

    def begun_plans(self):
        """What the session had at first."""
        return {place: states[-1] for place, states in self.first.edited().items()}


def is_known(name):
    return name.endswith((".json", ".json~", ".lock")) or name.startswith("crash-")


def faults_of(counts, chance, all_of_them):
    every = [Fault(call, at, errors[0], stays) for call, errors in ERRORS.items() if call != "memory"
             for at in range(1, counts.get(call, 0) + 1) for stays in (False, True)]
    processes = [Fault("process", 1, ERRORS["thread"][0], True)]  # all that the window starts
    memory = [Fault("memory", chance.randrange(1, counts["memory"]), ERRORS["memory"][0], stays)
              for _ in range(MEMORY_FAULTS // 2) for stays in (False, True)]
    if all_of_them:
        return every + processes + memory
    # One of each part, so that each call has its turn.
    part = len(every) / CHOSEN
    return [every[int(part * (i + chance.random()))] for i in range(CHOSEN)] + processes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("graph", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.program, options.library, options.graph, pathlib.Path(folder).resolve())
        counts = bench.counts()
        faults = faults_of(counts, random.Random(options.seed), options.all)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            tried = list(pool.map(lambda item: bench.try_fault(*item), enumerate(faults)))
    told = [f"{fault}: " + "; ".join(problems) for fault, (problems, _) in zip(faults, tried) if problems]
    for line in told:
        print(line)
    calls = sum(count for call, count in counts.items() if call not in ("memory", "failed"))
    print(f"{calls} calls, {counts['memory']} allocations: {len(faults)} faults tried, the window was closed after "
          f"{sum(closed for _, closed in tried)}, {len(told)} problems, {time.monotonic() - begun:.0f} s")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
