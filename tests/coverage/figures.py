"""Figures of coverage from what `llvm-cov export` writes: lines, and branches as they stand in the source.

A branch is one side of a condition: each operand of `&&`, `||` and `!`, each condition of `if`, `?:` and loops; and each
label of a switch. There are none for exceptions, which no condition decides, for conditions that the compiler knows, and for
a switch that no label of it takes. A template counts once, and a line or side of it is covered where one of its instances
has come to it.
"""

import bisect
import dataclasses
import os
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent / "support"))
from text_table import text_table  # noqa: E402

FOLDERS = ("core", "ui", "app")
LABEL = re.compile(r"case\b|default\b")
SWITCH = re.compile(r"\bswitch \((?:[^;]*;\s*)?$")  # what stands before a switch's condition


@dataclasses.dataclass
class Branch:
    """The condition from line and column `begin` to `end`, or a label of a switch, and how often it was true and false."""

    begin: tuple
    end: tuple
    taken: int
    not_taken: int
    is_label: bool = False  # which has one side: another label's is the other

    def sides(self):
        return 1 if self.is_label else 2

    def sides_covered(self):
        return (self.taken > 0) + (not self.is_label and self.not_taken > 0)


@dataclasses.dataclass
class File:
    path: str  # from the root of the project
    runs: dict  # of each line with code: how often it was run
    branches: list

    def lines(self):
        return len(self.runs)

    def lines_covered(self):
        return sum(count > 0 for count in self.runs.values())

    def sides(self):
        return sum(branch.sides() for branch in self.branches)

    def sides_covered(self):
        return sum(branch.sides_covered() for branch in self.branches)

    def uncovered(self):
        """Branches with a side that was never taken."""
        return [branch for branch in self.branches if branch.sides_covered() < branch.sides()]


def text_of(lines, begin, end):
    """What stands from line and column `begin` up to `end`, both counted from one, in a line."""
    if begin[0] == end[0]:
        return lines[begin[0] - 1][begin[1] - 1:end[1] - 1]
    between = lines[begin[0]:end[0] - 1]
    return " ".join([lines[begin[0] - 1][begin[1] - 1:], *(line.strip() for line in between), lines[end[0] - 1][:end[1] - 1].strip()])


def merged(regions):
    """Place and counts of each branch, those of all instances of a template together."""
    counts = {}
    for line, column, end_line, end_column, taken, not_taken, *_ in regions:
        counted = counts.setdefault(((line, column), (end_line, end_column)), [0, 0])
        counted[0] += taken
        counted[1] += not_taken
    return sorted(counts.items())


def branches_of(regions, segments, source):
    """Branches of a file whose lines are `source`."""
    starts = [(line, column) for line, column, *_ in segments]
    branches = []
    for (begin, end), (taken, not_taken) in merged(regions):
        segment = bisect.bisect_right(starts, begin) - 1
        reached = segment >= 0 and segments[segment][2] > 0
        if reached and taken == not_taken == 0:
            continue  # never counted, since the compiler knows it
        if SWITCH.search(source[begin[0] - 1][:begin[1] - 1]):
            continue  # told where a switch has no default: what no label takes, which enumerations do not have
        is_label = LABEL.match(text_of(source, begin, end)) is not None
        branches.append(Branch(begin, end, taken, not_taken, is_label))
    return branches


def runs_of_lines(segments):
    """How often each line was run that has code: the most of the segments that begin there, or what goes on from above."""
    runs = {}
    of_line = {}
    for segment in segments:
        of_line.setdefault(segment[0], []).append(segment)
    wrapped = None
    for line in range(min(of_line, default=0), max(of_line, default=-1) + 1):
        starting = of_line.get(line, [])
        entered = [count for _, _, count, has_count, is_entry, is_gap in starting if has_count and is_entry and not is_gap]
        skipped = bool(starting) and not starting[0][3] and starting[0][4]
        goes_on = wrapped is not None and wrapped[3]
        if not skipped and (goes_on or entered):
            runs[line] = max(entered + ([wrapped[2]] if goes_on else []))
        if starting:
            wrapped = starting[-1]
    return runs


def files_of(export, root):
    """Files of the project in a document of `llvm-cov export`."""
    files = []
    for entry in export["data"][0]["files"]:
        path = os.path.relpath(entry["filename"], root)
        if path.split(os.sep)[0] not in FOLDERS:
            continue
        with open(entry["filename"], encoding="utf-8") as file:
            source = file.read().splitlines()
        branches = branches_of(entry["branches"], entry["segments"], source)
        files.append(File(path, runs_of_lines(entry["segments"]), branches))
    return sorted(files, key=lambda file: file.path)


def percent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "–"


def row(name, files):
    """Lines and branches of the files, as columns of the table."""
    lines, lines_covered = sum(file.lines() for file in files), sum(file.lines_covered() for file in files)
    sides, sides_covered = sum(file.sides() for file in files), sum(file.sides_covered() for file in files)
    return [name, lines, percent(lines_covered, lines), sides, percent(sides_covered, sides), sides - sides_covered]


HEADER = ["", "lines", "%", "branches", "%", "not taken"]


def folder_table(files):
    """A row for each folder, and one for what is above it."""
    rows = []
    for top in FOLDERS:
        below = [file for file in files if file.path.startswith(top + os.sep)]
        if not below:
            continue
        rows.append(row(top, below))
        folders = sorted({os.sep.join(file.path.split(os.sep)[:2]) for file in below if file.path.count(os.sep) > 1})
        for folder in folders:
            rows.append(row("  " + folder, [file for file in below if file.path.startswith(folder + os.sep)]))
    return text_table(HEADER, rows)


def file_table(files, most):
    """The files with the most uncovered branches."""
    by_gap = sorted(files, key=lambda file: (file.sides_covered() - file.sides(), file.path))
    return text_table(HEADER, [row(file.path, [file]) for file in by_gap[:most]])


def stretches(lines):
    """First and last of each stretch of lines that follow each other."""
    found = []
    for line in lines:
        if found and found[-1][1] == line - 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    return found


def gaps(file, source):
    """A line for each branch of the file that has a side never taken, and for each stretch of lines never run."""
    told = []
    for branch in file.uncovered():
        side = "never true" if branch.taken == 0 else "never false"
        if branch.sides_covered() == 0:
            side = "never taken" if branch.is_label else "never reached"
        text = text_of(source, branch.begin, branch.end)
        if text == ":":  # a loop over a range
            text = source[branch.begin[0] - 1].strip()
        told.append((branch.begin[0], f"{side}: {text}"))
    for first, last in stretches(sorted(line for line, count in file.runs.items() if count == 0)):
        told.append((first, "never run" if first == last else f"to {last} never run"))
    return [f"{file.path}:{line}: {what}" for line, what in sorted(told)]
