"""A change of a source file, and the file with several changes in it, of which the environment chooses one when a program
runs (mutant.cpp)."""

import collections
import dataclasses
import re

DECLARATION = b"namespace overlap::mutation { bool is_chosen(int mutant); }\n"
CHOSEN = "::overlap::mutation::is_chosen"


@dataclasses.dataclass(frozen=True, order=True)
class Change:
    """A change of the text from `begin` to `end`, offsets in bytes. `before` is that text, `after` what stands there when
    the change is chosen; nothing where a statement, with its semicolon, is dropped."""

    begin: int
    end: int
    kind: str
    before: str
    after: str
    line: int

    def source_line(self, text):
        """The line of the file's text in which the change begins, without what it is indented by."""
        start = text.rfind(b"\n", 0, self.begin) + 1
        return " ".join(text[start:].split(b"\n", 1)[0].decode().split())

    def text(self):
        """The change in one line."""
        return f"{' '.join(self.before.split())} -> {' '.join(self.after.split()) or 'nothing'}"


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a change stands in the changed text, from `begin` to `end`, offsets in bytes."""

    begin: int
    end: int
    number: int


def end_of_includes(text):
    """Offset behind the last #include: what is before it stays as it is, so that a compiler need not read it again."""
    includes = list(re.finditer(rb"^[ \t]*#[ \t]*include[^\n]*\n", text, re.MULTILINE))
    return includes[-1].end() if includes else 0


def with_changes(text, changes):
    """The text with all of the changes, {number: Change}, and their places in it."""
    at = collections.defaultdict(list)
    for number, change in sorted(changes.items()):
        at[change.begin, -change.end].append((number, change))
    start = end_of_includes(text)
    places, out = [], bytearray(text[:start] + DECLARATION)
    waiting = collections.deque(sorted(at))  # what is around others comes first

    def write(begin, end):
        """The text from `begin` to `end`, with the changes in it."""
        while waiting and waiting[0][0] < end:
            here = waiting.popleft()
            out.extend(text[begin:here[0]])
            begin = -here[1]
            write_changed(here[0], begin, at[here])
        out.extend(text[begin:end])

    def write_changed(begin, end, here):
        first = len(out)
        dropped = [number for number, change in here if not change.after]
        conditions = [(number, change.after) for number, change in here if change.kind == "condition"]
        others = [(number, change.after) for number, change in here if change.after and change.kind != "condition"]
        for number in dropped:
            out.extend(f"{{ if (!{CHOSEN}({number})) ".encode())
        for number, after in conditions:  # the contrary is a bool, whatever the condition is
            out.extend(f"({CHOSEN}({number}) ? ({after}) : static_cast<bool>(".encode())
        for number, after in others:
            out.extend(f"({CHOSEN}({number}) ? ({after}) : ".encode())
        if others:
            out.extend(b"(")
        write(begin, end)
        if others:
            out.extend(b")" * (1 + len(others)))
        out.extend(b"))" * len(conditions))
        out.extend(b" }" * len(dropped))
        places.extend(Place(first, len(out), number) for number, _ in here)

    write(start, len(text))
    return bytes(out), places


def numbers_at(text, places, offset):
    """The changes that a compiler's message at this offset may be about: the innermost around it, or else the nearest."""
    around = [place for place in places if place.begin <= offset <= place.end]
    if around:
        smallest = min(place.end - place.begin for place in around)
        return {place.number for place in around if place.end - place.begin == smallest}
    line = text.count(b"\n", 0, offset)
    distance = {place.number: abs(text.count(b"\n", 0, place.begin) - line) for place in places}
    return {number for number in distance if distance[number] == min(distance.values())}


def that_compile(text, changes, errors_of):
    """The changes of {number: Change} with which the text compiles. `errors_of(text)` gives the offsets of errors."""
    left = dict(changes)
    while left:
        changed, places = with_changes(text, left)
        errors = errors_of(changed)
        if not errors:
            return left
        wrong = numbers_at(changed, places, errors[0]).union(*(
            numbers_at(changed, [place for place in places if place.begin <= error <= place.end], error)
            for error in errors[1:] if any(place.begin <= error <= place.end for place in places)))
        left = {number: change for number, change in left.items() if number not in wrong}
    return {}
