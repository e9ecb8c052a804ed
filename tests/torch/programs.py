"""The project's programs, as tests call them."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
# The judge of results: standard-library Python that shares no code with what it judges.
sys.path.insert(0, str(REPOSITORY / "tests" / "conformance"))


def run_overlap(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Calls `overlap` with these arguments; what it printed and its exit status."""
    program = Path(os.environ["OVERLAP_PROGRAMS"]) / "overlap"
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=600, check=False)


def overlap(*arguments: str | Path) -> str:
    """What `overlap` printed on stdout.

    Raises RuntimeError with its message where its exit status is not 0.
    """
    done = run_overlap(*arguments)
    if done.returncode != 0:
        raise RuntimeError(f"overlap {' '.join(map(str, arguments))}: status {done.returncode}: {done.stderr.strip()}")
    return done.stdout
