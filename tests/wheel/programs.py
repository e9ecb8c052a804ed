"""What tests of the wheel share: files of the repository, and the programs of the build that it was made from."""
from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
SAMPLES = REPOSITORY / "resources" / "samples"
DATA = REPOSITORY / "tests" / "data"
SMALL = SAMPLES / "llama3_debugmodel_fsdp8.prebucket.graph.json.gz"
SAMPLE = SAMPLES / "llama3_8b_fsdp128.prebucket.graph.json.gz"
SAMPLE_PLAN = SAMPLES / "llama3_8b_fsdp128.plan.json"
EXPERTS = DATA / "graphs" / "deepseek_v3_debugmodel_fsdp8_ep4.prebucket.graph.json.gz"


def overlap(*arguments: str | Path) -> str:
    """What the build's `overlap` prints."""
    program = Path(os.environ["OVERLAP_PROGRAMS"]) / "overlap"
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"overlap {' '.join(map(str, arguments))}: status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def overlap_json(*arguments: str | Path) -> Any:
    """The same as JSON."""
    return json.loads(overlap(*arguments))
