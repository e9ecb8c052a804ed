"""Two processes with gloo: numbers of the planned step are those of the unplanned one, bit for bit; ranks that do not
agree fail together, and soon."""
from __future__ import annotations

import unittest
from typing import Any

from gloo_ranks import fork_ranks
from two_ranks import JOB, UNEVEN_JOB, Rank


def run_both(what: str) -> list[dict[str, Any]]:
    job = UNEVEN_JOB if what == "uneven" else JOB
    return fork_ranks(lambda folder, rank: getattr(Rank(folder, rank, job), what)(), 2)


class NumbersAgree(unittest.TestCase):
    def test_every_plan_bit_for_bit(self) -> None:
        """Loss and gradients of each planned graph, in both modes, against the graph without a plan."""
        for found in run_both("numbers"):
            self.assertGreater(found["values"], 20)
            self.assertEqual(found["different"], [])
            self.assertEqual(len(found["compared"]), 8)


class UnevenShards(unittest.TestCase):
    def test_one_plan_is_refused_and_each_rank_s_own_gives_the_same_numbers(self) -> None:
        """Parameters that the ranks do not divide: their graphs differ in sizes."""
        first, second = run_both("uneven")
        self.assertNotEqual(first["sizes"], second["sizes"])
        self.assertEqual((first["kind"], second["kind"]), ("RankMismatch", "PlanMismatch"))
        self.assertRegex(second["error"], r"joint.job.plan.json: the plan is for another graph: node [0-9]+ .*: it "
                         r"returns float32 \[32, 32\] .*, and float32 \[33, 32\] .* in the plan")
        self.assertIn("rank 1 failed: PlanMismatch: ", first["error"])
        for found in (first, second):
            self.assertEqual(found["compared"], ["own exact", "own passes"])
            self.assertGreater(found["values"], 20)
            self.assertEqual(found["different"], [])


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
