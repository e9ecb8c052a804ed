"""Ranks that do not do the same thing fail together, within seconds and with a sentence that names the rank."""
from __future__ import annotations

import unittest
from typing import Any

from agreeing_ranks import Rank
from gloo_ranks import fork_ranks

SOON_SECONDS = 60  # the ranks would wait five minutes for one that does not answer


class Agreement(unittest.TestCase):
    def run_ranks(self, what: str, world_size: int = 2) -> list[dict[str, Any]]:
        found = fork_ranks(lambda folder, rank: getattr(Rank(folder, rank, world_size), what)(), world_size)
        for rank in found:
            self.assertLess(rank["seconds"], SOON_SECONDS)
        return found

    def check_all(self, what: str, words: str, world_size: int = 2) -> None:
        for rank in self.run_ranks(what, world_size):
            self.assertEqual(rank["kind"], "RankMismatch", rank)
            self.assertRegex(rank["error"], words)

    def check_failure(self, what: str, words: str) -> None:
        """Rank 1 fails, the others with it."""
        found = self.run_ranks(what, 3)
        self.assertEqual([rank["kind"] for rank in found], ["RankMismatch", "PlanError", "RankMismatch"])
        self.assertRegex(found[1]["error"], words)
        for rank in (0, 2):
            self.assertRegex(found[rank]["error"], "rank 1 failed: PlanError: .*" + words)

    def test_a_graph_that_one_rank_skips(self) -> None:
        self.check_all("skip_on_one", r"rank 1 differs from rank 0 in the plan: none on rank 1, a plan \(.*\) on rank 0", 3)

    def test_graphs_that_all_skip_and_graphs_of_one_rank_leave_the_later_ones_in_step(self) -> None:
        self.assertEqual([rank["error"] for rank in self.run_ranks("skip_on_all", 3)], ["", "", ""])

    def test_a_plan_that_one_rank_cannot_read(self) -> None:
        self.check_failure("unreadable_on_one", "nowhere.json: cannot be read as a plan")

    def test_a_plan_that_one_rank_cannot_read_before_the_job_is_set_up(self) -> None:
        self.check_failure("unreadable_on_one_before_the_job_is_set_up", "nowhere.json: cannot be read as a plan")

    def test_a_graph_that_has_no_collectives_on_one_rank(self) -> None:
        self.check_all("without_collectives_on_one", "rank 1 has a graph without collectives where rank [02] has one "
                       "with some; all ranks must run the same collectives", 3)

    def test_a_graph_without_collectives_ahead_of_one_with_some(self) -> None:
        self.assertEqual([rank["error"] for rank in self.run_ranks("own_graphs_of_one")], ["", ""])

    def test_the_first_failure_is_told_at_once_whoever_is_silent(self) -> None:
        first, silent, failed = self.run_ranks("failure_beside_a_silent_rank", 3)
        for rank in (first, failed):
            self.assertEqual(rank["error"], "rank 2 failed: ValueError: no such thing")
        self.assertEqual(silent["error"], "")

    def test_the_rank_that_differs_is_named(self) -> None:
        self.check_all("disagreement_of_the_last", "rank 2 differs from rank 0 in the plan: other on rank 2, one on rank 0",
                       3)


if __name__ == "__main__":
    unittest.main()
