"""Test methods made from tables: each case is a test of its own, with a name that can be read in the output."""
from __future__ import annotations

import re
import unittest
from collections.abc import Callable, Iterable
from typing import Any


def add_cases(test_class: type[unittest.TestCase], check: Callable[..., None],
              cases: Iterable[tuple[str, tuple[Any, ...]]]) -> None:
    """For each `(name, arguments)` a method `test_NAME` that calls `check(self, *arguments)`.

    Raises ValueError where two cases have one name.
    """
    for name, arguments in cases:
        method = "test_" + re.sub(r"\W+", "_", name)
        if hasattr(test_class, method):
            raise ValueError(f"two cases are called {method}")
        setattr(test_class, method, lambda self, arguments=arguments: check(self, *arguments))
