#!/usr/bin/env python3
"""Kills the window at random moments of editing and looks at what the next start has.

    kill_test.py EDITING_WINDOW GRAPH KILLS

Every plan must be there at the next start as one of its edits made it, with that edit's buckets, and no older than the
last one that was a second old when the process was killed. What the run before had edited must be undone to what the
plan was before that edit. What is in no file of a plan must be told of as recovered,
a plan's file must have what was saved, and every file must be whole. Prints a line of figures; exit status 0 when all
of it held.
"""

import json
import os
import pathlib
import random
import selectors
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from typing import NamedTuple

PROMISE_S = 1.0  # an edit is on the disk that long after it was made
EDITED_PLANS = 3  # by the window; what comes back behind them was read from a file of theirs that the session is behind
START_LIMIT_S = 300


class Window:
    """One run of the window, and what it printed."""

    def __init__(self, program, folder, graph):
        environment = dict(os.environ, QT_QPA_PLATFORM="offscreen")
        self.process = subprocess.Popen([program, folder, graph], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        env=environment)
        self.waiting = selectors.DefaultSelector()
        self.waiting.register(self.process.stdout, selectors.EVENT_READ)
        self.text = b""

    def read_for(self, seconds, until=b"\0"):
        end = time.monotonic() + seconds
        while until not in self.text and (left := end - time.monotonic()) > 0:
            if not self.waiting.select(left):
                break
            piece = os.read(self.process.stdout.fileno(), 1 << 16)
            if not piece:
                break
            self.text += piece

    def kill(self):
        """@returns the moment, on the clock of the edits."""
        moment = time.monotonic()
        self.process.send_signal(signal.SIGKILL)
        self.text += self.process.stdout.read()
        self.process.wait()
        return moment

    def lines(self, word):
        """The printed lines that begin so and are whole, split."""
        whole = self.text[: self.text.rfind(b"\n") + 1].decode().splitlines()
        return [line.split() for line in whole if line.startswith(word + " ")]


def check_whole(file):
    """@throws ValueError, zlib.error"""
    if file.suffix == ".edits":  # of a history: compressed, behind four bytes with its size
        if not isinstance(json.loads(zlib.decompress(file.read_bytes()[4:])), list):
            raise ValueError("not a list")
    elif "format" not in json.loads(file.read_bytes()):
        raise ValueError("not a document")


def damaged_files(folder):
    """Files that are not whole documents."""
    damaged = []
    for file in pathlib.Path(folder).rglob("*"):
        if not file.is_file() or file.suffix == ".lock":
            continue
        try:
            check_whole(file)
        except (ValueError, zlib.error):
            damaged.append(file.name)
    return damaged


class State(NamedTuple):
    """What a plan was at some time."""

    edit: int
    buckets: str
    made: float  # on the clock of the edits; of what came back from the disk, long ago


LONG_AGO = float("-inf")


def came_back(window):
    """What each plan was at the start, by its place."""
    return {int(place): State(int(edit), buckets, LONG_AGO) for _, place, edit, buckets in window.lines("has")}


def undone(window):
    """What each plan is with its newest edit undone, by its place, where it can be."""
    return {int(place): State(int(edit), buckets, LONG_AGO) for _, place, edit, buckets in window.lines("undone")}


def plans_of(window):
    """What each plan was, by its place, oldest first: as it came back, then by each edit."""
    plans = {place: [state] for place, state in came_back(window).items()}
    for _, edit, made, place, buckets in window.lines("edit"):
        plans.setdefault(int(place), []).append(State(int(edit), buckets, float(made)))
    return plans


def newest_by_plan(lines):
    """The newest edit of each plan in lines such as `saved EDIT PLAN`."""
    return {int(place): int(edit) for _, edit, place in lines}


class Promise:
    """What a run that was killed owes to the next start."""

    def __init__(self, window, killed_at):
        self.plans = plans_of(window)
        self.killed_at = killed_at
        self.saving = newest_by_plan(window.lines("saving"))
        self.saved = newest_by_plan(window.lines("saved"))

    def owed(self, place):
        """Where in its history the newest state is that must not be lost, or -1."""
        old = [i for i, state in enumerate(self.plans[place]) if state.made < self.killed_at - PROMISE_S]
        return old[-1] if old else -1

    def unsaved(self):
        """Plans whose newest owed edit this run made, and has not put into a file."""
        return [place for place, history in self.plans.items()
                if (owed := self.owed(place)) >= 0 and history[owed].made > LONG_AGO
                and history[owed].edit > self.saving.get(place, 0)]

    def faults(self, found, recovered):
        """@param found what each plan is at the next start, by its place."""
        told = []
        for place, history in self.plans.items():
            if place > EDITED_PLANS:
                continue
            owed = self.owed(place)
            if place not in found:
                if owed >= 0:
                    told.append(f"plan {place} is gone; edit {history[owed].edit} was older than a second")
                continue
            edit, buckets, _ = found[place]
            same = [i for i, state in enumerate(history) if (state.edit, state.buckets) == (edit, buckets)]
            if not same:
                told.append(f"plan {place} has edit {edit} and buckets {buckets}, as it never was")
            elif same[-1] < owed:
                told.append(f"plan {place} has edit {edit}, edit {history[owed].edit} was older than a second")
        known = {(state.edit, state.buckets) for history in self.plans.values() for state in history}
        told += [f"plan {place} has come from nowhere" for place, state in found.items()
                 if place > EDITED_PLANS and (state.edit, state.buckets) not in known]
        if recovered < len(self.unsaved()):
            told.append(f"{recovered} plans were recovered, {self.unsaved()} had edits in no file")
        return told

    def undo_faults(self, found, undone):
        """@param undone what each plan is at the next start with its newest edit undone, by its place."""
        told = []
        for place, history in self.plans.items():
            states = [(state.edit, state.buckets) for state in history]
            if place > EDITED_PLANS or place not in found or found[place][:2] not in states[1:]:
                continue
            if place not in undone:
                told.append(f"plan {place} cannot undo edit {found[place].edit}")
            elif undone[place][:2] not in states[:states.index(found[place][:2])]:
                told.append(f"plan {place} is undone to edit {undone[place].edit} and buckets {undone[place].buckets}, "
                            f"as it was not before edit {found[place].edit}")
        return told

    def lost(self, found):
        """When each of the edits was made that are not there."""
        return [state.made for place, history in self.plans.items() for state in history
                if state.made > LONG_AGO and (place not in found or state.edit > found[place].edit)]

    def file_faults(self, folder):
        """Plans whose file does not have what was saved."""
        told = []
        for place, saved in self.saved.items():
            file = pathlib.Path(folder) / f"{place}.plan.json"
            edit = int(json.loads(file.read_bytes()).get("notes") or 0) if file.exists() else 0
            if edit < saved:
                told.append(f"{file.name} has edit {edit}, edit {saved} was saved")
        return told


def main():
    program, graph, kills = sys.argv[1], sys.argv[2], int(sys.argv[3])
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    faults, edits, lost, oldest_lost = [], 0, 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        promise = None  # of the run before
        for run in range(kills + 1):
            window = Window(program, folder, graph)
            window.read_for(START_LIMIT_S, until=b"\nedit ")  # what was found is told before
            found = window.lines("found")
            if not found:
                window.kill()
                faults.append(f"start {run}: the window did not come up")
                break
            recovered, told = int(found[0][2]), int(found[0][4])
            if bool(recovered) != bool(told):
                faults.append(f"start {run}: {recovered} plans were recovered, told: {told}")
            if promise:
                plans = came_back(window)
                told = promise.faults(plans, recovered) + promise.undo_faults(plans, undone(window))
                faults += [f"start {run}: {fault}" for fault in told]
                missing = promise.lost(plans)
                lost += len(missing)
                oldest_lost = max([oldest_lost, *(promise.killed_at - made for made in missing)])
            window.read_for(chance.uniform(0.05, 2.5))
            promise = Promise(window, window.kill())
            edits += len(window.lines("edit"))
            damaged = [f"{name} is not whole" for name in damaged_files(folder)]
            faults += [f"kill {run}: {fault}" for fault in damaged or promise.file_faults(folder)]
    for fault in faults:
        print(fault)
    print(f"{kills} kills, {edits} edits: {lost} of the last second are not there, the oldest of them made "
          f"{oldest_lost * 1000:.0f} ms before its kill; {len(faults)} faults (seed {seed})")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
