"""tests/gpu/run.sh as far as it goes without a GPU: the sentence where there is none, usage, how figures are judged, and
all of it with programs that stand in for ours."""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SCRIPT = os.path.join(ROOT, "tests", "gpu", "run.sh")
sys.path.insert(0, os.path.join(ROOT, "tests", "gpu"))  # of what gpu_figures.py imports


def load_figures():
    spec = importlib.util.spec_from_file_location("gpu_figures", os.path.join(ROOT, "tests", "gpu", "gpu_figures.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plan(measured, predicted, step_error=0.0, exposed_error=0.0, unnamed=0, again=None):
    return {"measured": {"step_ms": measured, "rounds_ms": [measured, again or measured],
                         "activities_without_node": unnamed},
            "predicted": {"step_ms": predicted}, "step_error": step_error, "exposed_error": exposed_error}


# Stand in for our programs and the toolkit's: a step of each graph takes 10 ms, 2 ms of it exposed, and is predicted so.
FAKE_RUNNER = """
import json, os, sys
arguments = sys.argv[1:]
if arguments == ["--devices"]:
    print(json.dumps({"devices": [{"name": "NVIDIA H200", "memory_bytes": 150 << 30}], "libraries": {}, "mpi": ""}))
elif arguments[1:2] == ["-o"]:
    if os.path.basename(arguments[2]) == os.environ.get("FAILS_AT"):
        sys.exit("the device fell off the bus")
    step = {"plan": 10, "baseline": 14, "automatic": 12, "no_halves": 20, "halved_blocks": 18,
            "halved_experts": 19}.get(os.path.basename(arguments[2]).split(".")[0].replace("whole_", ""), 5)
    # In the second round the device is warm.
    again = ".again." in arguments[2]
    step += 1 if again else 0
    scope = arguments[arguments.index("--compiled") + 1] if "--compiled" in arguments else "eager"
    assert scope == "whole" or not os.path.basename(arguments[2]).startswith("whole_")
    exposed = float(os.environ.get("EXPOSED", "2"))
    with open(arguments[2], "w") as file:
        json.dump({"work": {}, "nodes": [{"name": "mm", "kind": "matrix_multiply", "median_ms": 1}], "notes": [], "environment": {}, "step_ms": {"median": step, "minimum": step, "maximum": step, "all": [step, step]}, "peak_memory_bytes": 1,
                   "memory": {"pool_bytes": 1, "host_bytes": 0},
                   "recorded": {"steps": 5, "median_step_ms": step, "exposed_ms": exposed, "transfer_exposed_ms": 0,
                                "activities_without_node": 0},
                   "groups": [{"process_group": "0", "size": 8, "runs": "emulated", "because": "x"}]}, file)
"""
FAKE_SANITIZER = """
import os, sys
os.execv(sys.argv[3], sys.argv[3:])
"""
FAKE_OVERLAP = """
import json, os, sys
arguments = sys.argv[1:]
if arguments == ["--version"]:
    print("0.1.0")
elif arguments[0] in ("estimate", "apply"):
    open(arguments[arguments.index("-o") + 1], "w").close()
elif arguments[0] == "simulate":
    step = {"plan": 10, "automatic": 12, "no_halves": 20, "halved_blocks": 18, "halved_experts": 19}.get(
        os.path.basename(arguments[1]).split(".")[0], 14)
    assert "--contention" not in arguments, "the fitted model has no factors"
    assert arguments[arguments.index("--compiled") + 1] in ("eager", "whole"), "as the run was"
    print(json.dumps({"step_ms": step, "exposed_ms": 2, "transfer_exposed_ms": 0, "peak_memory_bytes": 1}))
elif arguments[0] == "calibrate":
    error = {"median": 0}
    print(json.dumps({"rows": [{"kind": "class", "name": "memory", "samples": 3, "relative_error_before": error,
                                "relative_error_after": error}], "notes": [],
                      "model": {"contention": {"compute_slowdown": {}, "groups_share_links": False}}}))
"""


class GpuScript(unittest.TestCase):
    def programs(self, answer, status=0):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        runner = os.path.join(folder.name, "overlap-runner")
        with open(runner, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\necho '{answer}'\nexit {status}\n")
        os.chmod(runner, 0o755)
        return folder.name

    def run_script(self, *arguments, **environment):
        return subprocess.run(["bash", SCRIPT, *arguments], capture_output=True, text=True, check=False, timeout=60,
                              env=dict(os.environ, **environment))

    def measured(self, **environment):
        """The script with programs that stand in. @returns what it did and the figures that it wrote."""
        folder = pathlib.Path(self.programs(""))
        for name, text in (("overlap-runner", FAKE_RUNNER), ("overlap", FAKE_OVERLAP),
                           ("compute-sanitizer", FAKE_SANITIZER)):
            (folder / name).write_text(f"#!{sys.executable} -SE{text}", encoding="utf-8")
            (folder / name).chmod(0o755)
        output = folder / "new" / "figures.json"
        done = subprocess.run(
            [sys.executable, "-B", os.path.join(ROOT, "tests", "gpu", "gpu_figures.py"), folder,
             os.path.join(ROOT, "resources", "samples"), "--folder", folder / "work", "-o", output],
            capture_output=True, text=True, check=False, timeout=60,
            env=dict(os.environ, PATH=os.pathsep.join([str(folder), os.environ["PATH"]]), **environment))
        return done, json.loads(output.read_text(encoding="utf-8"))

    def test_all_of_it_with_programs_that_stand_in(self):
        done, figures = self.measured()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(figures["within_bounds"])
        self.assertEqual(figures["stages"],
                         ["plans", "judged", "compiled_job", "cuda_graph", "scaled_products", "experts", "memory",
                          "compute_sanitizer", "several_ranks"])
        self.assertEqual(list(figures["memory"]["plans"]), ["default", "save_all", "full", "sac_and_offload"])
        self.assertEqual(figures["compiled_job"]["compiled"], "whole")
        self.assertTrue(figures["compiled_job"]["within_bounds"])
        self.assertEqual(figures["scaled_products"]["products_ms"], {"mm": 1})
        self.assertEqual(figures["experts"]["fitted_to"], "no_halves")
        self.assertEqual(figures["experts"]["plans"]["halved_blocks"]["measured"]["step_ms"], 18)
        self.assertEqual(figures["order"]["measured"], ["plan", "automatic", "baseline"])
        self.assertEqual(figures["plans"]["plan"]["measured"]["rounds_ms"], [10, 11])
        self.assertEqual(figures["plans"]["plan"]["measured"]["step_ms"], 10.5)
        self.assertEqual(figures["compute_sanitizer"], "no error")
        self.assertIn("order of plans: measured plan, automatic, baseline", done.stdout)
        self.assertIn("\nwithin bounds\n", done.stdout)

    def test_what_was_not_measured_is_not_within_bounds(self):
        done, figures = self.measured(EXPOSED="0")
        self.assertEqual(done.returncode, 1)
        self.assertFalse(figures["within_bounds"])
        self.assertIn("NOT within bounds: baseline: no exposed time was measured\n", done.stdout)

    def test_figures_stay_when_a_later_stage_fails(self):
        done, figures = self.measured(FAILS_AT="small_cuda_graph.run.json")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "tests/gpu/run.sh: overlap-runner: the device fell off the bus\n")
        self.assertEqual(figures["stages"], ["plans", "judged", "compiled_job"])
        self.assertTrue(figures["within_bounds"])
        self.assertEqual(figures["failure"], "overlap-runner: the device fell off the bus")
        self.assertEqual(set(figures["plans"]), {"plan", "baseline", "automatic"})

    def test_a_program_that_hangs_is_ended_with_all_that_it_started(self):
        figures = load_figures()
        with self.assertRaisesRegex(figures.Failure, "^bash: it had not ended after 0.2 seconds$"):
            figures.run(["bash", "-c", "sleep 60 & wait"], seconds=0.2)

    def test_a_gpu_that_cannot_be_used_is_no_missing_gpu(self):
        figures = load_figures()
        with tempfile.TemporaryDirectory() as devices:
            self.assertFalse(figures.has_gpu(pathlib.Path(devices)))
            pathlib.Path(devices, "nvidiactl").touch()
            self.assertFalse(figures.has_gpu(pathlib.Path(devices)))
            pathlib.Path(devices, "nvidia0").touch()
            self.assertTrue(figures.has_gpu(pathlib.Path(devices)))

    @unittest.skipIf(load_figures().has_gpu(), "a GPU is there")
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
        alike = judged(**dict(good, second=plan(2.1, 1.9, -0.01, again=1.9)))
        self.assertEqual(alike["order"]["alike"], [["fitted", "second"]])
        self.assertTrue(alike["order"]["preserved"], "each is the faster in one of the rounds")
        self.assertFalse(judged(**dict(good, second=plan(3, 3, None)))["within_bounds"])
        self.assertFalse(judged(**dict(good, second=plan(3, 3, unnamed=1)))["within_bounds"])
        # What the model was fitted to proves nothing.
        self.assertTrue(judged(**dict(good, fitted=plan(2, 2, 0.5, 0.5)))["within_bounds"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
