"""Whole jobs in Python: what `overlap job simulate --json` prints."""
from __future__ import annotations

import json
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any

from overlap_studio import core
from overlap_studio.errors import InputError

from programs import SMALL, overlap_json

JOB: dict[str, Any] = {
    "format": "overlap-job", "version": 1, "name": "two stages",
    "stages": [{"name": "s0", "ms": {"F": 2, "I": 3, "W": 1}}, {"graph": SMALL.name}],
    "schedule": {"name": "1F1B", "microbatches": 8}, "transfer": {"activations_ms": 0.2, "gradients_ms": 0.2},
    "replicas": 2}


class Jobs(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        shutil.copy(SMALL, scratch.name)
        self.path = Path(scratch.name) / "two.job.json"

    def write(self, **changes: Any) -> None:
        self.path.write_text(json.dumps({**JOB, **changes}), encoding="utf-8")

    def test_the_result_is_the_command_lines(self) -> None:
        self.write()
        given = overlap_json("job", "simulate", self.path, "--json")
        self.assertEqual(core.simulate_job(self.path), given)
        self.assertEqual(len(given["ranks"]), 4)
        unfolded = overlap_json("job", "simulate", self.path, "--json", "--no-folding")
        self.assertEqual(core.simulate_job(str(self.path), fold=False), unfolded)

    def test_errors_have_file_and_place(self) -> None:
        self.write(schedule={"name": "2F2B", "microbatches": 8})
        with self.assertRaises(InputError) as caught:
            core.simulate_job(self.path)
        self.assertEqual(caught.exception.file, str(self.path))
        self.assertIn("schedule", caught.exception.place)


if __name__ == "__main__":
    unittest.main()
