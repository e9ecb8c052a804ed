#!/usr/bin/env python3
"""Commands that read traces, as a user meets them: figures of a trace, plans beside what was measured."""
import gzip
import json
import re

from command_line import CommandLine, bucketing, data, main
from compare_graphs import read_document


class TraceStats(CommandLine):
    def trace(self, name):
        return data("traces", name + ".json.gz")

    def ranks(self, *files):
        return self.json("trace-stats", "--json", *files)["ranks"]

    def test_figures_per_rank_and_step(self):
        (rank,) = self.ranks(self.trace("hta_nccl_data"))
        self.assertEqual((rank["rank"], rank["world_size"], rank["device"], rank["events"]), (0, 2, "0", 40573))
        for figures in (rank, *rank["steps"]):
            self.assertAlmostEqual(
                figures["overlap_percent"], 100 * (1 - figures["exposed_ms"] / figures["communication_ms"]), places=9
            )
            self.assertGreater(figures["compute_ms"], 0)
            self.assertGreater(figures["idle_ms"], 0)
            self.assertEqual(figures["unmatched_events"], 0)
        self.assertEqual([step["name"] for step in rank["steps"]], ["ProfilerStep#4", "ProfilerStep#5", "ProfilerStep#6"])
        self.assertEqual([step["counted"] for step in rank["steps"]], [True, True, False])
        (gathered,) = [entry for entry in rank["collectives"] if entry["kind"] == "all_reduce"]
        self.assertEqual((gathered["description"], gathered["size"], gathered["count"]), ("default_pg", 2, 15))

    def test_figures_of_holistic_trace_analysis(self):
        with open(data("traces", "holistic_trace_analysis.json")) as file:
            goldens = json.load(file)["traces"]
        for name, golden in goldens.items():
            with self.subTest(trace=name):
                (rank,) = self.ranks(data("traces", name))
                figures, temporal = rank["holistic_trace_analysis"], golden["temporal"][0]
                for ours, theirs in (("compute_us", "compute_time(us)"), ("non_compute_us", "non_compute_time(us)"),
                                     ("idle_us", "idle_time(us)"), ("kernel_us", "kernel_time(us)")):
                    self.assertEqual(figures[ours], temporal[theirs])
                self.assertEqual(round(figures["overlap_percent"], 2), golden["overlap"][0]["comp_comm_overlap_pctg"])

    def test_a_trace_without_gpu_events_has_zeros(self):
        (rank,) = self.ranks(self.trace("hta_no_distributed_info"))
        self.assertEqual((rank["rank"], rank["compute_ms"], rank["overlap_percent"], rank["steps"]), (None, 0, None, []))
        self.assertIsNone(rank["holistic_trace_analysis"])
        text = self.expect(0, "trace-stats", self.trace("hta_no_distributed_info")).stdout
        self.assertIn("no GPU events, so there is nothing to measure; was the profiler told to record CUDA?\n", text)
        # No profiler has recorded a simulated job.
        job = self.path("x.job.json", {"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 2}}],
                                       "schedule": {"name": "GPipe", "microbatches": 2}})
        trace = self.path("job.json")
        self.expect(0, "job", "simulate", job, "--trace", trace)
        self.assertIn("no GPU events, so there is nothing to measure\n", self.expect(0, "trace-stats", trace).stdout)

    def test_table(self):
        text = self.expect(0, "trace-stats", self.trace("hta_nccl_data")).stdout
        for words in ("rank 0, GPU 0", "14.76 %", "* ProfilerStep#6",
                      "\n  caution: 3 calls that launched work without an event of it on the GPU: "):
            self.assertIn(words, text)

    def test_ranks_are_aligned_on_their_collectives(self):
        with gzip.open(self.trace("hta_nccl_data")) as file:
            other = json.load(file)
        other["distributedInfo"]["rank"] = 1
        other["baseTimeNanoseconds"] -= 2_000_000
        document = self.json("trace-stats", "--json", self.trace("hta_nccl_data"), self.path("rank1.json", other))
        self.assertEqual([rank["rank"] for rank in document["ranks"]], [0, 1])
        first, second = document["alignment"]["ranks"]
        self.assertEqual((first["clock_offset_ms"], second["clock_offset_ms"], second["spread_ms"]), (0, 2, 0))
        self.assertEqual((second["matched"], second["unmatched"]), (21, 0))
        self.assertEqual(len(document["alignment"]["collectives"]), 21)
        text = self.expect(0, "trace-stats", self.trace("hta_nccl_data"), self.path("rank1.json", other)).stdout
        self.assertIn("clocks, by 21 collectives", text)

    def test_bad_traces(self):
        with open(self.trace("hta_no_distributed_info"), "rb") as file:
            packed = file.read()
        plain = gzip.decompress(packed)
        files = {
            "truncated.json.gz": (packed[: len(packed) // 2], "truncated"),
            "truncated.json": (plain[: len(plain) // 2], "traceEvents["),
            "empty.json": (b"", "empty"),
            "graph.json": ({"format": "overlap-graph", "version": 1, "nodes": []}, "traceEvents"),
            "time.json": ({"traceEvents": [{"ph": "X", "ts": "now", "name": "a"}]}, "microseconds"),
        }
        for name, (content, word) in files.items():
            with self.subTest(file=name):
                self.expect_error(1, [name, word], "trace-stats", self.trace("hta_no_distributed_info"), self.path(name, content))
        self.expect_error(1, ["absent.json"], "trace-stats", self.path("absent.json"))
        self.expect_error(2, ["FILE"], "trace-stats")


class CompareCommand(CommandLine):
    """A plan beside another one, and beside what a job did."""

    NAMES = {"all_gather": "_allgather_base", "reduce_scatter": "_reduce_scatter_base", "all_reduce": "allreduce"}

    def plan(self, name, *entries):
        document = {"format": "overlap-plan", "version": 1, "name": name, "pipeline": bucketing(*entries)}
        return self.path(name + ".plan.json", document)

    def trace(self, name, change=lambda collectives: None, rank=None):
        """The simulated step as a profiler would write it; `change` disturbs it."""
        collectives = self.json("simulate", self.graph, "--json")["collectives"]
        change(collectives)
        ranks = str(list(range(8)))
        events = [{
            "ph": "X", "cat": "kernel", "name": "ncclDevKernel_Generic(ncclDevComm*)", "pid": 0, "tid": 20, "ts": each["start_ms"] * 1e3,
            "dur": (each["end_ms"] - each["start_ms"]) * 1e3,
            "args": {"stream": 20, "device": 0, "Collective name": self.NAMES[each["kind"]], "dtype": "Byte", "In msg nelems": each["bytes"],
                     "Out msg nelems": each["bytes"], "Group size": 8, "Process Group Name": each["process_group"], "Process Group Ranks": ranks},
        } for each in collectives]
        return self.path(name, {"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 8}, "traceEvents": events}
                         if rank is not None else {"schemaVersion": 1, "traceEvents": events})

    def test_two_plans(self):
        one_each, together = self.plan("one", "layers.0", "layers.1"), self.plan("both", ["layers.0", "layers.1"])
        document = self.json("compare", self.graph, "--plan", one_each, "--plan", together, "--json")
        before, after = document["before"], document["after"]
        self.assertEqual((before["name"], after["name"]), (one_each, together))
        self.assertEqual(document["changes"]["merged"], before["collectives"] - after["collectives"])
        self.assertEqual(sum(document["changes"].values()), len(document["rows"]))
        self.assertEqual({row["remark"] for row in document["rows"] if row["change"] == "merged"},
                         {"merged into " + row["counterpart"] for row in document["rows"] if row["change"] == "merged"})
        self.assertAlmostEqual(sum(row["exposed_change_ms"] for row in document["rows"]), after["exposed_ms"] - before["exposed_ms"], places=6)
        self.assertNotIn("measurement", document)
        for side, plan in ((before, one_each), (after, together)):
            simulated = self.json("simulate", self.graph, "--pipeline", plan, "--json")
            for peak in ("torch_peak_memory_bytes", "peak_memory_bytes"):
                self.assertEqual(side[peak], simulated[peak])
        text = self.expect(0, "compare", self.graph, "--plan", one_each, "--plan", together, "--rows", "2").stdout
        self.assertRegex(text, r"all_gather_into_tensor_out: 1 collective instead of 2, \S+ .s instead of")
        self.assertIn("with smaller effects", text)
        self.assertLess(text.index("peak memory  "), text.index("peak memory as PyTorch estimates it"))

    def test_one_plan_is_compared_with_the_graph(self):
        document = self.json("compare", self.graph, "--plan", self.plan("one", "layers.0"), "--json")
        self.assertEqual(document["before"]["name"], "llama3_debugmodel_fsdp8.prebucket")
        self.assertGreater(document["changes"]["merged"], 10)
        self.assertEqual(document["changes"]["vanished"], 0)

    def test_measured_step(self):
        def change(collectives):
            collectives[7]["end_ms"] += 2
            for later in collectives[8:]:
                later["start_ms"] += 2
                later["end_ms"] += 2
            del collectives[30]
            collectives.append({**collectives[-1], "bytes": 77})
        document = self.json("compare", self.graph, "--trace", self.trace("job.json", change), "--json")
        measurement = document["measurement"]
        self.assertEqual((measurement["only_planned"], measurement["only_measured"], measurement["step"]), (1, 1, None))
        self.assertEqual(measurement["groups"], [{"planned": "0", "measured": "0", "matched_by": "ranks", "collectives": measurement["matched"]}])
        self.assertEqual(measurement["matched"] + 1, document["before"]["collectives"])
        self.assertEqual([row["cause"] for row in document["rows"] if row.get("cause", "none") != "none"], ["longer_kernel"])
        first = document["rows"][0]
        self.assertEqual((first["change"], first["cause"]), ("changed", "longer_kernel"))
        self.assertAlmostEqual(first["time_change_ms"], 2, places=3)
        self.assertEqual((document["changes"]["appeared"], document["changes"]["vanished"]), (1, 1))
        self.assertGreater(document["prediction_error"]["model"]["mean_absolute_ms"], 0.01)
        text = self.expect(0, "compare", self.graph, "--trace", self.path("job.json")).stdout
        self.assertIn("1 only planned, 1 only measured", text)
        self.assertIn("slower than the plan's cost model says", text)

    def test_a_trace_of_another_job_is_refused(self):
        """A few kernels of another job fit in kind; what is said about them would be chance."""
        trace = data("traces", "hta_sampled_rank0.json.gz")
        for arguments in ((), ("--json",), ("-q", "--plan", self.plan("one", "layers.0"))):
            with self.subTest(arguments=arguments):
                self.expect_error(1, ["hta_sampled_rank0.json.gz", "planned collectives are in the trace", "another job"],
                                  "compare", self.graph, "--trace", trace, *arguments)

    def test_a_trace_of_a_part_is_doubted_at_the_top(self):
        def change(collectives):
            del collectives[100:]
        trace = self.trace("part.json", change)
        text = self.expect(0, "compare", self.graph, "--trace", trace).stdout
        self.assertRegex(text.splitlines()[0], r"^caution: this looks like another job.*100 of 140.*71\.4 %")
        measurement = self.json("compare", self.graph, "--trace", trace, "--json")["measurement"]
        self.assertAlmostEqual(measurement["share_of_planned"], 100 / 140)
        self.assertEqual(measurement["share_of_measured"], 1)
        self.assertIn("another job", measurement["doubt"])
        whole = self.json("compare", self.graph, "--trace", self.trace("whole.json"), "--json")["measurement"]
        self.assertEqual((whole["share_of_planned"], whole["doubt"]), (1, None))

    def test_a_list_of_passes_is_compared_as_a_plan_is(self):
        entries = (["layers.0", "layers.1"],)
        passes = self.path("passes.json", bucketing(*entries))
        by_plan, by_list = (self.json("compare", self.graph, "--plan", each, "--json")
                            for each in (self.plan("both", *entries), passes))
        self.assertEqual(by_list["rows"], by_plan["rows"])
        self.assertEqual(by_list["after"]["step_ms"], by_plan["after"]["step_ms"])

    def test_a_simulated_trace_is_never_taken_as_measured(self):
        trace = self.path("simulated.json")
        self.expect(0, "simulate", self.graph, "--trace", trace)
        text = self.expect(0, "compare", self.graph, "--trace", trace).stdout
        self.assertEqual(text.splitlines()[0], "caution: nothing was measured: the trace is a simulated step")
        self.assertRegex(self.expect(0, "trace-stats", trace).stdout.splitlines()[0], "events, simulated and not measured$")
        self.assertTrue(self.json("trace-stats", trace, "--json")["ranks"][0]["simulated"])
        self.assertFalse(self.json("trace-stats", self.trace("job.json"), "--json")["ranks"][0]["simulated"])
        said = self.expect(0, "calibrate", self.graph, trace, "--cost-model", "h100-sxm", "-o", self.path("m.cost.json")).stderr
        self.assertIn("simulated.json was simulated and not measured, so the model is fitted to a prediction", said)
        caution = f"overlap: {trace}: caution: nothing was measured: the trace is a simulated step"
        estimated = self.expect(0, "estimate", self.graph, "--profile", trace).stderr.splitlines()
        self.assertEqual(estimated[0], caution)
        measured = self.trace("job.json")
        said = self.expect(0, "compare", self.graph, "--trace", measured, "--profile", trace).stderr.splitlines()
        self.assertIn(caution, said)
        for arguments in (("estimate", self.graph, "--profile", measured), ("compare", self.graph, "--trace", trace)):
            self.assertNotIn("nothing was measured", self.expect(0, *arguments).stderr)

    def test_what_is_no_profile_of_the_graph_is_told(self):
        plan = self.plan("one", "layers.0")
        self.expect_error(1, [f"{plan}: it has no traceEvents, so it is no profiler's trace"],
                          "estimate", self.graph, "--profile", plan)
        empty = self.path("empty.json", {"traceEvents": []})
        told = self.expect(0, "estimate", self.graph, "--profile", empty)
        self.assertIn("overlap: caution: the profile has no times of this graph's collectives and operators", told.stderr)
        self.assertEqual(told.stdout, self.expect(0, "estimate", self.graph).stdout)

    def test_a_graph_that_says_how_its_job_compiles_keeps_that_or_the_change_is_told(self):
        document = read_document(self.graph)
        document["cost_model"]["compiled"] = "blocks"
        compiled, timed = self.path("compiled.graph.json", document), self.path("timed.graph.json.gz")
        step_ms = self.json("simulate", compiled, "--json")["step_ms"]
        # A profile that knows nothing of the graph changes nothing.
        self.expect(0, "estimate", compiled, "--profile", self.path("empty.json", {"traceEvents": []}), "-o", timed)
        self.assertEqual(self.json("simulate", timed, "--json")["step_ms"], step_ms)
        said = self.expect(0, "estimate", compiled, "-o", timed).stderr
        traced_ms = self.json("simulate", timed, "--json")["step_ms"]
        self.assertGreater(traced_ms, step_ms * 1.05)
        (told_ms, was_ms) = re.search(r"its step is ([\d.]+) ms and was ([\d.]+) ms", said).groups()
        self.assertAlmostEqual(float(told_ms), traced_ms, places=3)
        self.assertAlmostEqual(float(was_ms), step_ms, places=3)

    def test_ranks_of_a_job_are_one_run_to_calibrate_with(self):
        def arriving(after_ms):
            """Every ten milliseconds a collective, which its rank starts so late; nothing moves before the last does."""
            def change(collectives):
                for number, each in enumerate(collectives):
                    took_ms = each["end_ms"] - each["start_ms"]
                    each["start_ms"], each["end_ms"] = number * 10 + after_ms, number * 10 + 6 + took_ms
            return change
        early, late = (self.trace(f"rank{rank}.json", arriving(after_ms), rank) for rank, after_ms in ((0, 0), (1, 6)))
        document = self.json("calibrate", self.graph, early, late, "-o", self.path("m.cost.json"), "--json")
        (row,) = [row for row in document["rows"] if row["kind"] == "process group"]
        self.assertEqual(row["samples"], len(self.json("simulate", self.graph, "--json")["collectives"]))
        self.assertLess(row["relative_error_after"]["ninetieth_percentile"], 0.001)
        self.assertEqual([step["run"] for step in document["steps"]], [early])
        self.assertIn("the traces of 1 other rank tell how long " + early + " waited for them; nothing else of them is fitted",
                      document["notes"])
        # Without the other rank, what it waited for looks like a slow link.
        alone = self.json("calibrate", self.graph, early, "-o", self.path("m.cost.json"), "--json")
        (row,) = [row for row in alone["rows"] if row["kind"] == "process group"]
        self.assertGreater(row["relative_error_before"]["median"], 0.5)

    def test_times_of_a_profile(self):
        def change(collectives):
            for each in collectives:
                each["end_ms"] = each["start_ms"] + 0.25
        trace = self.trace("job.json", change)
        with open(trace) as file:
            document = json.load(file)
        for event in document["traceEvents"]:  # what the graph gathers and reduces is bfloat16 or float32
            event["args"]["dtype"] = "BFloat16"
            event["args"]["Out msg nelems"] //= 2
        profile, timed = self.path("profile.json", document), self.path("timed.graph.json.gz")
        done = self.expect(0, "estimate", self.graph, "--profile", profile, "-o", timed, "--json")
        self.assertRegex(done.stderr, r"the profile knows \d+ collectives and 0 other nodes of 1843 nodes")
        times = json.loads(done.stdout)
        self.assertEqual(times["all_gather_into_tensor"], 0.25)
        nodes = {node["name"]: node for node in read_document(timed)["nodes"]}
        self.assertEqual(nodes["all_gather_into_tensor"]["estimate_ms"], 0.25)
        self.assertEqual(nodes["mm"]["estimate_ms"], times["mm"])
        by_model = self.json("compare", self.graph, "--trace", trace, "--profile", profile, "--json")["prediction_error"]
        self.assertLess(by_model["profile"]["mean_absolute_ms"], by_model["model"]["mean_absolute_ms"])
        by_profile = self.json("compare", timed, "--trace", trace, "--json")["prediction_error"]
        self.assertLessEqual(by_profile["model"]["median_relative"], by_model["model"]["median_relative"])
        self.expect_error(1, ["profile.json", "traceEvents"], "estimate", self.graph, "--profile", self.path("profile.json", []))

    def test_usage_and_bad_input(self):
        plan = self.plan("one", "layers.0")
        self.expect_error(2, ["nothing to compare"], "compare", self.graph)
        self.expect_error(2, ["two plans at most"], "compare", self.graph, "--plan", plan, "--plan", plan, "--plan", plan)
        self.expect_error(2, ["--trace"], "compare", self.graph, "--plan", plan, "--step", "3")
        trace = self.trace("job.json")
        self.expect_error(1, ["job.json", "no step \"9\""], "compare", self.graph, "--trace", trace, "--step", "9")
        self.expect_error(1, ["job.json", "no GPU \"5\"; it has 0"], "compare", self.graph, "--trace", trace, "--device", "5")
        self.expect_error(1, ["missing.json"], "compare", self.graph, "--trace", self.path("missing.json"))


if __name__ == "__main__":
    main()
