#!/usr/bin/env python3
"""Which outcomes of earlier runs count, and what is tried again."""
import argparse
import contextlib
import io
import pathlib
import tempfile
import unittest
from unittest import mock

import run
import tried_tests
from change import Change
from kept import Work

SOURCE = "int sum(int x) {\n    return x + 1;\n}\nint difference(int x) {\n    return x - 1;\n}\n"
PATIENCE_MINUTES = 60  # nothing waits for its end


class Kept(unittest.TestCase):
    def test_all_count_where_all_tests_are_tried(self):
        for killed_by in ("plan_test: Plan.Reads", "goldens-quick", None):
            self.assertTrue(run.is_of_tests(killed_by, []), killed_by)

    def test_of_some_tests_only_theirs_count(self):
        self.assertTrue(run.is_of_tests("plan_test: Plan.Reads", ["base_test", "plan_test"]))
        self.assertTrue(run.is_of_tests("plan_test", ["plan_test"]))
        self.assertFalse(run.is_of_tests("plan_test: Plan.Reads", ["base_test"]))
        self.assertFalse(run.is_of_tests("plan_test_of_more: Plan.Reads", ["plan_test"]))

    def test_goldens_count_where_they_are_named(self):
        self.assertTrue(run.is_of_tests("goldens-quick", ["base_test", "goldens"]))
        self.assertFalse(run.is_of_tests("goldens-quick", ["base_test"]))
        self.assertFalse(run.is_of_tests("plan_test: Plan.Reads", ["goldens"]))

    def test_what_survived_counts_for_any_tests(self):
        self.assertTrue(run.is_of_tests(None, ["base_test"]))


class TriedAgain(unittest.TestCase):
    """Two changes of a source, and a script in place of a test program: it fails for those that `missed` does not name."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        (self.root / "source.cpp").write_text(SOURCE)
        self.script = self.root / "first_test"
        self.script.write_text(
            f'#!/bin/sh\ncd {self.root}\n[ -z "$OVERLAP_MUTANTS_REACHED" ] || printf "0\\n1\\n" >> "$OVERLAP_MUTANTS_REACHED"\n'
            '[ -n "$OVERLAP_MUTANT" ] || exit 0\necho $OVERLAP_MUTANT >> tried\ngrep -q "$OVERLAP_MUTANT" missed\n')
        self.script.chmod(0o755)
        self.sample()

    def sample(self):
        text = (self.root / "source.cpp").read_text()
        changes = []
        for before, after in (("x + 1", "x - 1"), ("x - 1", "x + 1")):
            begin = text.index(before)
            changes.append(("source.cpp", Change(begin, begin + len(before), "sign", before, after,
                                                 text.count("\n", 0, begin) + 1)))
        Work(self.root).write_mutants(self.root, changes)

    def tried(self, missed, tests=()):
        """The numbers that are tried, and what is printed, where the test misses the changes `missed`."""
        (self.root / "missed").write_text(missed)
        (self.root / "tried").write_text("")
        arguments = argparse.Namespace(root=self.root, build=self.root, folder="source.cpp", with_window=False, tests=list(tests),
                                       manifests=[], processes=1, minutes=PATIENCE_MINUTES, longest=float("inf"))
        test = tried_tests.Test("first_test", (str(self.script),), str(self.root))
        out = io.StringIO()
        with (mock.patch.object(tried_tests, "of_build", return_value=[test]),
              mock.patch.object(tried_tests, "googletest_programs", return_value=set()),
              contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO())):
            self.assertEqual(run.try_sample(arguments, Work(self.root)), 0)
        return (self.root / "tried").read_text().split(), out.getvalue()

    def test_what_survived_is_tried_again_and_what_was_killed_is_not(self):
        tried, out = self.tried(missed="1")
        self.assertEqual(tried, ["0", "1"])
        self.assertIn("source.cpp:5: survived", out)
        self.assertEqual(self.tried(missed="1")[0], ["1"])
        tried, out = self.tried(missed="none")  # there is a test by now
        self.assertEqual(tried, ["1"])
        self.assertNotIn("survived:", out)
        self.assertEqual(self.tried(missed="none")[0], [])

    def test_all_are_tried_again_where_their_source_has_changed(self):
        self.tried(missed="none")
        (self.root / "source.cpp").write_text("// Edited.\n" + SOURCE)
        self.sample()
        self.assertEqual(self.tried(missed="none")[0], ["0", "1"])

    def test_what_another_test_killed_is_tried_on_the_tests_that_are_named(self):
        self.tried(missed="none")
        work = Work(self.root)
        work.write_results({key: ["other_test: A.Case", *result[1:]] for key, result in work.read_results().items()})
        self.assertEqual(self.tried(missed="none", tests=["first_test"])[0], ["0", "1"])


if __name__ == "__main__":
    unittest.main()
