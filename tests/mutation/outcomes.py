"""Tables of what became of the changes, and the list of those that make no difference."""

import collections
import dataclasses
import os

FIELDS = ("path", "line", "change", "reason")


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

    def place(self):
        """What no_difference.tsv knows it by."""
        return self.path, self.source_line, self.text


def read_no_difference(path):
    """{(path, line, change): reason} of a table with a tab between its columns; the first line names them. `line` is the
    line of the source in which the change begins, without what it is indented by."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if not lines or tuple(lines[0].split("\t")) != FIELDS:
        raise ValueError(f"{path}: the first line is not {' '.join(FIELDS)}, with tabs between")
    reasons = {}
    for number, line in enumerate(lines[1:], 2):
        fields = line.split("\t")
        if len(fields) != len(FIELDS) or not all(fields):
            raise ValueError(f"{path}:{number}: {len(FIELDS)} columns are wanted, with tabs between")
        reasons[tuple(fields[:-1])] = fields[-1]
    return reasons


def outcome_of(result, has_reason):
    """A change that was said to make no difference and is killed makes one."""
    if result is None:
        return "not tried"
    if result.by is not None:
        return "killed"
    if has_reason:
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


def wrong_reasons(tried, reasons, times):
    """A line for each reason that a test contradicts. `times` tells how often a line stands in a file: of several equal ones
    a reason may be of another than the one that was tried."""
    return [f"{one.path}:{one.line}: {one.text}: killed by {one.by}, so it makes a difference"
            for one in tried
            if one.outcome == "killed" and one.place() in reasons and times(one.path, one.source_line) == 1]


def survivors(tried):
    """Two lines for each change that no test misses, as no_difference.tsv would have them."""
    return [f"{one.path}:{one.line}: {one.outcome}: {one.kind}\n    {one.source_line}\t{one.text}"
            for one in sorted(tried, key=lambda one: (one.path, one.line, one.text))
            if one.outcome in ("survived", "not reached")]
