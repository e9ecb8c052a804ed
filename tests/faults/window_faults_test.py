#!/usr/bin/env python3
"""Calls of the system that fail at the n-th time while plans are edited, saved and renamed in the window.

    window_faults_test.py EDITING_WINDOW LIBRARY GRAPH [--all] [--seed SEED]

The window opens a session of three plans, edits them, saves some, and is closed; then it starts again, and nothing fails.
Whatever failed before,

* the window has not ended by a signal, except for want of memory; it is closed, or refuses that and says why, or says that
  it could not open the graph, where something failed that this needs; or it waits in Qt, whose drawing counts on threads
  of its own, and is ended after half a minute;
* the plans of its session are there at its start; or it says that the session could not be read, and they are in a file
  that is kept aside, or where they were;
* where it could be closed, each plan is as its last edit made it; where it was not, each plan is as it was at the start
  or as an edit made it;
* the file of a plan has what was saved last, if not more, and every file is whole.

One fault of each kind of call is chosen by SEED; --all tries each, and some allocations. Prints a line of figures; exit status 0
when all of it held, and most of the faults came about and left a window that was closed.
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
TIME_LIMIT_S = 240  # the window waits two minutes for its graph
THREAD_LIMIT_S = 30
HANGS = "no status: it has not ended by itself"
MEMORY_FAULTS = 40  # of half a million allocations
OPENING = ("open", "read", "map", "stat", "close", "memory")  # what opening the graph needs
# Why a window may refuse to be closed.
REASONS = ("The session could not be stored", "The session is not stored yet", "is still being saved")


class Run:
    """What a window printed that has ended."""

    def __init__(self, status, text):
        self.status = status
        self.text = text.decode(errors="replace")

    def lines(self, word):
        return [line.split() for line in self.text.splitlines() if line.startswith(word + " ") or line == word]

    def says(self, word):
        return " ".join(part for line in self.lines(word) for part in line[1:])

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
        self.first = self.without_faults(self.begun)

    def without_faults(self, work, counts=None):
        run = self.window(work, EDITS, counts=counts)
        if run.status != 0 or not run.lines("closed") or len(run.edited()) != EDITED_PLANS:
            raise RuntimeError(f"does not run without a fault: {run.status} {run.text}")
        return run

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
            try:
                status = subprocess.run([self.program, work, self.graph, str(edits)], stdout=printed,
                                        stderr=subprocess.DEVNULL, env=environment, check=False,
                                        timeout=THREAD_LIMIT_S if fault and fault.call == "thread" else TIME_LIMIT_S
                                        ).returncode
            except subprocess.TimeoutExpired:
                status = HANGS
            printed.seek(0)
            return Run(status, printed.read())

    def counts(self):
        work, counts = self.folder / "counted", self.folder / "counts"
        shutil.copytree(self.begun, work)
        self.without_faults(work, counts)
        return read_counts(counts)

    def try_fault(self, number, fault):
        """@returns what did not hold, whether the fault came about, and whether the window was closed."""
        work, counts = self.folder / str(number), self.folder / f"{number}.counts"
        shutil.copytree(self.begun, work)
        run = self.window(work, EDITS, fault, counts)
        damaged = [f"{name} is not whole" for name in damaged_files(work)]
        problems = damaged or self.problems(run, self.window(work, 0), work, fault)
        shutil.rmtree(work)
        # A process that ended by a signal has written no counts; processes are not counted.
        came_about = fault.call == "process" or not counts.exists() or read_counts(counts)["failed"] > 0
        return problems, came_about, bool(run.lines("closed"))

    def problems(self, run, after, work, fault):
        told = ending_problems(run, fault)
        if after.status != 0 or not after.lines("closed"):
            return told + [f"the next start ended with {after.status}: {after.text}"]
        begun, shown = self.begun_plans(), run.found()
        if run.lines("found"):
            kept = plans_of_sessions(work)
            lost = [place for place, plan in begun.items() if shown.get(place) != plan and plan not in kept]
            if lost:
                told.append(f"plans {lost} of the session are not there: {shown}")
            if shown != begun and "session could not be read" not in run.says("greets"):
                told.append(f"does not say that the session could not be read: {run.says('greets')}")
        else:
            shown = begun
        found, edited = after.found(), run.edited()
        for place in range(1, EDITED_PLANS + 1):
            known = [shown.get(place), *edited.get(place, [])]
            if run.lines("closed") and found.get(place) != known[-1]:
                told.append(f"plan {place} is {found.get(place)}, closed as {known[-1]}")
            elif found.get(place) not in [*known, begun[place]]:
                told.append(f"plan {place} is {found.get(place)}, as it never was")
        for place, saved in newest_by_plan(run.lines("saved")).items():
            content = json.loads((work / f"{place}.plan.json").read_bytes())
            if int(content.get("notes") or 0) < saved:
                told.append(f"{place}.plan.json has edit {content.get('notes')}, {saved} was saved")
        strange = [file.name for file in work.rglob("*") if file.is_file() and not is_known(file.name)]
        return told + [f"{name} is left" for name in strange]

    def begun_plans(self):
        """What the session had at first."""
        return {place: states[-1] for place, states in self.first.edited().items()}


def ending_problems(run, fault):
    """What is wrong with how a run ended."""
    if run.status == HANGS:
        return [] if fault.call == "thread" else [f"{HANGS} in {TIME_LIMIT_S} s: {run.text}"]
    if run.status < 0:
        return [] if fault.call == "memory" else [f"ended by signal {-run.status}"]
    if run.status == 1 and fault.call in OPENING:
        said = run.says("unopened")
        return [] if said or fault.call == "memory" else ["has not opened the graph, and does not say so"]
    if run.status != 0 or not (run.lines("closed") or run.lines("refused")):
        return [f"ended with {run.status}, and was not closed: {run.text}"]
    if run.lines("refused") and not any(reason in run.says("told") for reason in REASONS):
        return [f"was not closed, and did not say why: {run.says('told')}"]
    return []


def read_counts(file):
    return {call: int(count) for call, count in (line.split() for line in file.read_text().splitlines())}


def plans_of_sessions(work):
    """(edit, buckets) of each plan, as the window prints them, in sessions that were kept aside and in those that could not
    even be moved, which the next start reads."""
    plans = set()
    for file in work.rglob("session*.json"):
        for document in json.loads(file.read_bytes())["documents"]:
            for variant in document["variants"]:
                plan = json.loads(variant["plan"])
                modules = [bucket["modules"] for bucket in plan.get("buckets", [])]
                buckets = ["+".join([names] if isinstance(names, str) else names) for names in modules]
                plans.add((int(plan.get("notes") or 0), ",".join(buckets) or "-"))
    return plans


def is_known(name):
    return name.endswith((".json", ".json~", ".lock")) or name.startswith("crash-")


def faults_of(counts, chance, all_of_them):
    kinds = {call: errors[0] for call, errors in ERRORS.items() if call != "memory" and counts.get(call, 0) > 0}
    processes = Fault("process", 1, ERRORS["thread"][0], True)  # all that the window starts
    if not all_of_them:
        return [*(Fault(call, chance.randint(1, counts[call]), error, chance.random() < 0.5)
                  for call, error in kinds.items()), processes]
    memory = [Fault("memory", chance.randrange(1, counts["memory"]), ERRORS["memory"][0], stays)
              for _ in range(MEMORY_FAULTS // 2) for stays in (False, True)]
    return [*(Fault(call, at, error, stays) for call, error in kinds.items()
              for at in range(1, counts[call] + 1) for stays in (False, True)), processes, *memory]


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
            tried = []
            for outcome in pool.map(lambda item: bench.try_fault(*item), enumerate(faults)):
                if outcome[0]:  # at once: all of them take minutes
                    print(f"{faults[len(tried)]}: " + "; ".join(outcome[0]), flush=True)
                tried.append(outcome)
    told = sum(bool(problems) for problems, _, _ in tried)
    came_about = sum(came_about for _, came_about, _ in tried)
    closed = sum(closed for _, _, closed in tried)
    for what, count in ("came about", came_about), ("left a window that was closed", closed):
        if count < len(faults) / 2:
            print(f"{count} of {len(faults)} faults {what}")
            told += 1
    calls = sum(count for call, count in counts.items() if call not in ("memory", "failed"))
    print(f"{calls} calls, {counts['memory']} allocations: {len(faults)} faults of {len({fault.call for fault in faults})} "
          f"kinds tried, {came_about} came about, the window was closed after {closed}, {told} problems, "
          f"{time.monotonic() - begun:.0f} s")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
