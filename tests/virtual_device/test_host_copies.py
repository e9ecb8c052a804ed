"""Plans that keep activations on the host, on the virtual device.

    test_host_copies.py PROGRAMS LIBRARIES ROOT [unittest argument...]
"""
import json
import sys
import unittest

from virtual_case import Case, DEVICE, OFFLOADING, ROOT

SENTENCES = {
    "cudaHostAlloc": "CUDA: allocating memory of the host: out of memory",
    "cudaMemcpyAsync": "CUDA: copying to the host: invalid argument",
}


class HostCopies(Case):
    def setUp(self):
        super().setUp()
        self.graph = self.applied(OFFLOADING, memory="sac_and_offload")

    def copies_of(self, result):
        return [node for node in result["nodes"] if node["kind"] in ("copy_to_host", "copy_from_host")]

    def test_what_is_copied_is_what_comes_back(self):
        for arguments in ((), ("--cuda-graph",), ("--compiled", "whole")):
            with self.subTest(arguments=arguments):
                run = self.run_on(self.graph, *arguments, log=True)
                self.expect_clean(run, 500)
                result = run.result
                copies = self.copies_of(result)
                self.assertEqual(len(copies), result["commands"]["transfer"])
                kinds = [copy["kind"] for copy in copies]
                self.assertGreater(kinds.count("copy_to_host"), 10)
                self.assertEqual(kinds.count("copy_to_host"), kinds.count("copy_from_host"))
                self.assertIn(f"{len(copies)} copies between device and host, ", run.output)
                self.assertEqual(result["memory"]["host_bytes"],
                                 sum(copy["bytes"] for copy in copies if copy["kind"] == "copy_to_host"))
                self.assertEqual(result["recorded"]["activities_without_node"], 0)

    def test_device_memory_is_given_up_for_it(self):
        pool_bytes = {}
        for memory in ("default", "sac_and_offload"):
            result = self.run_on(self.applied(OFFLOADING, memory=memory)).result
            pool_bytes[memory] = result["memory"]["pool_bytes"]
        self.assertLess(pool_bytes["sac_and_offload"], 0.9 * pool_bytes["default"])

    def test_times_are_those_of_the_simulator(self):
        result = self.run_on(self.graph).result
        simulated = json.loads(DEVICE.overlap("simulate", self.graph, "--compiled", "eager", "--json"))
        by_name = {copy["name"]: copy for copy in simulated["transfers"]}
        for copy in self.copies_of(result):
            told = by_name[copy["name"]]
            self.assertAlmostEqual(copy["median_ms"], told["end_ms"] - told["start_ms"], 5)
            self.assertEqual(copy["bytes"], told["bytes"])
        self.assertLess(abs(simulated["step_ms"] / result["step_ms"]["median"] - 1), 0.001)
        exposed = result["recorded"]["transfer_exposed_ms"]
        self.assertGreater(exposed, 0)
        self.assertLess(abs(simulated["transfer_exposed_ms"] / exposed - 1), 0.01)
        self.assertAlmostEqual(sum(copy["exposed_ms"] for copy in self.copies_of(result)), exposed, 5)

    def test_a_calibration_finds_the_rate_of_the_link_to_the_host(self):
        run = self.run_on(self.graph, settings=["host_scale=2"])
        fitted = self.folder / "fitted.cost.json"
        calibration = json.loads(DEVICE.overlap("calibrate", self.graph, run.folder / "run.json", "--json", "-o", fitted))
        link = next(row for row in calibration["rows"] if row["kind"] == "link")
        self.assertAlmostEqual(link["relative_error_before"]["median"], 0.5, 3)
        self.assertLess(link["relative_error_after"]["median"], 0.001)
        rate = json.loads(fitted.read_text(encoding="utf-8"))["device"]["host_link_bytes_per_s"]
        self.assertAlmostEqual(rate / (64e9 * 0.85 / 2), 1, 3)
        predicted = json.loads(DEVICE.overlap("simulate", self.graph, "--compiled", "eager", "--cost-model", fitted, "--json"))
        self.assertLess(abs(predicted["step_ms"] / run.result["step_ms"]["median"] - 1), 0.01)

    def test_every_call_that_fails_is_a_sentence(self):
        self.expect_sentences(self.graph, SENTENCES)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
