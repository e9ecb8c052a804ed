#!/usr/bin/env python3
"""Kills the window at random moments of editing and looks at what the next start has.

    kill_test.py EDITING_WINDOW GRAPH KILLS

Every edit that was a second old when the process was killed must be there at the next start, told of as recovered, and
every file must be whole. Prints a line of figures; exit status 0 when all of it held.
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

PROMISE_S = 1.0  # an edit is on the disk that long after it was made
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


def damaged_files(folder):
    """Files that are not whole documents."""
    damaged = []
    for file in pathlib.Path(folder).rglob("*"):
        if not file.is_file() or file.suffix == ".lock":
            continue
        try:
            if "format" not in json.loads(file.read_bytes()):
                raise ValueError("not a document")
        except ValueError:
            damaged.append(file.name)
    return damaged


def main():
    program, graph, kills = sys.argv[1], sys.argv[2], int(sys.argv[3])
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    faults, edits, lost, oldest_lost = [], 0, 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        made, saved, killed_at = [], 0, None  # of the run before; `saved` is the newest edit that is in a plan's file
        for run in range(kills + 1):
            window = Window(program, folder, graph)
            window.read_for(START_LIMIT_S, until=b"found")
            window.read_for(5, until=b"\n")
            found = window.lines("found")
            if not found:
                window.kill()
                faults.append(f"start {run}: the window did not come up")
                break
            number, recovered, told = int(found[0][1]), int(found[0][3]), int(found[0][5])
            owed = [edit for edit, moment in made if moment < killed_at - PROMISE_S]
            if owed and number < owed[-1]:
                faults.append(f"start {run}: edit {number} is the newest, edit {owed[-1]} was older than a second")
            if bool(recovered) != bool(told):
                faults.append(f"start {run}: {recovered} plans were recovered, told: {told}")
            if owed and owed[-1] > saved and not recovered:
                faults.append(f"start {run}: edit {owed[-1]} is in no plan's file, and nothing was recovered")
            missing = [moment for edit, moment in made if edit > number]
            lost += len(missing)
            if missing:
                oldest_lost = max(oldest_lost, killed_at - missing[0])
            window.read_for(chance.uniform(0.05, 2.5))
            killed_at = window.kill()
            made = [(int(edit), float(moment)) for _, edit, moment in window.lines("edit")]
            saved = max((int(edit) for _, edit in window.lines("saved")), default=0)
            edits += len(made)
            faults += [f"kill {run}: {name} is not whole" for name in damaged_files(folder)]
    for fault in faults:
        print(fault)
    print(f"{kills} kills, {edits} edits: {lost} of the last second are not there, the oldest of them made "
          f"{oldest_lost * 1000:.0f} ms before its kill; {len(faults)} faults (seed {seed})")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
