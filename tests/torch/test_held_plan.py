"""A plan that an earlier program exported for a job is read for as long as its section's version is."""
from __future__ import annotations

import unittest
from pathlib import Path

from overlap_studio.digests import fingerprint
from overlap_studio.job_plan import read_job_plan

VERSIONS = Path(__file__).resolve().parents[1] / "data" / "versions"


class HeldPlan(unittest.TestCase):
    def test_it_is_read(self) -> None:
        plan = read_job_plan(VERSIONS / "job_plan.v3.json")
        self.assertEqual(plan.rank, 1)
        self.assertEqual([step["pass"] for step in plan.pipeline], ["manual_overlap_bucketing"])
        nodes = plan.result(plan.own_rank_in)
        self.assertEqual(len(nodes), 67)
        self.assertEqual(fingerprint({"nodes": nodes}), "6f5149b1e4751595")


if __name__ == "__main__":
    unittest.main()
