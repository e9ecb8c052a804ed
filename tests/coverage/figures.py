"""Figures of coverage from what `llvm-cov export` writes: lines, and branches as they stand in the source.

A branch is one side of a condition: each operand of `&&`, `||` and `!`, each condition of `if`, `?:` and loops, each case of
a switch. There are none for exceptions, which no condition decides. A template counts once, and a side of it is covered
where one of its instances has taken it.
"""

import dataclasses
import os
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent / "support"))
from text_table import text_table  # noqa: E402

FOLDERS = ("core", "ui", "app")
CONSTANT = {"true", "false"}  # a condition that never has another value


@dataclasses.dataclass
class Branch:
    """Both sides of the condition from line and column `begin` to `end`, and how often each was taken."""

    begin: tuple
    end: tuple
    taken: int
    not_taken: int

    def sides_covered(self):
        return (self.taken > 0) + (self.not_taken > 0)


@dataclasses.dataclass
class File:
    path: str  # from the root of the project
    lines: int
    lines_covered: int
    branches: list

    def sides(self):
        return 2 * len(self.branches)

    def sides_covered(self):
        return sum(branch.sides_covered() for branch in self.branches)

    def uncovered(self):
        """Branches with a side that was never taken."""
        return [branch for branch in self.branches if branch.sides_covered() < 2]


def text_of(lines, begin, end):
    """What stands from line and column `begin` up to `end`, both counted from one, in a line."""
    if begin[0] == end[0]:
        return lines[begin[0] - 1][begin[1] - 1:end[1] - 1]
    between = lines[begin[0]:end[0] - 1]
    return " ".join([lines[begin[0] - 1][begin[1] - 1:], *(line.strip() for line in between), lines[end[0] - 1][:end[1] - 1].strip()])


def merged(regions):
    """One branch for each place. A macro's condition is told once for the macro and once for each use; uses are counted."""
    counts = {}
    for line, column, end_line, end_column, taken, not_taken, *_ in regions:
        counted = counts.setdefault(((line, column), (end_line, end_column)), [0, 0])
        counted[0] += taken
        counted[1] += not_taken
    return [Branch(begin, end, *counted) for (begin, end), counted in sorted(counts.items())]


def files_of(export, root):
    """Files of the project in a document of `llvm-cov export`."""
    files = []
    for entry in export["data"][0]["files"]:
        path = os.path.relpath(entry["filename"], root)
        if path.split(os.sep)[0] not in FOLDERS:
            continue
        with open(entry["filename"], encoding="utf-8") as file:
            source = file.read().splitlines()
        branches = [branch for branch in merged(entry["branches"])
                    if text_of(source, branch.begin, branch.end).strip() not in CONSTANT]
        lines = entry["summary"]["lines"]
        files.append(File(path, lines["count"], lines["covered"], branches))
    return sorted(files, key=lambda file: file.path)


def percent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "–"


def row(name, files):
    """Lines and branches of the files, as columns of the table."""
    lines, lines_covered = sum(file.lines for file in files), sum(file.lines_covered for file in files)
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


def gaps(file, source):
    """A line for each branch of the file that has a side never taken."""
    told = []
    for branch in file.uncovered():
        side = "never reached" if branch.sides_covered() == 0 else "never true" if branch.taken == 0 else "never false"
        told.append(f"{file.path}:{branch.begin[0]}: {side}: {text_of(source, branch.begin, branch.end)}")
    return told
