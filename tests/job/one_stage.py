#!/usr/bin/env python3
"""A job of one stage and one microbatch has the step that `overlap simulate` says, to the last bit.

    one_stage.py PROGRAMS GRAPH...
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.join(os.path.abspath(sys.argv[1]), "overlap")
GRAPHS = [os.path.abspath(path) for path in sys.argv[2:]]


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments, "--json"], capture_output=True, text=True)


class OneStage(unittest.TestCase):
    def test_equals_simulate(self):
        compared = 0
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.job.json")
            for graph in GRAPHS:
                with self.subTest(graph=graph):
                    simulated = run("simulate", graph)
                    with open(path, "w", encoding="utf-8") as file:
                        json.dump({"format": "overlap-job", "version": 1, "stages": [{"graph": graph}],
                                   "schedule": {"name": "GPipe", "microbatches": 1}}, file)
                    job = run("job", "simulate", path)
                    self.assertEqual(job.returncode, simulated.returncode, job.stderr)
                    if simulated.returncode == 0:
                        self.assertEqual(json.loads(job.stdout)["step_ms"], json.loads(simulated.stdout)["step_ms"])
                        compared += 1
        self.assertGreater(compared, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
