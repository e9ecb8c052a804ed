#!/usr/bin/env python3
"""Tests of the tables of what became of the changes.

usage: test_outcomes.py [unittest argument...]
"""

import pathlib
import tempfile
import unittest

import outcomes
from outcomes import Tried
from trial import Result


class Outcomes(unittest.TestCase):
    def test_what_became_of_a_change(self):
        def result(by, tests):
            return Result(0, by, False, tests, 1.0)

        self.assertEqual(outcomes.outcome_of(None, False), "not tried")
        self.assertEqual(outcomes.outcome_of(result("first_test", 2), False), "killed")
        self.assertEqual(outcomes.outcome_of(result("first_test", 2), True), "killed")
        self.assertEqual(outcomes.outcome_of(result(None, 2), False), "survived")
        self.assertEqual(outcomes.outcome_of(result(None, 0), False), "not reached")
        self.assertEqual(outcomes.outcome_of(result(None, 2), True), "no difference")

    def test_what_makes_no_difference_does_not_count_and_what_is_not_reached_does(self):
        tried = [Tried("core/a.cpp", 1, "sign", "x = a;", "a", outcome)
                 for outcome in ["killed"] * 3 + ["survived", "not reached", "no difference", "not tried"]]
        self.assertEqual(outcomes.summary("all", tried), ["all", 7, 3, 1, 1, 1, 1, "60.0"])
        self.assertEqual(outcomes.summary("none", []), ["none", 0, 0, 0, 0, 0, 0, "–"])

    def test_rows_are_by_folder_and_by_kind(self):
        tried = [Tried("core/passes/a.cpp", 1, "sign", "x = a;", "a", "killed"),
                 Tried("core/passes/memory/b.cpp", 1, "sign", "x = b;", "b", "survived"),
                 Tried("core/passes/memory/deep/c.cpp", 1, "constant", "x = c;", "c", "killed")]
        self.assertEqual([(row[0], row[1], row[-1]) for row in outcomes.rows(tried, "core/passes")],
                         [("core/passes", 1, "100.0"), ("core/passes/memory", 2, "50.0"), ("constant", 1, "100.0"),
                          ("sign", 2, "50.0"), ("all", 3, "66.7")])

    def test_survivors_are_told_with_their_place(self):
        tried = [Tried("core/b.cpp", 7, "sign", "return a + b;", "a + b -> a - b", "survived"),
                 Tried("core/a.cpp", 1, "sign", "x;", "x", "killed"),
                 Tried("core/a.cpp", 9, "constant", "int c = 0;", "0 -> 1", "not reached")]
        self.assertEqual(outcomes.survivors(tried), ["core/a.cpp:9: not reached: constant\n    int c = 0;\t0 -> 1",
                                                     "core/b.cpp:7: survived: sign\n    return a + b;\ta + b -> a - b"])

    def test_a_reason_is_wrong_where_a_test_finds_its_change(self):
        tried = [Tried(path, 7, "constant", "int c = 0;", "0 -> 1", outcome, "first_test")
                 for path, outcome in (("core/a.cpp", "killed"), ("core/b.cpp", "killed"), ("core/c.cpp", "killed"),
                                       ("core/d.cpp", "no difference"))]
        reasons = {(path, "int c = 0;", "0 -> 1"): "Nothing reads it."
                   for path in ("core/a.cpp", "core/b.cpp", "core/d.cpp")}
        self.assertEqual(outcomes.wrong_reasons(tried, reasons, lambda path, line: 2 if path == "core/b.cpp" else 1),
                         ["core/a.cpp:7: 0 -> 1: killed by first_test, so it makes a difference"])


class NoDifference(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "no_difference.tsv"
            path.write_text(text, encoding="utf-8")
            return outcomes.read_no_difference(path)

    def test_reasons_by_change(self):
        self.assertEqual(self.read("path\tline\tchange\treason\ncore/a.cpp\tint c = 0;\t0 -> 1\tNo list is that short.\n"),
                         {("core/a.cpp", "int c = 0;", "0 -> 1"): "No list is that short."})

    def test_a_reason_is_wanted(self):
        for text in ("", "path\tline\tchange\n", "path\tline\tchange\treason\ncore/a.cpp\tint c = 0;\t0 -> 1\t\n"):
            with self.assertRaises(ValueError):
                self.read(text)

    def test_the_project_s_own_is_sorted_and_of_lines_that_are_there(self):
        path = pathlib.Path(outcomes.__file__).resolve().with_name("no_difference.tsv")
        reasons = outcomes.read_no_difference(path)
        self.assertTrue(reasons)
        paths = [place[0] for place in reasons]
        self.assertEqual(paths, sorted(paths))
        root = path.parents[2]
        lines = {source: {" ".join(line.split()) for line in (root / source).read_text(encoding="utf-8").splitlines()}
                 for source in set(paths)}
        self.assertEqual([place for place in reasons if place[1] not in lines[place[0]]], [])


if __name__ == "__main__":
    unittest.main()
