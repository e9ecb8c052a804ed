"""Ranks that measure other times make one graph, the one that PyTorch's scheduler makes, or stop together."""
from __future__ import annotations

import unittest

from gloo_ranks import fork_ranks
from measuring_ranks import Rank

SOON_SECONDS = 100  # the ranks would wait five minutes for one that does not answer


class TheSameGraph(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.ranks = fork_ranks(lambda folder, rank: Rank(folder, rank, 4).graphs(), 4)

    def check(self, kind: str) -> None:
        for rank in self.ranks:
            self.assertEqual(rank["core"][kind], rank["torch"][kind])

    def test_times_of_compute_are_aligned_as_by_pytorch(self) -> None:
        self.check("first")
        for rank in self.ranks:
            self.assertEqual(rank["core"]["first"]["collectives"], self.ranks[0]["core"]["first"]["collectives"])

    def test_a_pipeline_that_says_so_is_the_same(self) -> None:
        for rank in self.ranks:
            self.assertEqual(rank["told to measure"], rank["torch"]["first"])

    def test_a_later_graph_has_the_times_of_the_first(self) -> None:
        self.check("later")

    def test_nothing_is_aligned_where_pytorch_does_not_measure(self) -> None:
        self.check("analytical")
        self.check("deterministic")
        self.assertGreater(len({rank["core"]["analytical"]["collectives"] for rank in self.ranks}), 1)


class Refusals(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.ranks = fork_ranks(lambda folder, rank: Rank(folder, rank, 2).refusals(), 2)

    def check(self, what: str, words: str) -> None:
        for rank in self.ranks:
            found = rank[what]
            self.assertEqual(found["kind"], "RankMismatch", found)
            self.assertRegex(found["error"], words)
            self.assertTrue(found["unchanged"])
            self.assertLess(found["seconds"], SOON_SECONDS)

    def test_other_graphs_of_times_that_are_not_aligned(self) -> None:
        self.check("analytical", "rank 1 differs from rank 0 in the collectives that the passes make")

    def test_other_graphs_of_measured_collectives(self) -> None:
        self.check("gathers", "rank 1 differs from rank 0 in the collectives that the passes make")

    def test_other_passes_before_anything_is_gathered(self) -> None:
        self.check("other passes", "rank 1 differs from rank 0 in the passes")

    def test_a_rank_that_cannot_tell_its_times_stops_all(self) -> None:
        first, failed = (rank["failing"] for rank in self.ranks)
        self.assertEqual(first["kind"], "RankMismatch", first)
        self.assertRegex(first["error"], "rank 1 failed: ValueError: the trace is of another job")
        self.assertEqual(failed["kind"], "ValueError", failed)


if __name__ == "__main__":
    unittest.main()
