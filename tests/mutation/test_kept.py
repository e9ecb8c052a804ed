#!/usr/bin/env python3
"""Tests of what is kept of a sample and of what became of it.

usage: test_kept.py [unittest argument...]
"""

import pathlib
import tempfile
import unittest

from change import Change
from kept import Work

SOURCE = b"int first(int x) {\n    return x +  1;\n}\n"
CHANGE = Change(30, 36, "sign", "x +  1", "x -  1", 2)


class Kept(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        (self.root / "first.cpp").write_bytes(SOURCE)
        (self.root / "other.cpp").write_bytes(SOURCE)

    def mutants(self, *numbered):
        work = Work(self.root / "build")
        work.write_mutants(self.root, numbered)
        return work.read_mutants()

    def test_a_sample_is_read_as_it_was_written(self):
        self.assertEqual(SOURCE[CHANGE.begin:CHANGE.end], b"x +  1")
        (mutant,) = self.mutants(("first.cpp", CHANGE))
        self.assertEqual((mutant.path, mutant.change, mutant.source_line), ("first.cpp", CHANGE, "return x + 1;"))

    def test_keys_tell_changes_and_sources_apart(self):
        boundary = Change(CHANGE.begin, CHANGE.end, "sign", CHANGE.before, "x *  1", 2)
        first, other, third = self.mutants(("first.cpp", CHANGE), ("other.cpp", CHANGE), ("first.cpp", boundary))
        self.assertEqual(len({first.key(), other.key(), third.key()}), 3)
        (again,) = self.mutants(("first.cpp", CHANGE))
        self.assertEqual(again.key(), first.key())
        (self.root / "first.cpp").write_bytes(SOURCE + b"// edited\n")
        (edited,) = self.mutants(("first.cpp", CHANGE))
        self.assertNotEqual(edited.key(), first.key())

    def test_results_are_there_again(self):
        work = Work(self.root / "build")
        self.assertEqual(work.read_results(), {})
        work.write_results({"key": ["first_test", False, 3, 0.5]})
        self.assertEqual(Work(self.root / "build").read_results(), {"key": ["first_test", False, 3, 0.5]})


if __name__ == "__main__":
    unittest.main()
