"""The native core where this installation has it (the wheel), and what makes work on large graphs quick."""

from __future__ import annotations

import contextlib
import gc
import importlib
from collections.abc import Iterator
from functools import cache
from typing import Any


@cache
def native_core() -> Any | None:
    """The module `overlap_studio.core`, or None in an installation that is Python alone."""
    name = f"{__package__}.core"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None


@contextlib.contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Looking for cycles among all of a job's objects, again and again while many are made, takes longer than the
    making of them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
