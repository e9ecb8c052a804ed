#!/usr/bin/env python3
"""Tests of trying changes, with shell scripts in place of test programs.

usage: test_trial.py [unittest argument...]
"""

import json
import os
import pathlib
import tempfile
import time
import unittest
from unittest import mock

import run
import tried_tests
from tried_tests import Test
from trial import QUICK_CASES, Trial

PATIENCE_S = 3600  # nothing waits for its end


class Programs(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.work = pathlib.Path(scratch.name)

    def script(self, name, text):
        """A test that runs these lines; it comes to the changes that it writes with `reach NUMBER`."""
        path = self.work / name
        path.write_text('#!/bin/sh\nreach() { [ -z "$OVERLAP_MUTANTS_REACHED" ] || echo $1 >> "$OVERLAP_MUTANTS_REACHED"; }\n'
                        f"{text}\n")
        path.chmod(0o755)
        return Test(name, (str(path),), str(self.work))


class Running(Programs):
    def test_passes_and_fails(self):
        self.assertTrue(tried_tests.run(self.script("first_test", "exit 0"), {}, 10, PATIENCE_S).passed)
        failed = tried_tests.run(self.script("other_test", "exit 3"), {}, 10, PATIENCE_S)
        self.assertEqual((failed.passed, failed.ran_out), (False, False))

    def test_what_waits_for_ever_is_ended_with_what_it_started(self):
        test = self.script("first_test", f"sleep 6000 & echo $! > {self.work}/new; mv {self.work}/new {self.work}/child; wait")
        for wall_s in (0.5, 5, 50, 500):  # a busy machine may not have started it by then
            outcome = tried_tests.run(test, {}, 10, wall_s)
            if (self.work / "child").exists():
                break
        self.assertEqual((outcome.passed, outcome.ran_out), (False, True))
        child = (self.work / "child").read_text().strip()
        end = time.monotonic() + PATIENCE_S
        while self.runs(child) and time.monotonic() < end:
            time.sleep(0.01)
        self.assertFalse(self.runs(child))

    def runs(self, process):
        try:
            return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    def test_what_works_for_ever_is_ended(self):
        outcome = tried_tests.run(self.script("first_test", "while :; do :; done"), {}, 0, PATIENCE_S)
        self.assertEqual((outcome.passed, outcome.ran_out), (False, True))

    def test_each_has_a_folder_of_its_own_for_files(self):
        test = self.script("first_test", 'echo "$TMPDIR" >> "$LIST"; [ "$TMPDIR" = "$TEST_TMPDIR" ]')
        for _ in range(2):
            self.assertTrue(tried_tests.run(test, {"LIST": str(self.work / "list")}, 10, PATIENCE_S).passed)
        first, second = (self.work / "list").read_text().split()
        self.assertNotEqual(first, second)


class Trying(Programs):
    def setUp(self):
        super().setUp()
        self.trial = Trial(self.work, self.work, self.work / "mutants", 2)
        (self.work / "mutants").mkdir()

    def learn(self, *tests):
        return self.trial.learn(list(tests), [])

    def test_only_what_comes_to_a_change_is_run(self):
        first = self.script("first_test", 'reach 0; echo x >> first; [ "$OVERLAP_MUTANT" != 0 ]')
        other = self.script("other_test", "reach 1; echo x >> other")
        self.assertEqual(self.learn(first, other), [])
        results = {}
        self.trial.try_all([0, 1, 2], PATIENCE_S, lambda result: results.update({result.number: result}))
        self.assertEqual({number: (result.by, result.tests) for number, result in results.items()},
                         {0: ("first_test", 1), 1: (None, 1), 2: (None, 0)})
        self.assertEqual([(self.work / name).read_text() for name in ("first", "other")], ["x\nx\n", "x\nx\n"])

    def test_the_first_failure_is_enough(self):
        slow = self.script("slow_test", "reach 0; echo x >> slow")
        quick = self.script("quick_test", 'reach 0; [ "$OVERLAP_MUTANT" != 0 ]')
        self.assertEqual(self.learn(slow, quick), [])
        for known in self.trial.known:
            known.processor_s = 2.0 if known.test is slow else 1.0
        self.assertEqual(self.trial.try_one(0).by, "quick_test")
        self.assertEqual((self.work / "slow").read_text(), "x\n")

    def test_what_fails_without_a_change_is_left_out(self):
        self.assertEqual(self.learn(self.script("broken_test", "reach 0; exit 1")), ["broken_test"])
        self.assertEqual(self.trial.try_one(0).tests, 0)

    def test_what_takes_longer_than_was_asked_for_is_not_tried(self):
        work = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done"
        long, short = self.script("long_test", f"reach 0; {work}"), self.script("short_test", "reach 0")
        self.assertEqual(self.learn(long, short), [])
        seconds = {known.test.name: known.processor_s for known in self.trial.known}
        self.assertGreater(seconds["long_test"], seconds["short_test"])
        self.trial.known, self.trial.longest_s = [], (seconds["long_test"] + seconds["short_test"]) / 2
        self.assertEqual(self.learn(long, short), [])
        self.assertEqual([known.test.name for known in self.trial.known], ["short_test"])

    def test_nothing_is_begun_when_the_time_is_over(self):
        self.learn(self.script("first_test", "reach 0"))
        self.assertEqual(self.trial.try_all([0], -1, lambda result: self.fail("tried")), [])


class Building(unittest.TestCase):
    def test_programs_that_are_linked_to_the_folder(self):
        lines = ["overlap_base|STATIC_LIBRARY|core/base|a.cpp||",
                 "overlap_pass|STATIC_LIBRARY|core/passes|b.cpp|overlap_base|overlap_base",
                 "overlap_memory|STATIC_LIBRARY|core/passes/memory|c.cpp||overlap_pass",
                 "overlap_ui|STATIC_LIBRARY|ui/passes|d.cpp||overlap_memory",
                 "base_test|EXECUTABLE|tests/base|t.cpp||overlap_base",
                 "memory_test|EXECUTABLE|tests/passes|t.cpp||overlap_memory",
                 "memory_benchmark|EXECUTABLE|tests/bench|t.cpp||overlap_memory",
                 "window_test|EXECUTABLE|tests/ui/passes|t.cpp||overlap_ui",
                 "overlap|EXECUTABLE|app|o.cpp||overlap_pass",
                 "overlap-studio|EXECUTABLE|app|o.cpp||overlap_ui"]
        with tempfile.TemporaryDirectory() as scratch:
            build = pathlib.Path(scratch)
            (build / "targets.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
            self.assertEqual(run.targets(build, "core/passes/memory", False), ["memory_test", "overlap"])
            self.assertEqual(run.targets(build, "core/passes", False), ["memory_test", "overlap"])
            self.assertEqual(run.targets(build, "core/base", False), ["base_test", "memory_test", "overlap"])
            self.assertEqual(run.targets(build, "core/base", False, ["memory_test"]), ["memory_test"])
            with self.assertRaisesRegex(ValueError, "^base_test: "):
                run.targets(build, "core/passes", False, ["base_test", "memory_test"])
            self.assertEqual(run.targets(build, "core/passes", False, ["memory_test", "goldens"]), ["memory_test", "overlap"])
            self.assertEqual(run.targets(build, "core/passes", True),
                             ["memory_test", "overlap", "overlap-studio", "window_test"])


class Listing(unittest.TestCase):
    def test_tests_that_say_something_of_a_change(self):
        def test(name, node, command):
            return {"name": name, "backtrace": node, "command": [command],
                    "properties": [{"name": "ENVIRONMENT", "value": ["A=b=c"]}, {"name": "WORKING_DIRECTORY", "value": "/"}]}

        told = {"backtraceGraph": {"files": ["/p/tests/passes/CMakeLists.txt", "/p/tests/ui/passes/CMakeLists.txt",
                                             "/p/tests/packaging/CMakeLists.txt", "/p/cmake/OverlapTargets.cmake"],
                                   "nodes": [{"file": 0}, {"file": 1}, {"file": 2}, {"file": 3, "parent": 0}]},
                "tests": [test("pass_test", 3, "/bin/sh"), test("window_test", 1, "/bin/sh"),
                          test("package_test", 2, "/bin/sh"), test("unbuilt_test", 0, "/nowhere/unbuilt_test")]}
        done = mock.Mock(stdout=json.dumps(told))
        with mock.patch.object(tried_tests.subprocess, "run", return_value=done):
            found = {window: tried_tests.of_build(pathlib.Path("/b"), pathlib.Path("/p"), window) for window in (False, True)}
        self.assertEqual(found[False], [Test("pass_test", ("/bin/sh",), "/", (("A", "b=c"),))])
        self.assertEqual([test.name for test in found[True]], ["pass_test", "window_test"])

    def test_programs_of_googletest(self):
        with tempfile.TemporaryDirectory() as scratch:
            build = pathlib.Path(scratch)
            (build / "targets.txt").write_text(
                "pass_test|EXECUTABLE|tests/passes|t.cpp||overlap_pass,GTest::gtest,GTest::gtest_main\n"
                "window_test|EXECUTABLE|tests/ui|t.cpp||overlap_ui,Qt6::Test\n"
                "test_support|STATIC_LIBRARY|tests|s.cpp||GTest::gtest\n", encoding="utf-8")
            self.assertEqual(tried_tests.googletest_programs(build), {"pass_test"})


class Cases(Programs):
    LIST = "Running main() from gtest_main.cc\nFirst.\n  Adds\n  Drops\nAll/Second.\n  Adds/0  # GetParam() = 7\n"

    def test_cases_are_listed_with_their_suites(self):
        self.assertEqual(tried_tests.listed_cases(self.LIST), ["First.Adds", "First.Drops", "All/Second.Adds/0"])

    def test_a_program_is_tried_case_by_case(self):
        listing = self.work / "list"
        listing.write_text(self.LIST)
        program = self.script("first_test", f'[ "$1" = --gtest_list_tests ] && exec cat {listing}\n'
                              'case $1 in *=First.Adds) reach 0;; *=First.Drops) exit 1;; *) reach 1;; esac')
        other = self.script("other_test", "exit 0")
        cases = tried_tests.by_case([program, other], {"first_test"})
        self.assertEqual([case.name for case in cases], ["first_test: First.Adds", "first_test: First.Drops",
                                                         "first_test: All/Second.Adds/0", "other_test"])
        trial = Trial(self.work, self.work, self.work / "mutants", 2)
        self.assertEqual(trial.learn(cases, []), ["first_test: First.Drops"])
        self.assertEqual([known.test.name for number in (0, 1) for known in trial.tests_of(number)],
                         ["first_test: First.Adds", "first_test: All/Second.Adds/0"])

    def test_what_is_left_of_a_program_is_run_together(self):
        cases = [f"Suite.Case{number:02}" for number in range(QUICK_CASES + 3)]
        program = self.script("first_test", "reach 0; echo $1 >> run\n"
                              f'case $OVERLAP_MUTANT$1 in 0*{cases[-2]}*) exit 1;; esac')
        tests = [Test(f"first_test: {case}", (*program.command, f"--gtest_filter={case}"), program.folder, (), "first_test")
                 for case in cases]
        trial = Trial(self.work, self.work, self.work / "mutants", 1)
        self.assertEqual(trial.learn(tests, []), [])
        for seconds, known in enumerate(sorted(trial.known, key=lambda known: known.test.name)):
            known.processor_s = 1.0 + seconds
        (self.work / "run").unlink()
        result = trial.try_one(0)
        self.assertEqual((result.by, result.tests), ("first_test: one of 3 cases", len(cases)))
        self.assertEqual((self.work / "run").read_text().splitlines(),
                         [f"--gtest_filter={case}" for case in (*cases[:QUICK_CASES], ":".join(cases[QUICK_CASES:]))])


if __name__ == "__main__":
    os.environ.pop("OVERLAP_MUTANT", None)
    unittest.main()
