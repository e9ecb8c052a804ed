#!/usr/bin/env python3
"""Tests of the tables of what became of the changes.

usage: test_outcomes.py [unittest argument...]
"""

import pathlib
import tempfile
import unittest

import outcomes
from outcomes import Reason, Tried
from trial import Result


HEADER = "path\tline\tchange\treason\twhich\n"


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
        of_several = Tried("core/a.cpp", 9, "constant", "int c = 0;", "0 -> 1", "survived", "", (2, 3))
        self.assertEqual(outcomes.survivors([of_several]),
                         ["core/a.cpp:9: survived: constant\n    int c = 0;\t0 -> 1\t…\t2 of 3"])

    def test_which_of_equal_lines_a_change_is_in(self):
        text = "int a;\n  int  a;\nint b;\nint a; int b;\nint a;\n"
        self.assertEqual([outcomes.among(text, "int a;", line) for line in (1, 2, 5)], [(1, 3), (2, 3), (3, 3)])
        self.assertEqual(outcomes.among(text, "int b;", 3), (1, 1))
        self.assertEqual(outcomes.among(text, "int b;", 2), (1, 1))  # another line before it is gone
        self.assertEqual(outcomes.among(text, "int a;", 3), (0, 3))

    def test_a_reason_is_of_the_lines_that_it_names(self):
        place = ("core/a.cpp", "int c = 0;", "0 -> 1")
        reasons = {place: [Reason("Nothing reads it.", (1, 3), 3), Reason("It is set below.", (2,), 4)]}
        self.assertEqual([among for among in ((1, 3), (2, 3), (3, 3), (1, 1), (0, 3), (2, 4))
                          if outcomes.has_reason(reasons, place, among)], [(1, 3), (3, 3), (2, 4)])
        self.assertFalse(outcomes.has_reason(reasons, ("core/b.cpp", *place[1:]), (1, 3)))

    def test_a_reason_is_wrong_where_a_test_finds_its_change(self):
        tried = [Tried(path, line, "constant", "int c = 0;", "0 -> 1", outcome, "first_test", among)
                 for path, line, outcome, among in (("core/a.cpp", 7, "killed", (1, 1)), ("core/b.cpp", 7, "killed", (1, 2)),
                                                    ("core/b.cpp", 9, "killed", (2, 2)), ("core/c.cpp", 7, "killed", (1, 1)),
                                                    ("core/d.cpp", 7, "no difference", (1, 1)))]
        reasons = {(path, "int c = 0;", "0 -> 1"): [Reason("Nothing reads it.", *which)]
                   for path, which in (("core/a.cpp", ()), ("core/b.cpp", ((2,), 2)), ("core/d.cpp", ()))}
        self.assertEqual(outcomes.wrong_reasons(tried, reasons),
                         ["core/a.cpp:7: 0 -> 1: killed by first_test, so it makes a difference",
                          "core/b.cpp:9: 0 -> 1: killed by first_test, so it makes a difference"])


class NoDifference(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "no_difference.tsv"
            path.write_text(text, encoding="utf-8")
            return outcomes.read_no_difference(path)

    def test_reasons_by_change(self):
        rows = (HEADER + "core/a.cpp\tint c = 0;\t0 -> 1\tNo list is that short.\n"
                "core/b.cpp\t++c;\t++c; -> nothing\tNothing reads it.\t1,3 of 3\n"
                "core/b.cpp\t++c;\t++c; -> nothing\tIt is set below.\t2 of 3\n")
        self.assertEqual(self.read(rows), {("core/a.cpp", "int c = 0;", "0 -> 1"): [Reason("No list is that short.")],
                                           ("core/b.cpp", "++c;", "++c; -> nothing"): [
                                               Reason("Nothing reads it.", (1, 3), 3), Reason("It is set below.", (2,), 3)]})

    def test_a_reason_is_wanted(self):
        for text in ("", "path\tline\tchange\n", HEADER + "core/a.cpp\tint c = 0;\t0 -> 1\t\n"):
            with self.assertRaises(ValueError):
                self.read(text)

    def test_which_of_several_lines_is_told_in_order(self):
        for which in ("", "2", "all", "3 of 2", "0 of 2", "2,1 of 2", "1,1 of 2", "1 of 1", "1 of 2."):
            with self.subTest(which=which), self.assertRaises(ValueError):
                self.read(HEADER + f"core/a.cpp\tint c = 0;\t0 -> 1\tNothing reads it.\t{which}\n")

    def test_the_project_s_own_is_sorted_and_of_lines_that_are_there(self):
        path = pathlib.Path(outcomes.__file__).resolve().with_name("no_difference.tsv")
        reasons = outcomes.read_no_difference(path)
        self.assertTrue(reasons)
        paths = [place[0] for place in reasons]
        self.assertEqual(paths, sorted(paths))
        texts = {source: (path.parents[2] / source).read_text(encoding="utf-8") for source in set(paths)}
        # Of several equal lines it has to be told which are meant, so that the reason is true of these.
        wrong = [(place, reason.of) for place, of_place in reasons.items() for reason in of_place
                 if len(outcomes.equal_lines(texts[place[0]], place[1])) != reason.of]
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
