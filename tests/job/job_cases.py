#!/usr/bin/env python3
"""Every reference case of whole jobs (shared/job, docs/formats.md) against `overlap job simulate --json`.

    job_cases.py PROGRAMS JOB_DATA
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAMS, DATA = sys.argv[1], os.path.abspath(sys.argv[2])
HEADER = {"format": "overlap-job", "version": 1}


def read(*path):
    name = os.path.join(DATA, *path)
    with (gzip.open(name, "rt") if name.endswith(".gz") else open(name, encoding="utf-8")) as file:
        return json.load(file)


class Cases(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_job(self, job, *arguments):
        path = os.path.join(self.folder.name, "x.job.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**HEADER, **job}, file)
        return subprocess.run([os.path.join(PROGRAMS, "overlap"), "job", "simulate", path, "--json", *arguments],
                              capture_output=True, text=True)

    def result(self, job, *arguments):
        done = self.run_job(job, *arguments)
        result = json.loads(done.stdout)
        self.assertEqual(done.returncode, 1 if result["problems"] else 0, done.stderr)
        return result

    def check_path(self, result):
        path = result["critical_path"]
        if not result["step_ms"]:
            return
        self.assertEqual(path[0]["start_ms"], 0)
        self.assertEqual(path[-1]["end_ms"], result["step_ms"])
        for before, after in zip(path, path[1:]):
            self.assertEqual(before["end_ms"], after["start_ms"])

    def stages_job(self, case, times, **schedule):
        stages = case["ranks"] * case["stages_per_rank"]
        return {"stages": [{"ms": times}] * stages,
                "schedule": {"microbatches": case["microbatches"], **schedule}}

    def test_schedules(self):
        figures = 0
        for case in read("schedules", "expected.json")["schedules"]:
            file = os.path.join(DATA, "schedules", case["file"])
            for expected in case["expected"]:
                times = {kind: expected[kind] for kind in "FIW"}
                by_name = {"name": case["schedule"], "stages_per_rank": case["stages_per_rank"]}
                for schedule in ({"file": file}, by_name):
                    with self.subTest(file=case["file"], schedule=schedule, times=times):
                        result = self.result(self.stages_job(case, times, **schedule))
                        self.assertEqual(result["step_ms"], expected["makespan"])
                        self.assertEqual([rank["idle_ms"] for rank in result["ranks"]], expected["idle"])
                        for rank in result["ranks"]:
                            self.assertEqual(rank["stages"], [s for s, at in enumerate(case["stage_rank"]) if at == rank["stage"]])
                        self.check_path(result)
                        figures += 1
                if "makespan_overlap_max" in expected:
                    result = self.result(self.stages_job(case, times, file=file, overlap="max"))
                    self.assertEqual(result["step_ms"], expected["makespan_overlap_max"])
        self.assertGreater(figures, 300)

    def test_refused(self):
        for case in read("schedules", "expected.json")["refused"]:
            with self.subTest(file=case["file"]):
                job = self.stages_job(case, {"F": 1, "I": 1, "W": 1}, file=os.path.join(DATA, "schedules", case["file"]))
                done = self.run_job(job)
                if case["verdict"] == "refuse":
                    self.assertEqual(done.returncode, 1, done.stdout)
                    self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                    continue
                result = json.loads(done.stdout)
                if case["verdict"] == "deadlock":
                    self.assertIsNone(result["step_ms"])
                    self.assertEqual(result["problems"][0]["kind"], "deadlock")
                    self.assertEqual(len(result["problems"][0]["cycle"]), 2)
                else:
                    self.assertEqual(len(result["notes"]), 1)
                    repaired = self.stages_job(case, {"F": 1, "I": 1, "W": 1},
                                               file=os.path.join(DATA, "schedules", case["repaired"]))
                    self.assertEqual({**result, "notes": []}, self.result(repaired))

    def random_job(self, case):
        stages = [{"ms": times, "gradient_sync_ms": sync} for times, sync in zip(case["stages"], case["gradient_sync"])] \
            if case.get("gradient_sync") else [{"ms": times} for times in case["stages"]]
        with open(os.path.join(DATA, "schedules", case["schedule_file"]), encoding="utf-8") as file:
            rows = file.readlines()
        microbatches = int(case["schedule_file"].split("_m")[1].split("_")[0].split(".")[0])
        return {"stages": stages, "replicas": case["replicas"],
                "schedule": {"actions": [row.strip("\n").split(",") for row in rows], "microbatches": microbatches},
                "transfer": {"activations_ms": case["transfer"]["activations"], "gradients_ms": case["transfer"]["gradients"]},
                "variation": {"slow": [{"replica": r, "stage": s, "factor": f} for r, s, f in case["slow"]]}}

    def test_random_times(self):
        for case in read("schedules", "random_times.json")["cases"]:
            for folding in ((), ("--no-folding",)):
                with self.subTest(seed=case["seed"], folding=folding):
                    result = self.result(self.random_job(case), *folding)
                    self.assertEqual(result["step_ms"], case["expected"]["step"])
                    self.check_path(result)
                    self.assertEqual(len(result["ranks"]), len(case["expected"]["ranks"]))
                    found = {(rank["replica"], rank["stage"]): rank for rank in result["ranks"]}
                    for rank in case["expected"]["ranks"]:
                        got = found[rank["replica"], rank["rank"]]
                        self.assertEqual([got["busy_ms"], got["idle_ms"], got["waiting_for_peers_ms"], got["transfer_exposed_ms"]],
                                         [rank["busy"], rank["idle"], rank["waiting"], rank["transfer"]], rank)

    @staticmethod
    def reached(waits, start):
        """What an operation waits for on another rank, and behind what that stands on its own rank."""
        found = {(w["for_rank"], w["at"]) for w in waits if (w["rank"], w["op"]) == start}
        while True:
            more = {(w["for_rank"], w["at"]) for w in waits if (w["rank"], w["op"]) in found and w["rank"] == w["for_rank"]}
            if more <= found:
                return found
            found |= more

    def test_deadlocks(self):
        for case in read("deadlocks.json")["cases"]:
            with self.subTest(case["name"]):
                expected = case["expected"]
                result = self.result({key: case[key] for key in ("groups", "programs", "p2p") if key in case})
                if expected["verdict"] == "fine":
                    self.assertEqual(result["step_ms"], expected["step_ms"])
                    self.assertEqual(result["problems"], [])
                    self.check_path(result)
                    continue
                self.assertIsNone(result["step_ms"])
                self.assertEqual(len(result["problems"]), 1)
                problem = result["problems"][0]
                self.assertEqual(problem["kind"], expected["verdict"])
                if expected["verdict"] == "mismatch":
                    for field in ("group", "pair", "index", "field", "values"):
                        self.assertEqual(problem.get(field), expected.get(field), field)
                elif expected["cycle"]:
                    cycle = [(op["rank"], op["op"]) for op in problem["cycle"]]
                    for wait, on in zip(cycle, cycle[1:] + cycle[:1]):
                        self.assertIn(on, self.reached(expected["waits"], wait))
                else:
                    self.assertEqual(problem["cycle"], [])
                    self.assertEqual(sorted((m["rank"], m["op"], m["peer"]) for m in problem["missing"]),
                                     sorted((m["rank"], m["op"], m["peer"]) for m in expected["missing"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
