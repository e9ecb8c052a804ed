"""Fields of a plan's document, read with their places: what is not as it must be is told with the path to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from .errors import PlanError

Read = TypeVar("Read")

_LONGEST = 60


class Field:
    """A value of a JSON document and where it stands. Every method raises PlanError with the place.

    @param place the name of a member of the document, or its place in the list or object `of`."""

    __slots__ = ("_file", "_place", "_of", "value")

    def __init__(self, file: str, place: str | int, value: Any, of: Field | None = None) -> None:
        self._file, self._place, self._of, self.value = file, place, of, value

    @property
    def place(self) -> str:
        if self._of is None:
            return str(self._place)
        return f"{self._of.place}[{self._place}]" if isinstance(self._place, int) else f"{self._of.place}.{self._place}"

    def fail(self, problem: str) -> PlanError:
        return PlanError(f"{self._file}: {self.place}: {problem}; export the plan again")

    def instead(self, value: Any) -> Field:
        """Another value in the same place."""
        return Field(self._file, self._place, value, self._of)

    def object(self) -> dict[str, Any]:
        return self._checked(isinstance(self.value, dict), "an object")

    def list(self) -> list[Any]:
        return self._checked(isinstance(self.value, list), "a list")

    def text(self) -> str:
        return self._checked(isinstance(self.value, str), "a text")

    def flag(self) -> bool:
        return self._checked(isinstance(self.value, bool), "true or false")

    def number(self, least: int = 0, below: int | None = None) -> int:
        """A whole number, at least `least` and less than `below`."""
        whole = isinstance(self.value, int) and not isinstance(self.value, bool)
        wanted = f"a whole number from {least} on" if below is None else f"a number from {least} to {below - 1}"
        return self._checked(whole and self.value >= least and (below is None or self.value < below), wanted)

    def member(self, key: str) -> Field:
        if key not in self.object():
            raise self.fail(f"has no {key}")
        return Field(self._file, key, self.value[key], self)

    def optional(self, key: str, read: Callable[[Field], Read], otherwise: Read) -> Read:
        return read(self.member(key)) if key in self.object() else otherwise

    def items(self, count: int | None = None) -> Iterator[Field]:
        """The items of a list, which has `count` where that is given."""
        values = self.list()
        if count is not None and len(values) != count:
            raise self.fail(f"found {len(values)} items, expected {count}")
        return (Field(self._file, place, value, self) for place, value in enumerate(values))

    def _checked(self, holds: bool, wanted: str) -> Any:
        if not holds:
            raise self.fail(f"found {_short(self.value)}, expected {wanted}")
        return self.value


def _short(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
