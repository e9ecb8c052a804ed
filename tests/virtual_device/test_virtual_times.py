"""The runner on the virtual device: its times against the simulator's, and tests/gpu/run.sh.

    test_virtual_times.py PROGRAMS LIBRARIES ROOT [unittest argument...]
"""
import json
import subprocess
import sys
import unittest

import data_flow
from virtual_case import Case, DEVICE, EXPERTS, PROGRAMS, ROOT, SMALL, TWO_GROUPS

# Of flex attention's backward pass the estimate counts five halves of the forward pass, whatever the widths.
PRICED_OTHERWISE = ("higher_order.flex_attention_backward", "aten.arange.default")


class Times(Case):
    def test_nodes_and_steps_are_those_of_the_simulator(self):
        for graph in (SMALL, TWO_GROUPS, EXPERTS):
            with self.subTest(graph=graph):
                document = data_flow.read_graph(graph)
                nodes = {node["name"]: node for node in document["nodes"]}
                result = self.run_on(graph, ranks=8 if graph == TWO_GROUPS else 1).result
                # The runner starts each operator by itself.
                simulated_ms = self.simulated_ms(graph, "eager")
                same = 0
                for measured in result["nodes"]:
                    node = nodes[measured["name"]]
                    if node["target"] not in PRICED_OTHERWISE:
                        self.assertAlmostEqual(measured["median_ms"], simulated_ms.get(node["name"], 0), 5, node["name"])
                        same += 1
                self.assertGreater(same, 0.95 * len(result["nodes"]))
                # With the times of the others, too, the stream model says what the device has measured.
                self.expect_measured_by_stream_model(document, result)

    def test_the_trace_has_the_times_of_the_result(self):
        trace = self.folder / "trace.json"
        result = self.run_on(SMALL, "--trace", str(trace)).result
        events = {event["name"]: event for event in json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
                  if event["ph"] == "X"}
        found = 0
        for node in result["nodes"]:
            if node["name"] in events:
                self.assertAlmostEqual(events[node["name"]]["dur"] / 1000, node["median_ms"], 5)
                found += 1
        self.assertGreater(found, 700)

    def test_exposed_times_of_collectives_make_up_that_of_the_step(self):
        result = self.run_on(SMALL).result
        exposed = [node["exposed_ms"] for node in result["nodes"] if "process_group" in node]
        self.assertEqual(len(exposed), result["commands"]["collective"])
        self.assertAlmostEqual(sum(exposed), result["recorded"]["exposed_ms"], 6)

    def test_all_ranks_are_in_the_result_and_open_as_one_measurement(self):
        trace = self.folder / "trace.json"
        run = self.run_on(TWO_GROUPS, "--trace", str(trace), ranks=2, settings=["compute_scale=1.5@1"])
        result = run.result
        self.assertLess(result["ranks"][1]["exposed_ms"], result["ranks"][0]["exposed_ms"])
        product = next(node for node in result["nodes"] if node["kind"] == "matrix_multiply")
        self.assertAlmostEqual(product["ranks_ms"][1] / product["ranks_ms"][0], 1.5, 2)
        told = DEVICE.overlap("trace-stats", trace, self.folder / "trace.rank1.json")
        # Those of the group that both ranks ran; each ran the other group by itself.
        real = sum(group["collectives"] for group in result["groups"] if group["runs"] == "nccl")
        self.assertIn(f"clocks, by {real} collectives that several files have\n", told)

    def test_a_trace_gives_other_plans_their_times(self):
        trace = self.folder / "trace.json"
        result = self.run_on(SMALL, "--trace", str(trace), settings=["compute_scale=1.25", "link_scale=1.5"]).result
        timed = self.folder / "timed.graph.json"
        DEVICE.overlap("estimate", SMALL, "--profile", trace, "-o", timed)
        times = {node["name"]: node.get("estimate_ms", 0) for node in data_flow.read_graph(timed)["nodes"]}
        same = [node for node in result["nodes"] if abs(times[node["name"]] - node["median_ms"]) < 2e-6]
        self.assertGreater(len(same), 0.97 * len(result["nodes"]))

    def test_a_calibration_finds_the_devices_rates(self):
        run = self.run_on(SMALL, settings=["compute_scale=1.25", "link_scale=1.5"])
        calibration = json.loads(DEVICE.overlap("calibrate", SMALL, run.folder / "run.json", "--json", "-o",
                                                self.folder / "fitted.cost.json"))
        fitted = {row["name"]: row for row in calibration["rows"]}
        for name in ("memory", "matrix_multiply", "attention"):
            self.assertGreater(fitted[name]["relative_error_before"]["median"], 0.05)
            self.assertLess(fitted[name]["relative_error_after"]["median"], 0.01)

    def test_the_script_for_devices_as_a_whole(self):
        figures = self.folder / "figures.json"
        done = subprocess.run(
            ["bash", str(ROOT / "tests/gpu/run.sh"), "--programs", str(PROGRAMS), "--folder", str(self.folder / "work"),
             "-o", str(figures), "--iterations", "4"], capture_output=True, text=True, timeout=300, check=False,
            env=DEVICE.environment(self.folder, ["devices=2"]))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        told = json.loads(figures.read_text(encoding="utf-8"))
        self.assertTrue(told["within_bounds"])
        self.assertEqual(told["stages"], ["plans", "judged", "compiled_job", "cuda_graph", "scaled_products",
                                          "experts", "memory", "compute_sanitizer", "several_ranks"])
        compiled = told["compiled_job"]
        self.assertEqual([compiled["compiled"], compiled["reasons"]], ["whole", []])
        self.assertGreater(compiled["plans"]["baseline"]["work"]["fused_kernels"], 100)
        memory = told["memory"]["plans"]
        self.assertGreater(memory["sac_and_offload"]["measured"]["host_bytes"], 10 << 30)
        self.assertAlmostEqual(memory["sac_and_offload"]["measured"]["host_link_bytes_per_s"] / 54.4e9, 1, 3)
        self.assertLess(abs(memory["sac_and_offload"]["step_error"]), 0.01)
        self.assertEqual(memory["full"]["measured"]["host_bytes"], 0)
        self.assertEqual(told["scaled_products"]["work"]["scaled_products"], 3)
        self.assertEqual(len(told["several_ranks"]["ranks"]), 2)
        self.assertEqual(list(self.folder.glob("report-*")), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
