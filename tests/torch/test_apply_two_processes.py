"""Two processes with gloo: numbers of the planned step are those of the unplanned one, bit for bit; ranks that do not
agree fail together, and soon."""
from __future__ import annotations

import unittest
from typing import Any

from gloo_ranks import run_ranks


def run_both(what: str) -> list[dict[str, Any]]:
    return run_ranks("two_ranks.py", what)


class NumbersAgree(unittest.TestCase):
    def test_every_plan_bit_for_bit(self) -> None:
        """Loss and gradients of each planned graph, in both modes, against the graph without a plan."""
        for found in run_both("numbers"):
            self.assertGreater(found["values"], 20)
            self.assertEqual(found["different"], [])
            self.assertEqual(len(found["compared"]), 8)


class RanksDisagree(unittest.TestCase):
    def test_different_plans_are_an_error_on_both_ranks(self) -> None:
        for found in run_both("plans"):
            self.assertEqual(found["kind"], "RankMismatch")
            self.assertRegex(found["error"], "rank 1 differs from rank 0 in the plan: default_mode .* on rank 1, joint")
            self.assertLess(found["seconds"], 60)

    def test_a_stale_plan_on_one_rank_is_an_error_on_both(self) -> None:
        first, second = run_both("stale")
        self.assertEqual((first["kind"], second["kind"]), ("RankMismatch", "PlanMismatch"))
        self.assertRegex(first["error"], "rank 1 failed: PlanMismatch: .*the plan is for another graph: node [0-9]+")
        self.assertLess(first["seconds"], 60)

    def test_a_rank_that_never_answers_is_named(self) -> None:
        first, second = run_both("silent")
        self.assertEqual(first["kind"], "RankMismatch")
        self.assertRegex(first["error"], "rank 1 did not report within 0:00:05")
        self.assertEqual(second["kind"], "")


if __name__ == "__main__":
    unittest.main()
