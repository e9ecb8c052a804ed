"""tests/gpu/run.sh as far as it goes without a GPU: the sentence where there is none, usage, and how figures are judged."""
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SCRIPT = os.path.join(ROOT, "tests", "gpu", "run.sh")


def load_figures():
    spec = importlib.util.spec_from_file_location("gpu_figures", os.path.join(ROOT, "tests", "gpu", "gpu_figures.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plan(measured, predicted, step_error=0.0, exposed_error=0.0):
    return {"measured": {"step_ms": measured}, "predicted": {"step_ms": predicted}, "step_error": step_error,
            "exposed_error": exposed_error}


class GpuScript(unittest.TestCase):
    def programs(self, answer, status=0):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        runner = os.path.join(folder.name, "overlap-runner")
        with open(runner, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\necho '{answer}'\nexit {status}\n")
        os.chmod(runner, 0o755)
        return folder.name

    def run_script(self, *arguments):
        return subprocess.run(["bash", SCRIPT, *arguments], capture_output=True, text=True, check=False, timeout=60)

    def test_without_a_gpu_it_says_so(self):
        folder = self.programs('{"devices": [], "reason": "CUDA: no driver is installed"}')
        done = self.run_script("--programs", folder)
        self.assertEqual(done.returncode, 77)
        self.assertEqual(done.stderr, "tests/gpu/run.sh: no GPU: CUDA: no driver is installed; nothing was measured\n")

    def test_a_program_that_fails_is_told(self):
        done = self.run_script("--programs", self.programs("it does not work", 1))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "tests/gpu/run.sh: overlap-runner: it does not work\n")

    def test_wrong_usage(self):
        self.assertEqual(self.run_script("--what").returncode, 2)
        self.assertEqual(self.run_script("--programs", ".", "--graph", "x").returncode, 2)

    def test_figures_are_within_bounds_only_if_all_are(self):
        figures = load_figures()

        def judged(**plans):
            check = object.__new__(figures.Check)
            check.figures = {"plans": plans, "fitted_to": "fitted"}
            check.judge()
            return check.figures

        good = {"fitted": plan(2, 2), "second": plan(3, 3.1, 0.049, -0.099), "third": plan(1, 1)}
        self.assertTrue(judged(**good)["within_bounds"])
        self.assertEqual(judged(**good)["order"]["measured"], ["third", "fitted", "second"])
        self.assertFalse(judged(**dict(good, second=plan(3, 3.2, 0.06)))["within_bounds"])
        self.assertFalse(judged(**dict(good, second=plan(3, 3, 0.0, 0.11)))["within_bounds"])
        swapped = judged(**dict(good, second=plan(3, 1.9, -0.01)))
        self.assertFalse(swapped["order"]["preserved"])
        self.assertFalse(swapped["within_bounds"])
        # What the model was fitted to proves nothing.
        self.assertTrue(judged(**dict(good, fitted=plan(2, 2, 0.5, 0.5)))["within_bounds"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
