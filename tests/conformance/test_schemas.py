#!/usr/bin/env python3
"""What commands print and write fits the schemas that are installed, and each schema is tested and described."""
import gzip
import json
import os
import re
import subprocess
import sys

from command_line import CommandLine, SCHEDULER, bucketing, data, graph_path, main, program

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed; fields are tested by the tests of each command all the same")
    sys.exit(0)

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SCHEMAS = os.path.join(ROOT, "resources", "schemas")
# Documents of the first table of docs/formats.md that have no schema: the session is the application's own.
WITHOUT_SCHEMA = {"session"}
# Schemas with tests of their own: tests/plan, tests/io, trace_stats_schema_test.py.
TESTED_ELSEWHERE = {"overlap-plan", "overlap-cost-model", "trace-stats"}
TESTED_HERE = {"apply", "bench", "bound", "calibrate", "compare", "estimate", "explain", "import", "info", "job-simulate", "job-schedules", "measured-times", "overlap-devices", "overlap-job", "overlap-graph",
               "overlap-report", "overlap-run", "redistribution-cases", "redistribution-results", "search", "simulate", "sweep"}


def schema_file(name):
    return os.path.join(SCHEMAS, name + ".schema.json")


def validator(name):
    with open(schema_file(name), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


class Schemas(CommandLine):
    def setUp(self):
        super().setUp()
        self.plan = self.path("x.plan.json", {"format": "overlap-plan", "version": 1, "name": "x", "buckets": ["layers.0"],
                                              "pipeline": bucketing("layers.0", "layers.99") + [{"pass": SCHEDULER}]})

    def fits(self, name, document):
        """Closed schemas must refuse a field that they do not know, or they would let anything pass."""
        check = validator(name)
        check.validate(document)
        if isinstance(document, dict) and name in {"apply", "bench", "bound", "compare", "explain", "info", "job-simulate", "job-schedules", "overlap-report", "search", "simulate", "sweep"}:
            self.assertFalse(check.is_valid({**document, "unknown": 1}), name)
            for field in document:
                if field in validator(name).schema.get("required", ()):
                    self.assertFalse(check.is_valid({key: value for key, value in document.items() if key != field}), field)

    def printed(self, name, *arguments):
        self.fits(name, self.json(*arguments, "--json"))

    def test_figures(self):
        model = data("cost_models", "everything.cost.json")
        for graph in (self.graph, graph_path("deepseek_v3_debugmodel_fsdp8_ep4.prebucket"), graph_path("llama3_8b_fsdp64_aot_fw")):
            with self.subTest(graph=graph):
                self.printed("simulate", "simulate", graph)
                self.printed("simulate", "simulate", graph, "--cost-model", model, "--contention", "--launch-us", "5")
                self.printed("simulate", "simulate", graph, "--cost-model", "h100-sxm", "--compiled", "blocks")
                self.printed("info", "info", graph)
                self.printed("estimate", "estimate", graph)
        self.printed("simulate", "simulate", graph_path("llama3_70b_fsdp256.prebucket"), "--cost-model", "h100-sxm")
        self.printed("info", "info", self.graph, "--redistributions")
        self.printed("info", "info", self.graph, "--propose-modules")
        self.printed("estimate", "estimate", "--list-cost-models")

    def test_plans(self):
        report, out = self.path("report.json"), self.path("out.graph.json.gz")
        for passes in (("--pipeline", self.plan), ("--preset", "torchtitan_default")):
            self.printed("apply", "apply", self.graph, *passes, "-o", out, "--report", report)
            with open(report, encoding="utf-8") as file:
                self.fits("overlap-report", json.load(file))
            self.printed("bench", "bench", self.graph, *passes, "--repeat", "2")
            self.printed("explain", "explain", self.graph, "--node", "all_gather_into_tensor", *passes)
        self.printed("explain", "explain", self.graph, "--node", "mm")
        self.printed("sweep", "sweep", self.graph, "--plan", self.plan, "--cost-model", "h100-sxm", "--set", SCHEDULER + ".max_coll_distance=1,9")
        self.printed("compare", "compare", self.graph, "--plan", self.plan)
        self.printed("bound", "bound", self.graph)
        self.printed("bound", "bound", self.graph, "--preset", "torchtitan_default", "--memory-limit", "1000GiB")
        self.expect(0, "search", self.graph, "--effort", "20", "-o", self.path("found.plan.json"), "--report", report)
        with open(report, encoding="utf-8") as file:
            self.fits("search", json.load(file))
        with gzip.open(out) as file:
            self.fits("overlap-graph", json.load(file))

    def test_measurements(self):
        trace = self.path("trace.json")
        self.expect(0, "simulate", self.graph, "--trace", trace)
        self.printed("compare", "compare", self.graph, "--trace", trace)
        document = self.json("calibrate", self.graph, trace, "-o", self.path("fitted.cost.json"), "--json")
        self.fits("calibrate", document)

    def test_graphs(self):
        for name in ("llama3_debugmodel_fsdp8.prebucket", "llama3_8b_fw_64_2d", "deepseek_v3_debugmodel_fsdp8_ep4.prebucket"):
            with self.subTest(graph=name), gzip.open(graph_path(name)) as file:
                self.fits("overlap-graph", json.load(file))
        with open(data("graphs", "everything.graph.json"), encoding="utf-8") as file:
            document = json.load(file)
        self.fits("overlap-graph", document)
        for change in ({"version": 2}, {"nodes": [{"name": ""}]}, {"rank": -1}, {"cost_model": {}}):
            self.assertFalse(validator("overlap-graph").is_valid({**document, **change}), change)

    def test_imports(self):
        self.printed("import", "import", "--list", *(data("structured_logs", f"schedule_rank_{rank}.log") for rank in range(3)))
        self.printed("import", "import", data("fx_text", "step.readable.py"), "-o", self.path("o.graph.json"))

    def test_the_runner(self):
        if not os.path.exists(program("overlap-runner")):
            self.skipTest("overlap-runner is not built")
        result = self.path("run.json")
        command = [program("overlap-runner"), "--dry-run", self.graph, "-o", result]
        subprocess.run(command, capture_output=True, timeout=120, check=True)
        with open(result, encoding="utf-8") as file:
            self.fits("overlap-run", json.load(file))
        devices = subprocess.run([program("overlap-runner"), "--devices"], capture_output=True, timeout=120, check=True)
        self.fits("overlap-devices", json.loads(devices.stdout))

    def test_jobs(self):
        stages = {"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 2}}],
                  "schedule": {"name": "GPipe", "microbatches": 2}}
        programs = {"format": "overlap-job", "version": 1, "groups": {"g": [0]},
                    "programs": [{"rank": 0, "ops": [{"id": "x", "kind": "collective", "group": "g"}]}]}
        for job in (stages, programs):
            validator("overlap-job").validate(job)
            path = self.path("x.job.json", job)
            self.printed("job-simulate", "job", "simulate", path)
            self.printed("job-simulate", "job", "check", path)
        for wrong in ({**stages, "programs": []}, {**stages, "stages": [{}]}, {**stages, "schedule": {"name": "GPipe"}}):
            self.assertFalse(validator("overlap-job").is_valid(wrong), wrong)

    def test_results_of_jobs(self):
        job = {"format": "overlap-job", "version": 1, "replicas": 2, "transfer": {"activations_ms": 0.25},
               "stages": [{"ms": {"F": 1, "I": 1, "W": 1}, "gradient_sync_ms": 1}, {"ms": {"F": 2, "I": 1, "W": 1}}] * 2,
               "schedule": {"name": "GPipe", "microbatches": 2},
               "variation": {"samples": 3, "compute": {"sigma": 0.1}, "slow": [{"replica": 1, "factor": 1.5}, {"rank": 0, "factor": 1.1}]}}
        path = self.path("stages.job.json", job)
        self.printed("job-simulate", "job", "simulate", path, "--what-if")
        found = self.json("job", "simulate", path, "--json", "--what-if")
        for row in ("ranks", "critical_path", "what_if"):
            self.assertTrue(found[row])
            self.assertFalse(validator("job-simulate").is_valid({**found, row: [{**found[row][0], "unknown": 1}]}), row)
        self.printed("job-schedules", "job", "schedules", path)
        rows = self.json("job", "schedules", path, "--json")["schedules"]
        self.assertIn(None, [row["step_ms"] for row in rows])  # DualPipeV wants more microbatches
        for row in (rows[0], next(row for row in rows if row["step_ms"] is None)):
            self.assertFalse(validator("job-schedules").is_valid({"schedules": [{**row, "refusal": "x", "ranks": 4}], "notes": []}), row)

    def test_jobs_that_cannot_run(self):
        def meets(group, **fields):
            return {"id": group, "kind": "collective", "group": group, "op": "all_reduce", **fields}

        def receives(peer):
            return {"id": "x", "kind": "recv", "peer": peer}
        for kind, ranks in (("deadlock", ([meets("a"), meets("b")], [meets("b"), meets("a")])),
                            ("deadlock", ([receives(1)], [])),
                            ("mismatch", ([meets("a", bytes=4)], [meets("a", bytes=8)])),
                            ("mismatch", ([receives(1) | {"bytes": 4}],
                                          [{"id": "y", "kind": "send", "peer": 0, "bytes": 8}]))):
            job = {"format": "overlap-job", "version": 1, "groups": {"a": [0, 1], "b": [0, 1]},
                   "programs": [{"rank": rank, "ops": ops} for rank, ops in enumerate(ranks)]}
            found = json.loads(self.expect(1, "job", "check", self.path("x.job.json", job), "--json").stdout)
            self.assertEqual([problem["kind"] for problem in found["problems"]], [kind])
            self.fits("job-simulate", found)

    def test_redistribution(self):
        header = {"mesh_shape": [2, 2, 2], "mesh_dim_names": ["pp", "dp", "tp"], "devices_per_host": 8,
                  "tensor_shape": [64, 48], "dtype": "float32"}
        orders = {"placements": ["S(0)", "S(0)", "R"], "shard_order": [[0, [1, 0]]]}
        cases = [{"id": "path", "src": "S(0)S(0)S(0)", "dst": "S(0)[1,2]R[0]"}, {"id": "order", "src": orders, "dst": "RRR"},
                 {"id": "merged", "src": "S(0)S(0)R", "dst": "RRR"},
                 {"id": "strided", "src": "_S(0, 2)RR", "dst": "RR_S(0, 3)"},
                 {"id": "encoded", "src": "_S(0, 2)S(0)R", "dst": "RRR", "use_strided_shard_as_shard_order": True},
                 {"id": "sums", "src": "PPR", "dst": "S(0)RR"}, {"id": "held", "state": "S(0)RS(1)"},
                 {"id": "ranges", "state": "RR_S(0, 3)"}, {"shard_order": [[0, [1, 0]]]}, {"strided": ["_S(0, 2)", "S(0)", "R"]},
                 {"id": "nccl", "collective": "all_gather", "config": "h100", "mesh_dim": 0, "bytes": [1024, [4096, 1.5]]}]
        document = {"header": header, "cases": cases}
        table = {"series": [{"collective": "all_gather", "mesh_dims": ["dp", 0], "points": [[1024, 1], [4096, 2.5]]}]}
        self.fits("redistribution-cases", document)
        self.fits("measured-times", table)
        results = self.path("results.json")
        for costs in ((), ("--costs", self.path("table.json", table))):
            self.expect(0, "redistribute", self.path("cases.json", document), "-o", results, *costs)
            with open(results, encoding="utf-8") as file:
                found = json.load(file)
            self.assertEqual(len(found["cases"]), len(cases))
            self.fits("redistribution-results", found)
            self.assertFalse(validator("redistribution-results").is_valid({"cases": [{**found["cases"][0], "unknown": 1}]}))
        with gzip.open(data("redistribution_goldens", "random.json.gz")) as file:
            self.fits("redistribution-cases", json.load(file))
        # What the readers refuse.
        for wrong in ({}, {"src": "RRR"}, {"state": {"placements": ["R"], "shard_ordr": []}}, {"state": {}},
                      {"state": "RRR", "mesh_shape": [0]}, {"collective": "broadcast"}):
            self.assertFalse(validator("redistribution-cases").is_valid({"cases": [wrong]}), wrong)
            self.expect(1, "redistribute", self.path("cases.json", {"header": header, "cases": [wrong]}), "-o", results)
        series = table["series"][0]
        for change in ({"collective": "broadcast"}, {"mesh_dims": []}, {"points": [[1]]}, {"unknown": 1}):
            wrong = {"series": [{**series, **change}]}
            self.assertFalse(validator("measured-times").is_valid(wrong), change)
            self.expect(1, "redistribute", self.path("cases.json", document), "-o", results, "--costs", self.path("table.json", wrong))

    def test_each_schema_is_tested_and_described(self):
        names = {name.removesuffix(".schema.json") for name in os.listdir(SCHEMAS)}
        self.assertEqual(names, TESTED_HERE | TESTED_ELSEWHERE)
        with open(os.path.join(ROOT, "docs", "formats.md"), encoding="utf-8") as file:
            text = file.read()
        for name in names:
            self.assertIn(f"`{name}.schema.json`", text)

    def test_each_document_that_is_described_has_a_schema(self):
        names = {name.removesuffix(".schema.json") for name in os.listdir(SCHEMAS)}
        with open(os.path.join(ROOT, "docs", "formats.md"), encoding="utf-8") as file:
            text = file.read()
        head, *rows = [line.strip("|").split("|") for line in text[text.index("| document |"):].split("\n\n")[0].splitlines()]
        self.assertEqual(head[-1].strip(), "schema")
        for row in rows[1:]:
            document = row[0].strip()
            with self.subTest(document=document):
                said = set(re.findall("`([^`]+)`", row[-1]))
                self.assertEqual(bool(said), document not in WITHOUT_SCHEMA)
                self.assertLessEqual(said, names)
        # What commands print has the name of the command, or is said at the place.
        printed = text[text.index("## JSON that commands print"):]
        for title in re.findall("^### (.*)$", printed[:printed.index("\n## ")], re.MULTILINE):
            self.assertIn(title, names)


if __name__ == "__main__":
    main()
