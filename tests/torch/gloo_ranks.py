"""Ranks of a job as processes with gloo: starting them, and what each has found."""
from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

SECONDS = 900


def fork_ranks(call: Callable[[Path, int], Any], world_size: int) -> list[Any]:
    """What `call(FOLDER, RANK)` returns on each rank, as JSON. Ranks are copies of this process, so that what it has
    imported is there at once; it must not have computed anything yet. The folder is one for all ranks, and new. None
    outlives this: ranks that have not ended after SECONDS are killed."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        ranks: dict[int, int] = {}
        try:
            for rank in range(world_size):
                ranks[rank] = _fork(call, folder, rank)
            _wait(ranks)
        finally:
            for process in ranks.values():
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
        found = [folder / f"rank{rank}.json" for rank in range(world_size)]
        if ranks or not all(path.exists() for path in found):
            logs = "\n".join(path.read_text(errors="replace") for path in sorted(folder.glob("rank*.log")))
            raise AssertionError(f"{logs}\nnot ended after {SECONDS} s: {sorted(ranks) or 'none'}")
        return [json.loads(path.read_text(encoding="utf-8")) for path in found]


def _wait(ranks: dict[int, int]) -> None:
    """Takes ranks out as they end, until none is left or SECONDS are over."""
    end = time.monotonic() + SECONDS
    while ranks and time.monotonic() < end:
        for rank, process in list(ranks.items()):
            if os.waitpid(process, os.WNOHANG)[0]:
                del ranks[rank]
        time.sleep(0.01)


def _fork(call: Callable[[Path, int], Any], folder: Path, rank: int) -> int:
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        with open(folder / f"rank{rank}.log", "w", encoding="utf-8") as log:
            os.dup2(log.fileno(), sys.stdout.fileno())
            os.dup2(log.fileno(), sys.stderr.fileno())
            try:
                torch.set_num_threads(1)
                # Nothing that another job of the same tests has compiled.
                os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(folder)
                (folder / f"rank{rank}.json").write_text(json.dumps(call(folder, rank)), encoding="utf-8")
                status = 0
            except BaseException:
                traceback.print_exc()
                sys.stderr.flush()
    finally:
        os._exit(status)


def join(folder: Path, rank: int, world_size: int) -> None:
    """Sets torch.distributed up as one of the ranks that fork_ranks() started."""
    store = dist.FileStore(str(folder / "store"), world_size)
    dist.init_process_group("gloo", rank=rank, world_size=world_size, store=store, timeout=timedelta(minutes=10))


def outcome(call: Callable[[], Any]) -> dict[str, Any]:
    """The kind and the text of the error that a call raises, empty where it raises none, and how long it took."""
    began = time.monotonic()
    kind = text = ""
    try:
        call()
    except Exception as error:
        kind, text = type(error).__name__, str(error)
    return {"kind": kind, "error": text, "seconds": time.monotonic() - began}
