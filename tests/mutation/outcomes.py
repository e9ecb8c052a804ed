"""Tables of what became of the changes, and the list of those that make no difference."""

import collections
import dataclasses
import os
import re

FIELDS = ("path", "line", "change", "reason", "which")
WHICH = re.compile(r"([0-9]+(?:,[0-9]+)*) of ([0-9]+)")


@dataclasses.dataclass(frozen=True)
class Tried:
    """A change of `path`, and what became of it: killed, survived, not reached, no difference or not tried."""

    path: str
    line: int
    kind: str
    source_line: str
    text: str
    outcome: str
    by: str = ""
    among: tuple = (1, 1)  # of lines of the file that are equal: which it is, and how many there are

    def place(self):
        """What no_difference.tsv knows it by."""
        return self.path, self.source_line, self.text


@dataclasses.dataclass(frozen=True)
class Reason:
    """Why a change makes no difference, in the lines `which` of `of` equal ones."""

    text: str
    which: tuple = (1,)
    of: int = 1


def read_no_difference(path):
    """{(path, line, change): [Reason]} of a table with a tab between its columns; the first line names them. `line` is the
    line of the source in which the change begins, without what it is indented by. `which` is there only where the source has
    several equal ones: `2,3 of 3`."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if not lines or tuple(lines[0].split("\t")) != FIELDS:
        raise ValueError(f"{path}: the first line is not {' '.join(FIELDS)}, with tabs between")
    reasons = {}
    for number, line in enumerate(lines[1:], 2):
        fields = line.split("\t")
        if len(fields) not in (len(FIELDS) - 1, len(FIELDS)) or not all(fields):
            raise ValueError(f"{path}:{number}: {len(FIELDS)} columns are wanted, or all but the last, with tabs between")
        which, of = (1,), 1
        if len(fields) == len(FIELDS):
            found = WHICH.fullmatch(fields[-1])
            which, of = (tuple(map(int, found[1].split(","))), int(found[2])) if found else ((), 0)
            if of < 2 or which != tuple(sorted({number for number in which if 1 <= number <= of})):
                raise ValueError(f"{path}:{number}: \"{fields[-1]}\" does not tell which of several lines, as in \"2,3 of 3\"")
        reasons.setdefault(tuple(fields[:3]), []).append(Reason(fields[3], which, of))
    return reasons


def equal_lines(text, source_line):
    """The numbers of the lines that are equal to it but for what they are indented by."""
    return [number for number, line in enumerate(text.splitlines(), 1) if " ".join(line.split()) == source_line]


def among(text, source_line, line):
    """Which of several equal lines the one with the number `line` is, and how many there are. None of several where the text
    was edited since and another line has this number."""
    lines = equal_lines(text, source_line)
    if len(lines) < 2:
        return 1, 1
    return lines.index(line) + 1 if line in lines else 0, len(lines)


def has_reason(reasons, place, among):
    """Whether there is a reason for a change in the line that is number among[0] of among[1] equal ones."""
    return any(among[0] in reason.which and among[1] == reason.of for reason in reasons.get(place, []))


def outcome_of(result, is_excused):
    """A change that was said to make no difference and is killed makes one."""
    if result is None:
        return "not tried"
    if result.by is not None:
        return "killed"
    if is_excused:
        return "no difference"
    return "survived" if result.tests else "not reached"


COLUMNS = ("killed", "survived", "not reached", "no difference", "not tried")


def summary(name, tried):
    """A row: all, each outcome, and the share of killed ones among those that were tried and make a difference."""
    counts = collections.Counter(one.outcome for one in tried)
    counted = counts["killed"] + counts["survived"] + counts["not reached"]
    share = f"{100 * counts['killed'] / counted:.1f}" if counted else "–"
    return [name, len(tried), *(counts[column] for column in COLUMNS), share]


def rows(tried, folder):
    """By the folders right below `folder`, by kind, and in all."""
    by_folder, by_kind = collections.defaultdict(list), collections.defaultdict(list)
    for one in tried:
        below = os.path.relpath(one.path, folder).split(os.sep)
        by_folder[os.path.join(folder, below[0]) if len(below) > 1 else folder].append(one)
        by_kind[one.kind].append(one)
    table = [summary(name, group) for name, group in sorted(by_folder.items())]
    table += [summary(name, group) for name, group in sorted(by_kind.items())]
    return table + [summary("all", tried)]


def wrong_reasons(tried, reasons):
    """A line for each reason that a test contradicts."""
    return [f"{one.path}:{one.line}: {one.text}: killed by {one.by}, so it makes a difference"
            for one in tried if one.outcome == "killed" and has_reason(reasons, one.place(), one.among)]


def survivors(tried):
    """Two lines for each change that no test misses, as no_difference.tsv would have them, with … for the reason."""
    def row(one):
        number, of = one.among
        return f"    {one.source_line}\t{one.text}" + (f"\t…\t{number} of {of}" if of > 1 else "")

    return [f"{one.path}:{one.line}: {one.outcome}: {one.kind}\n{row(one)}"
            for one in sorted(tried, key=lambda one: (one.path, one.line, one.text))
            if one.outcome in ("survived", "not reached")]
