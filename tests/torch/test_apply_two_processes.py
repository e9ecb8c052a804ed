"""Two processes with gloo: numbers of the planned step are those of the unplanned one, bit for bit; ranks that do not
agree fail together, and soon."""
from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
SECONDS = 900


def run_ranks(*arguments: str) -> list[dict[str, Any]]:
    """Runs two_ranks.py on two ranks; what each wrote as its last line."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-B", str(FOLDER / "two_ranks.py"), scratch, *arguments]
        environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": scratch, "OMP_NUM_THREADS": "1"}
        logs = [Path(scratch) / f"rank{rank}.log" for rank in range(2)]  # not pipes: one that is full would stop its rank
        ranks = []
        for rank, log in enumerate(logs):
            with open(log, "w", encoding="utf-8") as file:
                ranks.append(subprocess.Popen([*command, str(rank)], env=environment, stdout=file,
                                              stderr=subprocess.STDOUT))
        try:
            for rank in ranks:
                rank.wait(timeout=SECONDS)
        finally:
            for rank in ranks:
                rank.kill()
            outputs = [log.read_text(encoding="utf-8", errors="replace") for log in logs]
    try:
        return [json.loads(output.splitlines()[-1]) for output in outputs]
    except (IndexError, ValueError) as error:
        raise AssertionError("\n".join(outputs)) from error


class NumbersAgree(unittest.TestCase):
    def test_every_plan_bit_for_bit(self) -> None:
        """Loss and gradients of each planned graph, in both modes, against the graph without a plan."""
        for found in run_ranks("numbers"):
            self.assertGreater(found["values"], 20)
            self.assertEqual(found["different"], [])
            self.assertEqual(len(found["compared"]), 8)


class RanksDisagree(unittest.TestCase):
    def test_different_plans_are_an_error_on_both_ranks(self) -> None:
        for found in run_ranks("plans"):
            self.assertEqual(found["kind"], "RankMismatch")
            self.assertRegex(found["error"], "rank 1 differs from rank 0 in the plan: default_mode .* on rank 1, joint")
            self.assertLess(found["seconds"], 60)

    def test_a_stale_plan_on_one_rank_is_an_error_on_both(self) -> None:
        first, second = run_ranks("stale")
        self.assertEqual((first["kind"], second["kind"]), ("RankMismatch", "PlanMismatch"))
        self.assertRegex(first["error"], "rank 1 failed: PlanMismatch: .*the plan is for another graph: node [0-9]+")
        self.assertLess(first["seconds"], 60)

    def test_a_rank_that_never_answers_is_named(self) -> None:
        first, second = run_ranks("silent")
        self.assertEqual(first["kind"], "RankMismatch")
        self.assertRegex(first["error"], "rank 1 did not report within 0:00:05")
        self.assertEqual(second["kind"], "")


if __name__ == "__main__":
    unittest.main()
