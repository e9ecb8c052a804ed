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

    def test_a_target_that_does_not_end_is_killed_and_fails(self):
        stuck = self.programs / f"{TARGET}_fuzz"
        stuck.write_text("#!/bin/sh\nexec sleep 600\n")
        target = run_targets.Target(stuck, self.work, seed=None)
        with unittest.mock.patch.object(run_targets, "PATIENCE_S", 1):
            target.run(seconds=1, most_executions=1)
        self.assertTrue(target.failed)
        self.assertTrue(target.stuck)


if __name__ == "__main__":
    unittest.main()
