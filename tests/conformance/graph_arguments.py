"""Arguments as graph documents have them. Standard library only."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def nodes_in(value: Any) -> Iterator[str]:
    """Names of the nodes that an argument refers to, or a list or dictionary of arguments, in order, as often as it does."""
    if isinstance(value, dict):
        if isinstance(value.get("node"), str):
            yield value["node"]
        else:
            for part in value.values():
                yield from nodes_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from nodes_in(part)
