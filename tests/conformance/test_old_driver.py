"""overlap-runner on a machine whose driver is older than the toolkit that the runner was built with."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAMS, DATA, DRIVER_FOLDER = sys.argv[1:4]
RUNNER = os.path.join(PROGRAMS, "overlap-runner")
GRAPH = os.path.join(DATA, "..", "..", "resources", "samples", "llama3_debugmodel_fsdp8.prebucket.graph.json.gz")
SENTENCE = r"CUDA: the driver knows CUDA 12\.2, and this program was built with CUDA \d+\.\d+: update the driver"


class OldDriver(unittest.TestCase):
    def run_runner(self, *arguments):
        paths = [DRIVER_FOLDER, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
        return subprocess.run([RUNNER, *arguments], capture_output=True, text=True, timeout=120,
                              env=dict(os.environ, LD_LIBRARY_PATH=os.pathsep.join(paths)))

    def test_the_list_of_devices_says_why_there_are_none(self):
        done = self.run_runner("--devices")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(found["devices"], [])
        self.assertRegex(found["reason"], f"^{SENTENCE}$")
        self.assertEqual(found["libraries"]["driver"], "12.2")

    def test_a_run_is_refused_before_anything_is_launched(self):
        with tempfile.TemporaryDirectory() as folder:
            result = os.path.join(folder, "run.json")
            done = self.run_runner(GRAPH, "-o", result)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, f"^overlap-runner: {SENTENCE}\n$")
            self.assertFalse(os.path.exists(result))

    def test_a_dry_run_needs_no_driver(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_runner("--dry-run", GRAPH, "--iterations", "1", "-o", os.path.join(folder, "run.json"))
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
