"""overlap-runner's dry run as a user meets it: alone, under mpirun, with ranks that disagree or die."""
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAMS, DATA = sys.argv[1], sys.argv[2]
RUNNER = os.path.join(PROGRAMS, "overlap-runner")
SAMPLES = os.path.join(DATA, "..", "..", "resources", "samples")
MODULE = "overlap-runner-devices.so"
GRAPH = os.path.join(SAMPLES, "llama3_debugmodel_fsdp8.prebucket.graph.json.gz")
OTHER_GRAPH = os.path.join(SAMPLES, "llama3_8b_fsdp128.prebucket.graph.json.gz")
PLAN = os.path.join(SAMPLES, "llama3_8b_fsdp128.plan.json")
# Open MPI refuses to run as root unless told twice; tests in containers are root.
# More ranks than cores should not spin while they wait.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_mpi_yield_when_idle="1")
# Open MPI's, where MPICH's is there, too (test_mpi_modules.py).
MPIRUN = shutil.which("mpirun.openmpi") or "mpirun"
CAUSAL = "12 flex attentions are taken as causal: the graph does not tell their masks"


def run(command, timeout=120):
    return subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=timeout)


def mpirun(ranks, *arguments):
    return [MPIRUN, "--oversubscribe", "-n", str(ranks), *arguments]


class Runner(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.result = os.path.join(self.folder, "result.json")

    def dry(self, graph=GRAPH):
        return [RUNNER, "--dry-run", graph, "-o", self.result, "--iterations", "3", "--warm-up", "1"]

    def read_result(self):
        with open(self.result, encoding="utf-8") as file:
            return json.load(file)

    def test_what_the_prediction_is_of_is_told_apart(self):
        predicted = {}
        for compiled in ("none", "eager"):
            done = run([*self.dry(), "--compiled", compiled])
            self.assertEqual(done.returncode, 0, done.stderr)
            result = self.read_result()
            self.assertEqual((result["compiled"], result["predicted"]["as_traced"]), ("eager", compiled == "none"))
            predicted[compiled] = result["predicted"]["step_ms"]
            self.assertIn("by the times of nodes as traced" if compiled == "none" else "each operator a kernel of its own",
                          done.stdout)
        self.assertNotEqual(predicted["none"], predicted["eager"])

    def test_the_result_may_go_to_standard_output(self):
        done = run([RUNNER, "--dry-run", GRAPH, "-o", "-"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["mode"], "dry_run")
        self.assertIn("predicted: ", done.stderr)

    def test_one_rank(self):
        commands, trace = os.path.join(self.folder, "commands.txt"), os.path.join(self.folder, "trace.json")
        done = run([*self.dry(), "--commands", commands, "--trace", trace])
        self.assertEqual(done.returncode, 0, done.stderr)
        result = self.read_result()
        self.assertEqual(result["mode"], "dry_run")
        self.assertNotIn("step_ms", result)
        self.assertEqual([group["runs"] for group in result["groups"]], ["emulated"])
        self.assertGreaterEqual(result["memory"]["pool_bytes"], result["memory"]["live_peak_bytes"])
        self.assertGreater(result["memory"]["scratch_bytes"], 0)
        self.assertEqual(sum(result["work"].values()), result["commands"]["compute"])
        self.assertEqual(result["environment"]["NCCL_LAUNCH_ORDER_IMPLICIT"], "1")
        self.assertEqual(result["notes"], [CAUSAL])
        told = done.stdout
        self.assertIn("llama3_debugmodel_fsdp8.prebucket: dry run, 1 rank on 1 machine\n", told)
        self.assertIn(f"{result['commands']['all']} commands a step: {result['commands']['compute']} compute, "
                      f"{result['commands']['collective']} collectives, ", told)
        self.assertIn(f"compute on a device: {result['work']['own_products']} products as in the job, "
                      f"{result['work']['attentions']} attentions by cuDNN where it is found, "
                      f"{result['work']['stand_in_products']} by products with as many operations and moved bytes, ", told)
        self.assertRegex(told, r'"0" +8 +emulated +\d+ +\S+ MiB +it has 8 ranks, and 1 is attached\n')
        self.assertRegex(told, r"predicted: a step of \S+ ms, \S+ ms of it exposed communication, by the times of nodes as traced\n")
        self.assertTrue(result["predicted"]["as_traced"])
        self.assertIn(f"nothing was launched on a device\nthe result is in {self.result}\n", told)
        self.assertNotIn("measured", told)
        with open(commands, encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), result["commands"]["all"])
        with open(trace, encoding="utf-8") as file:
            self.assertIn("traceEvents", json.load(file))

    def test_devices_or_why_there_are_none(self):
        done = run([RUNNER, "--devices"])
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(found["format"], "overlap-devices")
        self.assertTrue(bool(found["devices"]) != bool(found.get("reason")), found)
        self.assertIn("MPI", found["mpi"])

    def test_a_full_standard_output_is_told(self):
        for arguments in (["--devices"], ["--help"], ["--version"], self.dry()[1:]):
            with self.subTest(arguments=arguments), open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([RUNNER, *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
                                      env=ENVIRONMENT, timeout=120)
                self.assertEqual(done.returncode, 1)
                self.assertIn("overlap-runner: standard output: cannot be written\n", done.stderr)

    def test_no_file_is_written_over_what_is_read_or_written(self):
        graph = shutil.copy(GRAPH, self.folder)
        for arguments, words in (([graph, "-o", graph], ("GRAPH", "--output")),
                                 ([graph, "-o", self.result, "--trace", self.result], ("--output", "--trace")),
                                 ([graph, "--pipeline", PLAN, "-o", self.result, "--commands", graph],
                                  ("GRAPH", "--commands"))):
            with self.subTest(arguments=arguments):
                done = run([RUNNER, "--dry-run", *arguments])
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                for word in words:
                    self.assertIn(word, done.stderr)
                self.assertFalse(os.path.exists(self.result))
                self.assertEqual(os.path.getsize(graph), os.path.getsize(GRAPH))

    def runner_alone(self, module=None):
        """A copy of the runner. @param module bytes that stand in for its module for devices, which is else left out."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        runner = shutil.copy(RUNNER, folder.name)
        if module is not None:
            with open(os.path.join(folder.name, MODULE), "wb") as file:
                file.write(module)
        return runner

    def expect_dry_runs_only(self, runner, reason):
        done = run([runner, "--devices"])
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual((found["devices"], found["libraries"]), ([], {}))
        self.assertRegex(found["reason"], f"^{reason}$")
        done = run([runner, GRAPH, "-o", self.result])
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, f"^overlap-runner: {reason}\n$")
        self.assertFalse(os.path.exists(self.result))
        done = run([runner, *self.dry()[1:]])
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_without_support_of_devices_a_dry_run_works(self):
        self.expect_dry_runs_only(self.runner_alone(), "this runner has no GPU support: it was built without the CUDA "
                                                       "toolkit, NCCL and CUPTI, and only --dry-run can be done")

    @unittest.skipUnless(os.path.exists(os.path.join(PROGRAMS, MODULE)), "built without the CUDA toolkit")
    def test_without_cudas_libraries_a_dry_run_works_and_the_missing_one_is_named(self):
        with open(os.path.join(PROGRAMS, MODULE), "rb") as file:
            module = file.read()
        name = re.search(rb"libcudart\.so\.\d+", module).group()
        missing = name.replace(b"cudart", b"absent")
        self.expect_dry_runs_only(
            self.runner_alone(module.replace(name, missing)),
            f"GPU support cannot be loaded: {re.escape(missing.decode())}: cannot open shared object file: No such file "
            "or directory; --dry-run can be done without")

    def test_options_of_devices_are_checked(self):
        for option, value in (("--emulation-blocks", "0"), ("--recorded", "-1"), ("--device-memory-gib", "nan"),
                              ("--rank-timeout", "0")):
            done = run([*self.dry(), option, value])
            self.assertEqual(done.returncode, 2, option)
            self.assertIn(option, done.stderr)

    def test_a_plan_is_applied_before_the_run(self):
        done = run(self.dry(OTHER_GRAPH))
        self.assertEqual(done.returncode, 0, done.stderr)
        before = self.read_result()
        done = run([*self.dry(OTHER_GRAPH), "--pipeline", PLAN])
        self.assertEqual(done.returncode, 0, done.stderr)
        after = self.read_result()
        self.assertLess(after["commands"]["collective"], before["commands"]["collective"])
        self.assertLess(after["predicted"]["step_ms"], before["predicted"]["step_ms"])
        self.assertNotEqual(after["order_digest"], before["order_digest"])

    def plan_with_groups(self, groups):
        with open(PLAN, encoding="utf-8") as file:
            plan = json.load(file)
        plan["process_groups"] = groups
        path = os.path.join(self.folder, "groups.plan.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(plan, file)
        return path

    def test_settings_of_groups_are_told_and_checked(self):
        plan = self.plan_with_groups([{"name": "0", "high_priority": True, "max_ctas": 16}])
        done = run([*self.dry(OTHER_GRAPH), "--pipeline", plan])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read_result()["groups"][0]["settings"], {"stream_priority": "high", "max_ctas": 16})
        for groups, sentence in (([{"name": "9"}], 'process_groups[0].name: there is no process group "9"; there are: "0"'),
                                 ([{"name": "0", "max_ctas": 0}], "process_groups[0].max_ctas: found 0, expected")):
            plan = self.plan_with_groups(groups)
            done = run([*self.dry(OTHER_GRAPH), "--pipeline", plan])
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"overlap-runner: {plan}: {sentence}", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_four_ranks(self):
        done = run(mpirun(4, *self.dry()))
        self.assertEqual(done.returncode, 0, done.stderr)
        result = self.read_result()
        self.assertEqual([rank["rank"] for rank in result["ranks"]], [0, 1, 2, 3])
        self.assertEqual(result["groups"][0]["because"], "it has 8 ranks, and 4 are attached")
        self.assertIn("4 ranks on 1 machine", done.stdout)
        self.assertIn("; collectives in the same order on all ranks\n", done.stdout)

    def test_eight_ranks_run_the_group_of_the_job(self):
        done = run(mpirun(8, *self.dry()))
        self.assertEqual(done.returncode, 0, done.stderr)
        group = self.read_result()["groups"][0]
        self.assertEqual((group["runs"], group["on_ranks"]), ("nccl", list(range(8))))

    def test_ranks_that_hold_other_graphs_launch_nothing(self):
        done = run([MPIRUN, "--oversubscribe", "-n", "2", *self.dry(), ":", "-n", "1", *self.dry(OTHER_GRAPH)])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("the ranks do not agree, so nothing was launched: collective 1 differs: rank 0 issues", done.stderr)
        self.assertIn("rank 2 issues", done.stderr)
        self.assertFalse(os.path.exists(self.result))

    def test_a_file_that_one_rank_lacks_is_told_with_the_rank(self):
        missing = os.path.join(self.folder, "missing.graph.json")
        done = run([MPIRUN, "--oversubscribe", "-n", "2", *self.dry(), ":", "-n", "1", *self.dry(missing)])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("overlap-runner: rank 2: " + missing, done.stderr)

    def test_what_all_ranks_say_is_told_once(self):
        missing = os.path.join(self.folder, "missing.graph.json")
        done = run(mpirun(3, *self.dry(missing)))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("overlap-runner: "), 1, done.stderr)

    def end_of_endless_run(self, kind_of_end, *options):
        """Four ranks that run until rank 2 is sent a signal. @returns status and errors of a run that ended in time."""
        endless = [RUNNER, "--dry-run", GRAPH, "-o", self.result, "--iterations", "100000000", *options]
        with subprocess.Popen(mpirun(4, *endless), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=ENVIRONMENT) as job:
            try:
                self.assertIn("step ", job.stderr.readline())  # the steps have begun
                # mpirun's children, in the order of their ranks.
                with open(f"/proc/{job.pid}/task/{job.pid}/children", encoding="ascii") as file:
                    children = [int(child) for child in file.read().split()]
                self.assertEqual(len(children), 4)
                began = time.monotonic()
                os.kill(children[2], kind_of_end)
                _, errors = job.communicate(timeout=60)
                self.assertLess(time.monotonic() - began, 20)
            finally:
                job.kill()
        return job.returncode, errors

    def test_a_rank_that_dies_ends_the_run_and_is_named(self):
        status, errors = self.end_of_endless_run(signal.SIGKILL)
        self.assertNotEqual(status, 0)
        self.assertRegex(errors, r"process rank 2 .*exited on signal 9")

    def test_a_rank_that_stands_still_ends_the_run_and_is_named(self):
        status, errors = self.end_of_endless_run(signal.SIGSTOP, "--rank-timeout", "2")
        self.assertNotEqual(status, 0)
        self.assertRegex(errors, r"overlap-runner: rank 0 on \S+: rank 2 on \S+: it has not come to the next step within "
                                 r"2 s\n")

    def test_more_ranks_than_the_job_has_are_told(self):
        done = run(mpirun(10, *self.dry()))
        self.assertEqual(done.returncode, 0, done.stderr)
        note = "10 ranks are attached, and the job has 8: groups do not lie as they do there"
        self.assertEqual(self.read_result()["notes"], [note, CAUSAL])
        self.assertIn(f"note: {note}\n", done.stdout)

    @staticmethod
    def read_graph():
        with gzip.open(GRAPH, "rt", encoding="utf-8") as file:
            return json.load(file)

    def write_graph(self, name, graph):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(graph, file)
        return path

    def test_a_graph_without_times_is_told_what_gives_it_some(self):
        graph = self.read_graph()
        del graph["cost_model"]
        for node in graph["nodes"]:
            node.pop("estimate_ms", None)
        bare = self.write_graph("bare.graph.json", graph)
        done = run(self.dry(bare))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, f"^overlap-runner: {bare}: .*the graph has no cost_model.*; overlap estimate GRAPH "
                                      "--cost-model MODEL -o NEW writes it with times\n$")
        modelled = os.path.join(self.folder, "modelled.graph.json")
        done = run([os.path.join(PROGRAMS, "overlap"), "estimate", bare, "--cost-model", "h100-sxm", "-o", modelled])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(run(self.dry(modelled)).returncode, 0)

    def test_a_size_without_a_number_is_refused(self):
        graph = self.read_graph()
        called = next(node for node in graph["nodes"] if node["op"] == "call_function")
        for size in ({"symbol": "s0"}, {"symbol": "s0", "hint": None}):
            called["kwargs"] = {"size": size}
            path = self.write_graph("symbolic.graph.json", graph)
            done = run(self.dry(path))
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, f'overlap-runner: {path}: node "{called["name"]}": the size "s0" has no hint; '
                                          "a run needs a number for every size\n")

    def test_bad_input(self):
        done = run([*self.dry(), "--device-memory-gib", "0.1"])
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r'^overlap-runner: .*node ".*": the step holds .* the device has 102.4 MiB\n$')
        self.assertEqual(run([RUNNER, "--dry-run", GRAPH]).returncode, 2)
        self.assertEqual(run([*self.dry(), "--iterations", "0"]).returncode, 2)
        done = run([*self.dry()[:3], "-o", os.path.join(self.folder, "no", "folder.json")])
        self.assertEqual(done.returncode, 1)
        self.assertIn("no/folder.json", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
