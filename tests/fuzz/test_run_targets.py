#!/usr/bin/env python3
"""Tests of what runs the fuzz targets, with a shell script in place of a target.

usage: test_run_targets.py [unittest argument...]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import run_targets

RUN_TARGETS = pathlib.Path(__file__).with_name("run_targets.py")
TARGET = "bucket_text"
EXECUTIONS = 1000  # that each start of the stand-in claims
# Waits until a start of another run is there, so that each run's log is open while the other one writes.
STAND_IN = f"""#!/bin/sh
echo $PPID >> "$STARTS"
tries=0
while [ "$(sort -u "$STARTS" | wc -l)" -lt "$RUNS" ] && [ $tries -lt 600 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
sleep 0.2
echo "stat::number_of_executed_units: {EXECUTIONS}"
"""


class Logs(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.work = pathlib.Path(scratch.name)
        self.programs = self.work / "bin"
        self.programs.mkdir()
        self.starts = self.work / "starts"
        stand_in = self.programs / f"{TARGET}_fuzz"
        stand_in.write_text(STAND_IN)
        stand_in.chmod(0o755)

    def run_beside_each_other(self, runs):
        """@returns what the runs printed."""
        environment = {"PATH": "/usr/bin:/bin", "STARTS": str(self.starts), "RUNS": str(runs)}
        processes = [subprocess.Popen([sys.executable, "-B", RUN_TARGETS, self.programs, self.work, "60", TARGET],
                                      env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                     for _ in range(runs)]
        printed = [process.communicate(timeout=200)[0] for process in processes]
        self.assertEqual([process.returncode for process in processes], [0] * runs, printed)
        return printed

    def real_executions(self):
        return EXECUTIONS * len(self.starts.read_text().splitlines())

    def counted_executions(self):
        return json.loads((self.work / "executions.json").read_text())[TARGET]

    def logs(self):
        return sorted(path.name for path in (self.work / "logs").iterdir())

    def test_runs_of_the_same_target_beside_each_other_count_each_execution_once(self):
        self.run_beside_each_other(3)
        self.assertEqual(self.counted_executions(), self.real_executions())
        self.assertEqual(self.logs(), [f"{TARGET}-2.log", f"{TARGET}-3.log", f"{TARGET}.log"])

    def test_a_run_overwrites_the_log_of_an_ended_one(self):
        for _ in range(2):
            self.run_beside_each_other(1)
        self.assertEqual(self.logs(), [f"{TARGET}.log"])
        self.assertEqual(self.counted_executions(), self.real_executions())
        log = (self.work / "logs" / f"{TARGET}.log").read_text()
        self.assertEqual(log.count("executed_units") * EXECUTIONS * 2, self.real_executions())


class Findings(unittest.TestCase):
    """What becomes of what a start has found: the stand-in writes a file as libFuzzer does, and behaves in its own way
    when it is run again with that file."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.work = pathlib.Path(scratch.name)

    def run_stand_in(self, start, again="", seconds=10, anew=False):
        """Runs a target that does `start`; with a file, `again`. @returns the target and how often it was counted."""
        program = self.work / f"{TARGET}_fuzz"
        program.write_text(f"""#!{sys.executable}
import pathlib, sys, time
folder = [argument.removeprefix("-artifact_prefix=") for argument in sys.argv if "artifact_prefix" in argument]
if folder:
    def find(name): (pathlib.Path(folder[0]) / name).write_text("input")
    print("#4096\\tpulse", flush=True)
    {start}
    print("stat::number_of_executed_units: {EXECUTIONS}")
elif sys.argv[1] != "-runs=0":
    {again or "pass"}
""")
        program.chmod(0o755)
        target = run_targets.Target(program, self.work, seed=None, anew=anew)
        counted = []
        with unittest.mock.patch.object(run_targets, "PATIENCE_S", 1):
            target.run(seconds, most_executions=10 * EXECUTIONS, on_executed=counted.append)
        target.log_file.close()
        self.assertEqual(sum(counted), target.executions)
        return target, counted

    def names(self, target):
        return [path.name for path in target.found()]

    def test_a_target_that_does_not_end_is_killed_and_fails_with_what_it_has_executed(self):
        target, counted = self.run_stand_in("time.sleep(600)")
        self.assertTrue(target.stuck)
        self.assertTrue(target.failed)
        self.assertEqual(counted, [4096])  # as it said last; it was not started again

    def test_an_input_that_others_slowed_down_is_dropped(self):
        target, counted = self.run_stand_in("find('slow-unit-1')")
        self.assertEqual(self.names(target), [])
        self.assertFalse(target.failed)
        self.assertEqual(counted, [EXECUTIONS] * len(run_targets.LENGTHS))

    def test_an_alarm_that_others_set_off_and_that_hangs_is_no_finding(self):
        target, counted = self.run_stand_in("find('timeout-1'); time.sleep(600)")
        self.assertEqual(self.names(target), [])
        self.assertFalse(target.failed)
        self.assertGreater(len(counted), 1)

    def test_a_slow_input_is_a_finding(self):
        target, counted = self.run_stand_in("find('slow-unit-1')", "while time.process_time() < 1.5: pass")
        self.assertEqual(self.names(target), ["slow-unit-1"])
        self.assertTrue(target.failed)
        self.assertEqual(counted, [EXECUTIONS])

    def test_an_input_that_hangs_without_taking_time_is_a_finding(self):
        target, _ = self.run_stand_in("find('timeout-1')", "sys.exit(70)")
        self.assertEqual(self.names(target), ["timeout-1"])
        self.assertTrue(target.failed)

    def test_an_input_that_crashes_is_a_finding_and_is_not_run_again(self):
        target, _ = self.run_stand_in("find('crash-1')", "sys.exit(1)")
        self.assertEqual(self.names(target), ["crash-1"])
        self.assertTrue(target.failed)

    def test_what_a_start_found_is_there_for_the_next_unless_each_begins_anew(self):
        found_so_far = "print('stat::number_of_executed_units:', len(list(pathlib.Path(sys.argv[-2]).iterdir())))"
        find_something = "(pathlib.Path(sys.argv[-2]) / str(time.time())).write_text('input')"
        start = f"{found_so_far}; {find_something}; sys.exit(0)"
        for anew, found in ((False, [0, 1, 2]), (True, [0, 0, 0])):
            with self.subTest(anew=anew):
                self.assertEqual(self.run_stand_in(start, anew=anew)[1], found)


if __name__ == "__main__":
    unittest.main()
