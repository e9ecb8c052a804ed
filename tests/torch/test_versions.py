"""What the package says of releases of PyTorch: at import, at apply, and in the documentation."""
from __future__ import annotations

import re
import unittest
import warnings
from unittest import mock

import torch
from overlap_studio import versions
from overlap_studio.errors import PlanError
from overlap_studio.passes_mode import run_passes

from programs import REPOSITORY

PAGE = (REPOSITORY / "docs" / "training_job.md").read_text(encoding="utf-8")


def table_of(release: str) -> dict[str, bool]:
    """By pass, whether all cases of the page's table agree."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("|")]
    (header,) = (row for row in rows if row[0] == "pass" and any(cell.startswith("2.15") for cell in row))
    column = next(place for place, cell in enumerate(header) if cell.startswith(release))
    return {row[0].strip("`"): row[column].startswith("all ") for row in rows[rows.index(header) + 2:]
            if len(row) == len(header) and re.fullmatch(r"all \d+|\d+ of \d+", row[column])}


class Releases(unittest.TestCase):
    def test_this_environment_has_the_one_that_the_package_is_for(self) -> None:
        self.assertEqual(versions.release_of(torch.__version__), versions.EXACT_FOR)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            versions.tell_of_version.__wrapped__()
        versions.require_same_pass("plan", 1, "manual_overlap_bucketing")

    def test_others_are_told_at_import(self) -> None:
        for version, told in (("2.14.0+cpu", "this is 2.14.0.cpu, which differs in"), ("9.1", "of which nothing is known")):
            with mock.patch.object(torch, "__version__", version), self.assertWarnsRegex(UserWarning, told):
                versions.tell_of_version.__wrapped__()

    def test_a_pass_that_differs_is_refused(self) -> None:
        for name in versions.DIFFERENCES["2.14"]:
            with self.assertRaisesRegex(PlanError, f"a.plan: step 2 .{name}.: .*2.14.0.*; apply the plan with mode=\"exact\""):
                versions.require_same_pass("a.plan", 2, name, "2.14.0")

    def test_torchtitans_passes_are_those_that_they_run(self) -> None:
        with self.assertRaisesRegex(PlanError, "2.14.0 "):
            versions.require_same_pass("a.plan", 1, "joint_transformer_block_bucketing_reordering_pass", "2.14.0")

    def test_a_pass_that_agrees_is_not(self) -> None:
        agreeing = [name for name, agrees in table_of("2.14").items() if agrees]
        self.assertEqual({*agreeing, "stable_topological_sort"}, versions.SAME["2.14"])
        for name in versions.SAME["2.14"]:
            versions.require_same_pass("a.plan", 1, name, "2.14.0")

    def test_a_pass_that_was_never_compared_is_refused(self) -> None:
        for name in ("ep_overlap_schedule_pass", "schedule_fsdp_comms_to_dense_regions_pass"):
            with self.assertRaisesRegex(PlanError, f"{name}.: .*never been compared with PyTorch 2.14.0"):
                versions.require_same_pass("a.plan", 1, name, "2.14.0")

    def test_of_an_unknown_release_every_pass_is_refused(self) -> None:
        with self.assertRaisesRegex(PlanError, "never been compared with PyTorch 9.1"):
            versions.require_same_pass("a.plan", 1, "stable_topological_sort", "9.1")

    def test_mode_passes_asks(self) -> None:
        plan = mock.Mock(exact_only=None, created_groups=[], times=None, path="a.plan",
                         pipeline=[{"pass": "manual_overlap_bucketing", "options": {}}])
        with mock.patch.object(torch, "__version__", "2.14.0"), self.assertRaisesRegex(PlanError, "a.plan: step 1"):
            run_passes(mock.Mock(), plan, mock.Mock())


class Documentation(unittest.TestCase):
    def test_its_table_is_what_the_package_does(self) -> None:
        self.assertTrue(all(table_of(versions.EXACT_FOR).values()))
        for release, differing in versions.DIFFERENCES.items():
            self.assertEqual({name for name, agrees in table_of(release).items() if not agrees}, set(differing))


if __name__ == "__main__":
    unittest.main()
