"""Makes the graphs of the published jobs: one rank of each, with the real sizes, on a CPU.

    PYTHONPATH=resources/torch python tests/torch/published_graphs.py FOLDER [NAME...]

Needs torch 2.15 and torchtitan 0.3.0 with all that it depends on; no GPU. NAME are those of published_jobs.py.
"""
from __future__ import annotations

import json
import logging
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from overlap_studio import export_graph

from published_jobs import EXPERT_OVERLAP_SAMPLE, JOBS, PublishedJob
from trainer_graphs import trainer_graph


def export(job: PublishedJob, folder: Path) -> dict[str, object]:
    """Writes the job's graph; what is told about it."""
    began = time.monotonic()
    with trainer_graph(job) as made:
        exported = export_graph(made.graph_module, folder / f"{job.name}.prebucket.graph.json.gz",
                                parameter_names=made.parameters, unbacked_size=made.rows_of_rank)
    return {"name": exported.name, "nodes": exported.nodes, "bytes": exported.path.stat().st_size,
            "digest": exported.digest, "seconds": round(time.monotonic() - began, 1),
            "passes_behind": made.passes_behind, "notes": exported.notes}


def main(folder: Path, names: Sequence[str]) -> None:
    """Each job has a process of its own: torch and the trainer remember meshes and groups of an earlier one."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [job for job in (*JOBS, EXPERT_OVERLAP_SAMPLE) if not names or job.name in names]
    if len(wanted) == 1:
        logging.disable(logging.WARNING)
        print(json.dumps(export(wanted[0], folder)), flush=True)
        return
    for job in wanted:
        subprocess.run([sys.executable, __file__, str(folder), job.name], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
