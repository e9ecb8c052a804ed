"""Kernels that a compiler fuses, and products of 8-bit floats, on the virtual device.

    test_compiled_jobs.py PROGRAMS LIBRARIES ROOT [unittest argument...]
"""
import json
import shutil
import sys
import unittest

import data_flow
from virtual_case import Case, DEVICE, EXPERTS, ROOT, SCALED, SMALL, TWO_GROUPS, several


class CompiledJobs(Case):
    """Kernels that a compiler fuses as one launch each."""

    def test_whole_plans_read_what_they_should(self):
        def try_graph(case):
            graph, scope = case
            run = DEVICE.run(graph, "--compiled", scope, log=True)
            try:
                result = run.result if run.status == 0 else run.errors
                return graph.name, scope, run.status, run.findings(), run.flow(), result
            finally:
                shutil.rmtree(run.folder, ignore_errors=True)

        graphs = [SMALL, self.applied(SMALL), self.applied(EXPERTS), *(ROOT / "tests/data/graphs").glob("*debugmodel*.gz")]
        for name, scope, status, findings, (wrong, checked), result in several(
                try_graph, [(graph, scope) for graph in graphs for scope in ("blocks", "whole")]):
            with self.subTest(graph=name, scope=scope):
                self.assertEqual((status, findings, wrong), (0, [], []), result)
                self.assertGreater(checked, 100)
                self.assertEqual(result["compiled"], scope)
                self.assertEqual(result["recorded"]["activities_without_node"], 0)
                work = result["work"]
                self.assertGreater(work["fused_nodes"], work["fused_kernels"])

    def test_results_and_traces_name_kernels_and_what_they_compute(self):
        trace = self.folder / "trace.json"
        eager, run = self.run_on(SMALL), self.run_on(SMALL, "--compiled", "whole", "--trace", str(trace))
        result = run.result
        self.assertLess(result["commands"]["compute"], 0.8 * eager.result["commands"]["compute"])
        self.assertLess(result["memory"]["pool_bytes"], eager.result["memory"]["pool_bytes"])
        self.assertLess(result["step_ms"]["median"], eager.result["step_ms"]["median"])
        kernels = {}
        for node in result["nodes"]:
            if "kernel" in node:
                kernels.setdefault(node["kernel"], {})[node["name"]] = node["median_ms"]
        work = result["work"]
        self.assertEqual(len(kernels), work["fused_kernels"])
        self.assertEqual(sum(map(len, kernels.values())), work["fused_nodes"])
        self.assertIn(f"compiled: the whole graph; {work['fused_kernels']} kernels of several nodes, "
                      f"{work['fused_nodes']} in all; {work['inlined_nodes']} nodes without a kernel", run.output)
        events = {event["name"]: event for event in json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
                  if event["ph"] == "X"}
        for launched, members in kernels.items():
            if sum(members.values()) == 0:
                continue  # of a few bytes
            self.assertEqual(set(events[launched]["args"]["nodes"]), set(members))
            self.assertAlmostEqual(events[launched]["dur"] / 1000, sum(members.values()), 5)

    def test_times_are_those_of_the_simulator(self):
        for graph, scope in ((SMALL, "blocks"), (SMALL, "whole"), (TWO_GROUPS, "whole"), (EXPERTS, "whole")):
            with self.subTest(graph=graph, scope=scope):
                document = data_flow.read_graph(graph)
                result = self.run_on(graph, "--compiled", scope, ranks=8 if graph == TWO_GROUPS else 1).result
                predicted = json.loads(DEVICE.overlap("simulate", graph, "--compiled", scope, "--json"))
                simulated_ms = self.simulated_ms(graph, scope)
                same = 0
                for node in result["nodes"]:
                    same += abs(node["median_ms"] - simulated_ms.get(node["name"], 0)) < 5e-6
                # Of kernels that cannot be launched in the order of the graph the simulator makes larger ones.
                self.assertGreater(same, 0.85 * len(result["nodes"]))
                self.assertLess(abs(predicted["step_ms"] / result["step_ms"]["median"] - 1), 0.03)
                self.expect_measured_by_stream_model(document, result)

    def test_captured_and_on_several_ranks(self):
        launched = self.run_on(SMALL, "--compiled", "whole").result["step_ms"]["median"]
        captured = self.run_on(SMALL, "--compiled", "whole", "--cuda-graph", log=True)
        self.expect_clean(captured)
        self.assertEqual(captured.result["step_ms"]["median"], launched)
        self.expect_clean(self.run_on(TWO_GROUPS, "--compiled", "whole", ranks=4, log=True))

    def test_a_trace_gives_no_operator_the_time_of_a_kernel_of_several(self):
        trace, timed = self.folder / "trace.json", self.folder / "timed.graph.json"
        result = self.run_on(SMALL, "--compiled", "whole", "--trace", str(trace), settings=["compute_scale=1.25"]).result
        DEVICE.overlap("estimate", SMALL, "--profile", trace, "-o", timed)
        before = {node["name"]: node.get("estimate_ms", 0) for node in data_flow.read_graph(SMALL)["nodes"]}
        after = {node["name"]: node.get("estimate_ms", 0) for node in data_flow.read_graph(timed)["nodes"]}
        products = 0
        for node in result["nodes"]:
            if node["kind"] == "matrix_multiply" and "kernel" not in node:
                self.assertAlmostEqual(after[node["name"]], node["median_ms"], 5)
                products += 1
            elif node["kind"] == "memory" and "kernel" in node:
                kernel = sum(other["median_ms"] for other in result["nodes"] if other.get("kernel") == node["kernel"])
                self.assertFalse(kernel > 0.001 and abs(after[node["name"]] - kernel) < 1e-6 * kernel)
        self.assertGreater(products, 100)
        self.assertNotEqual(before, after)
        # A kernel of one operator may compute others where it reads them, so its time is not the operator's either.
        events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
        kernels = [event["args"]["nodes"] for event in events if "nodes" in event.get("args", {})]
        self.assertTrue(any(len(nodes) == 1 for nodes in kernels) and any(len(nodes) > 1 for nodes in kernels))

    def test_a_calibration_prices_the_kernels_that_ran(self):
        run = self.run_on(SMALL, "--compiled", "whole", settings=["compute_scale=1.25"])
        fitted = self.folder / "fitted.cost.json"
        calibration = json.loads(DEVICE.overlap("calibrate", SMALL, run.folder / "run.json", "--json", "-o", fitted))
        rows = {row["name"]: row for row in calibration["rows"]}
        for name in ("memory", "matrix_multiply"):
            self.assertGreater(rows[name]["relative_error_before"]["median"], 0.05)
            self.assertLess(rows[name]["relative_error_after"]["median"], 0.01)
        predicted = json.loads(DEVICE.overlap("simulate", SMALL, "--compiled", "whole", "--cost-model", fitted, "--json"))
        self.assertLess(abs(predicted["step_ms"] / run.result["step_ms"]["median"] - 1), 0.03)


class ScaledProducts(Case):
    """Products of 8-bit floats."""

    def test_they_run_with_their_scales(self):
        for arguments in ((), ("--cuda-graph",), ("--compiled", "whole")):
            with self.subTest(arguments=arguments):
                run = self.run_on(SCALED, *arguments, log=True)
                self.expect_clean(run, 50)
                self.assertEqual(run.result["notes"], [])
                self.assertEqual((run.result["work"]["scaled_products"], run.result["work"]["stand_in_products"]), (3, 0))

    def test_times_are_those_of_the_simulator(self):
        result = self.run_on(SCALED).result
        predicted = json.loads(DEVICE.overlap("simulate", SCALED, "--compiled", "eager", "--json"))
        self.assertLess(abs(predicted["step_ms"] / result["step_ms"]["median"] - 1), 1e-6)

    def test_what_the_device_does_not_have_is_run_otherwise_with_a_note(self):
        for setting, missing, reason in (
                ("capability=80", 3, "no algorithm for 1 product of 8192x4096 by 4096x14336 float8_e4m3fn"),
                ("capability=100", 1, "no algorithm for 1 product of 8192x14336 by 14336x4096 float8_e4m3fn"),
                # cuBLASLt names an algorithm, and refuses the launch.
                ("fail=cublasLtMatmul,1", 1, "launching a product: CUBLAS_STATUS_EXECUTION_FAILED")):
            with self.subTest(setting=setting):
                run = self.run_on(SCALED, settings=[setting], log=True)
                self.expect_clean(run, 50)
                several_of = "product of 8-bit floats is" if missing == 1 else "products of 8-bit floats are"
                self.assertEqual(run.result["notes"], [f"{missing} {several_of} run as products with as many operations: "
                                                       f"{'of the first, ' if missing > 1 else ''}cuBLASLt: {reason}"])
                work = run.result["work"]
                self.assertEqual((work["scaled_products"], work["stand_in_products"]), (3 - missing, missing))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
