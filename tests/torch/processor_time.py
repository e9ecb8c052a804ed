"""What work on graphs takes of the processor, for benchmarks."""
from __future__ import annotations

import gc
import os
import re
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import torch.fx as fx


def timed(work: Callable[[], Any]) -> float:
    """Seconds of the processor, without those of `recompile`."""
    compiled = 0.0
    recompile = fx.GraphModule.recompile

    def counted(gm: fx.GraphModule) -> Any:
        nonlocal compiled
        began = time.process_time()
        code = recompile(gm)
        compiled += time.process_time() - began
        return code

    gc.collect()
    with mock.patch.object(fx.GraphModule, "recompile", counted):
        began = time.process_time()
        work()
        return time.process_time() - began - compiled


def compile_seconds(gm: fx.GraphModule) -> float:
    began = time.process_time()
    gm.recompile()
    return time.process_time() - began


def seconds_text(seconds: list[float]) -> str:
    if len(seconds) == 1:
        return f"{seconds[0]:.2f}"
    return f"{statistics.median(seconds):.2f} ({min(seconds):.2f} to {max(seconds):.2f})"


def machine() -> str:
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    found = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return f"{found[1] if found else 'unknown processor'}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
