#!/usr/bin/env python3
"""`overlap job measure`: slow ranks and draws from traces of a job's ranks.

    measured_job.py PROGRAMS
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.join(os.path.abspath(sys.argv[1]), "overlap")
JOB = {"format": "overlap-job", "version": 1, "name": "measured", "later": 1,
       "stages": [{"ms": {"F": 1, "B": 2}}, {"ms": {"F": 1, "B": 2}}], "replicas": 2,
       "schedule": {"name": "1F1B", "microbatches": 4}, "variation": {"samples": 20}}


def trace(rank, compute_ms, ranks=4, action=""):
    """Steps with one kernel each; the last is left out, since a recording may cut it off."""
    events = []
    for step, ms in enumerate([*compute_ms, 1]):
        begin = step * 1e6
        for name in (f"ProfilerStep#{step}", action):
            if name:
                events.append({"ph": "X", "cat": "user_annotation", "name": name, "pid": 1, "tid": 1, "ts": begin, "dur": 9e5})
        for category, name, where, start, duration in (
                ("cuda_runtime", "cudaLaunchKernel", {"pid": 1, "tid": 1}, 10, 5),
                ("kernel", "gemm", {"pid": 0, "tid": 7}, 20, ms * 1e3)):
            args = {"correlation": step, **({"stream": 7, "device": 0} if category == "kernel" else {})}
            events.append({"ph": "X", "cat": category, "name": name, **where, "ts": begin + start, "dur": duration, "args": args})
    header = {} if rank is None else {"distributedInfo": {"backend": "nccl", "rank": rank, "world_size": ranks}}
    return {"schemaVersion": 1, **header, "traceEvents": events}


class MeasuredJob(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.job = self.file("x.job.json", JOB)

    def file(self, name, document):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        return path

    def run_overlap(self, status, *arguments):
        done = subprocess.run([PROGRAM, "job", *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_a_simulated_step_is_not_taken_as_measured_in_silence(self):
        path = self.file("a.json", {**trace(0, [90, 110]), "otherData": {"times": "simulated"}})
        done = self.run_overlap(0, "measure", self.job, path, "-o", os.path.join(self.folder, "out.job.json"))
        self.assertEqual(done.stderr, f"overlap: {path}: caution: nothing was measured: the trace is a simulated step\n")

    def test_one_rank_of_each_stage_cannot_tell_who_is_slow(self):
        traces = [self.file("a.json", trace(0, [90, 110])), self.file("b.json", trace(1, [500, 500]))]
        told = self.run_overlap(0, "measure", self.job, *traces, "-o", os.path.join(self.folder, "out.job.json")).stdout
        self.assertIn("no two of the ranks run the same stages, so none can be told to be slow", told)

    def test_slow_ranks_and_factors(self):
        out = os.path.join(self.folder, "out.job.json")
        traces = [self.file("a.json", trace(0, [90, 110])), self.file("b.json", trace(2, [120, 120]))]
        told = self.run_overlap(0, "measure", self.job, *traces, "-o", out).stdout
        self.assertIn("2 ranks, 4 measured factors; the slowest is rank 2, 9.09 % beyond the mean of those with its stages\n", told)
        with open(out, encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual(document["later"], 1)
        variation = document["variation"]
        self.assertEqual(variation["samples"], 20)
        self.assertEqual(variation["compute"], {"factors": [0.9, 1.1, 1, 1], "each": "rank"})
        self.assertEqual([slow["rank"] for slow in variation["slow"]], [0, 2])
        for slow, expected in zip(variation["slow"], (100 / 110, 120 / 110)):
            self.assertAlmostEqual(slow["factor"], expected, places=12)
        result = json.loads(self.run_overlap(0, "simulate", out, "--json").stdout)
        self.assertEqual(result["variation"]["samples"], 20)
        self.assertGreater(result["variation"]["most_ms"], result["variation"]["least_ms"])

    def test_texts_of_a_job(self):
        one = self.file("one.job.json", {**JOB, "variation": {"samples": 1}})
        text = self.run_overlap(0, "simulate", one).stdout
        self.assertIn("\nvariation  of 1 draw: median ", text)
        self.assertIn(" for transfers, and have nothing left to do for ", text)
        self.assertIn("variation  of 20 draws: ", self.run_overlap(0, "simulate", self.job).stdout)

    def test_what_is_wrong(self):
        first = self.file("a.json", trace(0, [100]))
        out = os.path.join(self.folder, "out.job.json")
        for traces, words in (([self.file("none.json", trace(None, [100]))], "none.json: does not say which rank it is of"),
                              ([self.file("nine.json", trace(9, [100]))], "nine.json: is of rank 9, and the job has 4 ranks"),
                              ([self.file("two.json", trace(1, [100], 2))], "two.json: was measured on 2 ranks, and the job has 4"),
                              ([self.file("other.json", trace(1, [100], action="PP:0F1"))],
                               "other.json: has 0F1 on rank 1, which runs stage 1 in this job"),
                              ([first, self.file("again.json", trace(0, [100]))], "rank 0 was measured twice")):
            done = self.run_overlap(1, "measure", self.job, *traces, "-o", out)
            self.assertIn(words, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertFalse(os.path.exists(out))
        self.run_overlap(2, "measure", self.job, first, "-o", self.job)
        self.run_overlap(2, "measure", self.job, "-o", out)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
