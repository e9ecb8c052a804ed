#!/usr/bin/env python3
"""Which outcomes of earlier runs count."""
import unittest

import run


class Kept(unittest.TestCase):
    def test_all_count_where_all_tests_are_tried(self):
        for killed_by in ("plan_test: Plan.Reads", "goldens", None):
            self.assertTrue(run.is_of_tests(killed_by, []), killed_by)

    def test_of_some_tests_only_theirs_count(self):
        self.assertTrue(run.is_of_tests("plan_test: Plan.Reads", ["base_test", "plan_test"]))
        self.assertTrue(run.is_of_tests("plan_test", ["plan_test"]))
        self.assertFalse(run.is_of_tests("plan_test: Plan.Reads", ["base_test"]))
        self.assertFalse(run.is_of_tests("plan_test_of_more: Plan.Reads", ["plan_test"]))

    def test_what_survived_counts_for_any_tests(self):
        self.assertTrue(run.is_of_tests(None, ["base_test"]))


if __name__ == "__main__":
    unittest.main()
