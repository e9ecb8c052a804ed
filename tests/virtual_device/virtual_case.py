"""What the tests on the virtual device have in common. Standard library only.

Each is called with PROGRAMS LIBRARIES ROOT in front of its own arguments.
"""
import concurrent.futures
import json
import pathlib
import shutil
import sys
import tempfile
import unittest

from virtual_runs import VirtualDevice

PROGRAMS, LIBRARIES, ROOT = (pathlib.Path(argument) for argument in sys.argv[1:4])
DEVICE = VirtualDevice(PROGRAMS, LIBRARIES)
SCALED = ROOT / "tests/gpu/scaled_products.graph.json"
SMALL = ROOT / "resources/samples/llama3_debugmodel_fsdp8.prebucket.graph.json.gz"
TWO_GROUPS = ROOT / "tests/data/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz"
EXPERTS = ROOT / "tests/data/graphs/deepseek_v3_debugmodel_fsdp8_ep4.prebucket.graph.json.gz"
# Before the passes that decide what is kept.
OFFLOADING = ROOT / "tests/data/graphs/llama3_debugmodel_fsdp8.graph.json.gz"
CAUSAL = "12 flex attentions are taken as causal: the graph does not tell their masks"


def several(work, items):
    """On both cores of a small machine."""
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        return list(threads.map(work, items))


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_on(self, graph, *arguments, **options):
        run = DEVICE.run(graph, *arguments, **options)
        self.addCleanup(shutil.rmtree, run.folder, ignore_errors=True)
        return run

    def applied(self, graph, preset="torchtitan_default", memory=None):
        path = self.folder / f"{memory or preset}.graph.json"
        section = ["--memory", memory] if memory else []
        DEVICE.overlap("apply", graph, "--preset", preset, *section, "-o", path, "--quiet")
        return path

    def expect_sentences(self, graph, sentences, *arguments, ranks=1):
        def fail(function):
            run = DEVICE.run(graph, *arguments, "--rank-timeout", "5", ranks=ranks, settings=[f"fail={function},1"])
            try:
                return function, run.status, run.errors, run.findings()
            finally:
                shutil.rmtree(run.folder, ignore_errors=True)

        for function, status, errors, findings in several(fail, sentences):
            with self.subTest(function=function):
                self.assertEqual(status, 1, errors)
                if function != "cudaDeviceSynchronize":  # without it memory is given back that is in use
                    self.assertEqual(findings, [])
                self.assertRegex(errors, f"overlap-runner: (rank \\d+ on \\S+: )?{sentences[function]}\n")

    def simulated_ms(self, graph, scope):
        """What the simulator gives each node of a job that compiles so much."""
        trace = self.folder / "simulated.json"
        DEVICE.overlap("simulate", graph, "--compiled", scope, "--trace", trace)
        events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
        return {event["name"]: event["dur"] / 1000 for event in events if event["ph"] == "X"}

    def expect_measured_by_stream_model(self, document, result):
        """With each kernel's time in the place of its launch, the stream model says what the device has measured."""
        nodes = {node["name"]: node for node in document["nodes"]}
        for node in nodes.values():
            node["estimate_ms"] = 0
        for measured in result["nodes"]:
            nodes[measured.get("kernel", measured["name"])]["estimate_ms"] += measured["median_ms"]
        timed = self.folder / "timed.graph.json"
        timed.write_text(json.dumps(document), encoding="utf-8")
        simulated = json.loads(DEVICE.overlap("simulate", timed, "--json"))
        for key, measured in (("step_ms", result["step_ms"]["median"]),
                              ("exposed_ms", result["recorded"]["exposed_ms"])):
            self.assertLess(abs(simulated[key] / measured - 1), 1e-6, key)

    def expect_clean(self, run, least=1000):
        """Nothing that the device has to say, and each read from where the graph says."""
        self.assertEqual(run.status, 0, run.errors)
        self.assertEqual(run.findings(), [])
        wrong, checked = run.flow()
        self.assertEqual(wrong, [])
        self.assertGreater(checked, least)
