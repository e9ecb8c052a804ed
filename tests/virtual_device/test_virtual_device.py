"""The runner on the virtual device: whole plans on 1, 2 and 4 ranks, planted faults, errors on request.

    test_virtual_device.py PROGRAMS LIBRARIES ROOT [--write-docs | unittest argument...]
"""
import json
import shutil
import signal
import subprocess
import sys
import time
import unittest

import data_flow
import mutations
from virtual_case import CAUSAL, Case, DEVICE, EXPERTS, OFFLOADING, PROGRAMS, ROOT, SMALL, TWO_GROUPS, several

DOCUMENT = ROOT / "docs/virtual_device.md"
BEGIN, END = "<!-- faults: made by tests/virtual_device -->\n", "<!-- end of faults -->\n"
# What each call that fails makes of a run: the sentence on stderr, or the note in the result.
SENTENCES = {
    "cudaDriverGetVersion": "CUDA: asking for the driver's version: unknown error",
    "cudaGetDeviceCount": "CUDA: counting devices: unknown error",
    "cudaGetDeviceProperties": "CUDA: asking for the properties of a device: unknown error",
    "cudaSetDevice": "CUDA: choosing a device: unknown error",
    "cudaMemGetInfo": "CUDA: asking for a device's free memory: unknown error",
    "cudaFuncGetAttributes": "CUDA: looking for kernels that were compiled for virtual device .*: no kernel image is "
                             "available for execution on the device",
    "cudaFuncSetAttribute": "CUDA: looking for kernels that were compiled for virtual device .*: invalid argument",
    "cudaMalloc": "CUDA: allocating device memory: out of memory",
    "cudaMemset": "CUDA: clearing the pool: invalid argument",
    "cudaDeviceSynchronize": "CUDA: clearing memory: unspecified launch failure",
    "cudaDeviceGetStreamPriorityRange": "CUDA: asking for the priorities of streams: unknown error",
    "cudaStreamCreateWithPriority": "CUDA: making a stream: out of memory",
    "cudaEventCreateWithFlags": "CUDA: making an event: out of memory",
    "cudaEventRecord": "CUDA: recording an event: invalid resource handle",
    "cudaStreamWaitEvent": "CUDA: waiting for an event: invalid resource handle",
    "__cudaLaunchKernel": "CUDA: launching a kernel: unspecified launch failure",
    "cudaStreamSynchronize": "CUDA: waiting for the end of a step: unspecified launch failure",
    "cudaEventElapsedTime": "CUDA: reading a time: unknown error",
    "cublasLtCreate": "cuBLASLt: starting cuBLASLt: CUBLAS_STATUS_NOT_INITIALIZED",
    "cublasLtMatmulDescCreate": "cuBLASLt: describing a product: CUBLAS_STATUS_INVALID_VALUE",
    "cublasLtMatrixLayoutCreate": "cuBLASLt: describing a matrix: CUBLAS_STATUS_INVALID_VALUE",
    "cublasLtMatrixLayoutSetAttribute": "cuBLASLt: describing a matrix: CUBLAS_STATUS_INVALID_VALUE",
    "cublasLtMatmulPreferenceCreate": "cuBLASLt: choosing an algorithm: CUBLAS_STATUS_INVALID_VALUE",
    "cublasLtMatmulPreferenceSetAttribute": "cuBLASLt: choosing an algorithm: CUBLAS_STATUS_INVALID_VALUE",
    "cublasLtMatmulAlgoGetHeuristic": r"cuBLASLt: no algorithm for \d+ products? of \d+x\d+ by \d+x\d+ \w+",
    "cublasLtMatmul": "cuBLASLt: launching a product: CUBLAS_STATUS_EXECUTION_FAILED",
    "cublasLtMatmulDescSetAttribute": "cuBLASLt: describing a product: CUBLAS_STATUS_INVALID_VALUE",
    "cudnnSetStream": "cuDNN: choosing a stream: CUDNN_STATUS_BAD_PARAM",
    "cudnnBackendExecute": "cuDNN: launching an attention: CUDNN_STATUS_EXECUTION_FAILED",
    "ncclGetVersion": "NCCL: asking for NCCL's version: internal error",
    "cuptiGetVersion": "CUPTI: asking for CUPTI's version: CUPTI_ERROR_UNKNOWN",
}
CAPTURE_SENTENCES = {
    "cudaStreamBeginCapture": "CUDA: beginning a capture: invalid argument",
    "cudaStreamEndCapture": "CUDA: ending a capture: operation not permitted when stream is capturing",
    "cudaGraphInstantiate": "CUDA: making a CUDA graph of a step: out of memory",
    "cudaGraphLaunch": "CUDA: launching a CUDA graph: unspecified launch failure",
}
RANK_SENTENCES = {
    "ncclGetUniqueId": "NCCL: making an id for a communicator: unhandled system error",
    "ncclCommInitRankConfig": 'NCCL: setting up the communicator of process group "0": unhandled system error',
    "ncclGroupStart": "NCCL: beginning a group of launches: internal error",
    "ncclGroupEnd": "NCCL: launching a collective: internal error",
    "ncclAllGather": "NCCL: launching a collective: internal error",
    "ncclCommGetAsyncError": "NCCL: asking for a communicator's state: internal error",
}
NOTES = {
    "cuptiActivityRegisterCallbacks": "CUPTI: starting the recording of activities: CUPTI_ERROR_UNKNOWN",
    "cuptiActivityEnable": "CUPTI: starting the recording of activities: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
    "cuptiActivityPushExternalCorrelationId": "CUPTI: naming what a node launches: CUPTI_ERROR_UNKNOWN",
    "cuptiActivityPopExternalCorrelationId": "CUPTI: naming what a node launches: CUPTI_ERROR_UNKNOWN",
    "cuptiActivityFlushAll": "CUPTI: reading recorded activities: CUPTI_ERROR_UNKNOWN",
}


class WholePlans(Case):
    def test_devices_are_found(self):
        done = subprocess.run([PROGRAMS / "overlap-runner", "--devices"], capture_output=True, text=True, check=True,
                              env=DEVICE.environment(self.folder, ["devices=3", "memory_bytes=1000000"]))
        found = json.loads(done.stdout)
        self.assertEqual([device["memory_bytes"] for device in found["devices"]], [1000000] * 3)
        # Those of the runtime, of NCCL and of CUPTI are the toolkit's with which the libraries were built.
        for library, version in (("driver", r"13\.0"), ("cuda_runtime", r"13\.\d"), ("nccl", r"2\.\d\d\.\d+"),
                                 ("cublas", r"13\.0"), ("cupti", r"13\d{4}"), ("cudnn", r"9\.19\.0")):
            self.assertRegex(found["libraries"].pop(library), f"^{version}$", library)
        self.assertEqual(found["libraries"], {})

    def test_one_rank_and_its_result(self):
        for graph in (SMALL, self.applied(SMALL), EXPERTS):
            with self.subTest(graph=graph):
                run = self.run_on(graph, log=True)
                self.expect_clean(run)
                result = run.result
                self.assertEqual(result["notes"], [CAUSAL])
                self.assertEqual((result["work"]["attentions"], result["work"]["stand_in_products"]), (12, 0))
                self.assertEqual(result["recorded"]["activities_without_node"], 0)
                self.assertEqual(len(result["nodes"]),
                                 result["commands"]["compute"] + result["commands"]["collective"])
                self.assertIn("measured: a step of ", run.output)

    def test_without_cudnn_or_its_kernels_attention_has_a_stand_in(self):
        in_place = "as products with as many operations: "
        for setting, note in (
                ("fail=cudnnCreate,1", f"12 attentions are run {in_place}cuDNN does not start: "
                                       "CUDNN_STATUS_NOT_INITIALIZED"),
                # The backward pass has its kernel all the same.
                ("fail=cudnnBackendCreateDescriptor,1",
                 f"6 attentions are run {in_place}attention of queries 1x16x16384x16 and values 1x16x16384x16: cuDNN: "
                 "describing attention: CUDNN_STATUS_NOT_SUPPORTED"),
                ("fail=cudnnBackendSetAttribute,1",
                 f"6 attentions are run {in_place}attention of queries 1x16x16384x16 and values 1x16x16384x16: cuDNN: "
                 "describing attention: CUDNN_STATUS_BAD_PARAM"),
                ("fail=cudnnBackendFinalize,1",
                 f"6 attentions are run {in_place}attention of queries 1x16x16384x16 and values 1x16x16384x16: cuDNN: "
                 "describing attention: CUDNN_STATUS_NOT_SUPPORTED"),
                ("fail=cudnnBackendGetAttribute,1",
                 f"6 attentions are run {in_place}attention of queries 1x16x16384x16 and values 1x16x16384x16: cuDNN: "
                 "asking for attention's kernels: CUDNN_STATUS_NOT_SUPPORTED")):
            with self.subTest(setting=setting):
                run = self.run_on(SMALL, settings=[setting], log=True)
                self.expect_clean(run)
                self.assertEqual(run.result["notes"], [CAUSAL, note])
                missing = int(note.split()[0])
                self.assertEqual((run.result["work"]["attentions"], run.result["work"]["stand_in_products"]),
                                 (12 - missing, missing))

    def test_all_graphs_that_are_here_read_what_they_should(self):
        def try_graph(graph):
            run = DEVICE.run(graph, log=True)
            try:
                return graph.name, run.status, run.findings(), run.flow()[0]
            finally:
                shutil.rmtree(run.folder, ignore_errors=True)

        graphs = [graph for graph in sorted((ROOT / "tests/data/graphs").glob("*debugmodel*.gz"))
                  if graph not in (SMALL, EXPERTS)]
        for tried in several(try_graph, graphs):
            with self.subTest(graph=tried[0]):
                self.assertEqual(tried[1:], (0, [], []))

    def test_two_and_four_ranks_with_groups_of_their_own(self):
        for ranks, real in ((2, ["19"]), (4, ["19", "41"])):
            with self.subTest(ranks=ranks):
                run = self.run_on(TWO_GROUPS, ranks=ranks, log=True)
                self.expect_clean(run)
                result = run.result
                self.assertEqual(sorted(group["process_group"] for group in result["groups"]
                                        if group["runs"] == "nccl"), real)
                self.assertEqual(len(result["ranks"]), ranks)
                self.assertEqual({rank["step_ms"]["median"] for rank in result["ranks"]},
                                 {result["step_ms"]["median"]})

    def test_groups_of_the_job_and_coalesced_collectives(self):
        run = self.run_on(self.applied(TWO_GROUPS), ranks=8, log=True)
        self.expect_clean(run)
        self.assertEqual({group["because"] for group in run.result["groups"]}, {"as in the job"})

    def test_communicators_have_the_settings_of_the_plan(self):
        settings = {"min_ctas": 2, "max_ctas": 8, "cga_cluster_size": 3, "nvls_ctas": 5, "cta_policy": 1, "traffic_class": 7}
        plan = self.folder / "plan.json"
        plan.write_text(json.dumps({"format": "overlap-plan", "version": 1,
                                    "process_groups": [{"name": "19", **settings}]}), encoding="utf-8")
        made = self.folder / "communicators"
        run = self.run_on(TWO_GROUPS, "--pipeline", str(plan), ranks=4, settings=[f"communicators={made}"])
        self.assertEqual(run.status, 0, run.errors)
        for rank in range(4):
            lines = made.with_name(f"communicators-{rank}").read_text(encoding="utf-8").splitlines()
            # One for the steps that count, one for those that are recorded; what a plan leaves out is NCCL's own.
            self.assertEqual([json.loads(line) for line in lines], 2 * [{"group": "41"}, {"group": "19", **settings}])

    def test_heads_that_share_keys_and_values(self):
        self.expect_clean(self.run_on(ROOT / "resources/samples/llama3_8b_pp8_last.graph.json.gz", log=True), 100)

    def test_a_captured_step_takes_as_long(self):
        launched = self.run_on(SMALL).result["step_ms"]["median"]
        for ranks in (1, 4):
            graph = SMALL if ranks == 1 else TWO_GROUPS
            captured = self.run_on(graph, "--cuda-graph", ranks=ranks, log=True)
            self.expect_clean(captured)
            if ranks == 1:
                self.assertEqual(captured.result["step_ms"]["median"], launched)

    def test_late_ranks_are_told_from_their_collectives(self):
        run = self.run_on(TWO_GROUPS, ranks=2, settings=["compute_scale=1.5@1"])
        self.assertEqual(run.status, 0, run.errors)
        of_two = {node["name"]: node for node in run.result["nodes"] if "late_peers_ms" in node}
        even = {node["name"]: node for node in self.run_on(TWO_GROUPS, ranks=2).result["nodes"]}
        self.assertGreater(sum(node["late_peers_ms"] for node in of_two.values()), 0.5)
        for name, node in of_two.items():
            self.assertAlmostEqual(node["median_ms"], even[name]["median_ms"], 5)


class Faults(Case):
    def test_planted_faults_are_found(self):
        offloading = self.applied(OFFLOADING, memory="sac_and_offload")

        def plant(mutation):
            graph = offloading if mutation.offloads else SMALL if mutation.ranks == 1 else TWO_GROUPS
            run = DEVICE.run(graph, *mutation.arguments, ranks=mutation.ranks,
                             settings=[f"change={mutation.change}"], log=True)
            try:
                if mutation.found == "data_flow":
                    return mutation, {"data_flow"} if run.status == 0 and run.flow()[0] else set()
                kinds = {finding["kind"] for finding in run.findings()}
                return mutation, kinds | ({"the runner"} if run.status == 1 and "overlap-runner: " in run.errors else set())
            finally:
                shutil.rmtree(run.folder, ignore_errors=True)

        self.assertGreaterEqual(len(mutations.MUTATIONS), 30)
        for mutation, found in several(plant, mutations.MUTATIONS):
            with self.subTest(fault=mutation.fault):
                self.assertIn(mutation.found, found)

    def test_waits_that_are_left_out_are_found_whichever_they_are(self):
        """Every seventh; of all 280 of this step 254 are found, and the others await gradients that nothing touches."""
        def leave_out(number):
            run = DEVICE.run(SMALL, settings=[f"change=drop_wait,{number}"])
            try:
                return number, run.status, bool(run.findings())
            finally:
                shutil.rmtree(run.folder, ignore_errors=True)

        described = self.run_on(SMALL, log=True)
        lines = (described.folder / "commands.txt").read_text(encoding="utf-8").splitlines()
        # A collective's stream waits for compute, and compute for a collective: one of both a line.
        waits = [line for line in lines if line.startswith("stream of") or "stream: wait for" in line]
        missed = 0
        for number, status, found in several(leave_out, range(1, len(waits) + 1, 7)):
            self.assertEqual(status, 0)
            if not found:
                missed += 1
                self.assertRegex(waits[number - 1], "stream: wait for reduce_scatter")
        self.assertLess(missed, 0.15 * len(waits) / 7)

    def test_the_list_in_the_docs_is_this_one(self):
        text = DOCUMENT.read_text(encoding="utf-8")
        self.assertEqual(text[text.index(BEGIN) + len(BEGIN):text.index(END)], mutations.table())

    def test_every_call_that_fails_is_a_sentence(self):
        self.expect_sentences(SMALL, SENTENCES)
        self.expect_sentences(SMALL, CAPTURE_SENTENCES, "--cuda-graph")

    def test_every_call_that_fails_on_several_ranks_ends_all_of_them(self):
        graph = data_flow.read_graph(SMALL)
        graph["world_size"] = 2
        graph["process_groups"][0]["ranks"] = [0, 1]
        path = self.folder / "two.graph.json"
        path.write_text(json.dumps(graph), encoding="utf-8")
        self.expect_sentences(path, RANK_SENTENCES, ranks=2)

    def test_a_recording_that_fails_is_a_note(self):
        for function, note in NOTES.items():
            with self.subTest(function=function):
                run = self.run_on(SMALL, settings=[f"fail={function},1"])
                self.assertEqual(run.status, 0, run.errors)
                self.assertEqual(run.result["notes"], [CAUSAL, f"kernels were not recorded further: {note}"])
                self.assertNotIn("recorded", run.result)
        run = self.run_on(SMALL, settings=["drop_records=3"])
        self.assertEqual(len(run.result["notes"]), 2)
        self.assertRegex(run.result["notes"][1], r"CUPTI: \d+ activities were dropped, so the timeline has holes$")

    def test_a_device_that_is_too_small_and_machines_without_one(self):
        run = self.run_on(SMALL, settings=["memory_bytes=500000000"])
        self.assertEqual(run.status, 1)
        self.assertIn("the device has 476.8 MiB\n", run.errors)
        for setting, sentence in (("devices=0", "a driver is installed, but no device is attached"),
                                  ("driver=0", "no driver is installed on this machine"),
                                  ("driver=12080", r"the driver knows CUDA 12\.8, and this program was built with CUDA "
                                                   r"13\.\d+: update the driver")):
            run = self.run_on(SMALL, settings=[setting])
            self.assertEqual(run.status, 1)
            self.assertRegex(run.errors, f"overlap-runner: CUDA: {sentence}\n")
        run = self.run_on(SMALL, ranks=2, settings=["devices=1"])
        self.assertEqual(run.status, 1)
        self.assertIn("it has 1 devices, and rank 1 is number 2 there", run.errors)

    def test_a_rank_that_does_not_answer_ends_the_run(self):
        began = time.monotonic()
        run = self.run_on(TWO_GROUPS, "--rank-timeout", "2", ranks=2, settings=["silent=30@1"])
        self.assertEqual(run.status, 1)
        self.assertIn("NCCL: a step has not ended within 2 s: a rank of its collectives does not answer\n", run.errors)
        self.assertLess(time.monotonic() - began, 30)

    def test_communicators_are_asked_while_a_step_has_not_ended(self):
        """Rank 1 answers nobody, so the first step of rank 0 has no end."""
        run = self.run_on(TWO_GROUPS, "--rank-timeout", "30", ranks=2,
                          settings=["silent=1@1", "fail=ncclCommGetAsyncError,1@0"])
        self.assertEqual(run.status, 1)
        self.assertRegex(run.errors, r"rank 0 on \S+: NCCL: asking for a communicator's state: internal error\n")

    def test_a_rank_that_is_lost_ends_the_run(self):
        run = self.run_on(TWO_GROUPS, ranks=2, settings=["die=30@1"])
        self.assertNotEqual(run.status, 0)
        self.assertRegex(run.errors, "remote process exited|exited on signal 9")

    def test_a_run_is_cancelled(self):
        for ranks in (1, 2):
            graph = SMALL if ranks == 1 else TWO_GROUPS
            command = DEVICE.command(self.folder, graph, "--iterations", "10000000", ranks=ranks)
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env=DEVICE.environment(self.folder, [f"devices={ranks}"])) as job:
                self.assertIn("step ", job.stderr.readline())
                job.send_signal(signal.SIGTERM)
                job.communicate(timeout=30)
            self.assertNotEqual(job.returncode, 0)
            self.assertFalse((self.folder / "run.json").exists())


def write_docs():
    text = DOCUMENT.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    DOCUMENT.write_text(before + BEGIN + mutations.table() + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[4:] == ["--write-docs"]:
        write_docs()
    else:
        unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
