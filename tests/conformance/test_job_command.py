#!/usr/bin/env python3
"""overlap job: what people read, and mistakes in its arguments."""
import json
import re

from command_line import CommandLine, main


class JobCommand(CommandLine):
    def setUp(self):
        super().setUp()
        stages = [{"ms": {"F": 1 + index, "B": 2}} for index in range(30)]
        self.job = self.path("x.job.json", {"format": "overlap-job", "version": 1, "stages": stages,
                                            "schedule": {"name": "1F1B", "microbatches": 31}})

    def test_a_misspelt_action_is_named(self):
        self.expect_error(2, ['overlap job: there is no command "simulat"; nearest: "simulate"; see overlap job --help'],
                          "job", "simulat", self.job)
        self.expect_error(2, ["overlap job: a command is required; see overlap job --help"], "job")

    def test_an_option_of_another_action_is_none_of_this_one(self):
        done = self.expect(2, "job", "check", self.job, "--trace", "x")
        self.assertIn('overlap job check: there is no option "--trace"', done.stderr)
        self.assertNotIn('nearest: "--trace"', done.stderr)
        self.assertIn("see overlap job check --help", done.stderr)
        self.assertIn('overlap job simulate: there is no option "--what-iff"; nearest: "--what-if"',
                      self.expect(2, "job", "simulate", self.job, "--what-iff").stderr)

    def test_each_action_can_be_quiet(self):
        job = self.path("y.job.json", {"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 2}}],
                                       "schedule": {"name": "mine", "actions": [["0F0", "0B0"]], "microbatches": 1}})
        for action in ("simulate", "check", "schedules"):
            self.assertIn("--quiet", self.expect(0, "job", action, "--help").stdout)
            self.assertIn("is a label", self.expect(0, "job", action, job).stderr)
            for arguments in (("job", action, job, "--quiet"), ("job", "-q", action, job)):
                self.assertEqual(self.expect(0, *arguments).stderr, "")

    def test_rows_are_counted_and_0_is_all(self):
        def tables(*arguments):
            return self.expect(0, "job", "simulate", self.job, "--what-if", *arguments).stdout
        cut, whole = tables("--rows", "3"), tables("--rows", "0")
        self.assertNotIn("--rows shows more", whole)
        self.assertEqual(cut.count("--rows shows more"), 3, cut)
        document = self.json("job", "simulate", self.job, "--what-if", "--json")
        self.assertGreater(len(document["what_if"]), 3)
        self.assertGreater(len(document["critical_path"]), 20)
        for each in document["what_if"]:
            self.assertIn(each["without"], whole)
        self.assertIn(f"and {len(document['what_if']) - 3} more", cut)
        self.assertEqual(whole.count("\n  29F"), sum(step["op"].startswith("29F") for step in document["critical_path"]))

    def test_a_job_that_cannot_run_says_why_whatever_is_asked_of_it(self):
        job = self.path("stuck.job.json", {"format": "overlap-job", "version": 1, "programs": [
            {"rank": 0, "ops": [{"id": "r", "kind": "recv", "peer": 1}]}, {"rank": 1, "ops": []}]})
        plain = self.expect(1, "job", "simulate", job)
        self.assertIn("rank 0 has begun nothing and stands before r, where rank 1 never comes", plain.stdout)
        asked = self.expect(1, "job", "simulate", job, "--what-if")
        self.assertEqual((asked.stdout, asked.stderr), (plain.stdout, plain.stderr))
        document = json.loads(self.expect(1, "job", "simulate", job, "--what-if", "--json").stdout)
        self.assertEqual([problem["kind"] for problem in document["problems"]], ["deadlock"])
        self.assertEqual(document["what_if"], [])

    def test_a_job_that_no_schedule_can_run_is_an_error(self):
        stages = [{"ms": {"F": 1}}, {"ms": {"F": 1}}]
        job = self.path("y.job.json", {"format": "overlap-job", "version": 1, "stages": stages,
                                       "schedule": {"name": "1F1B", "microbatches": 4}})
        for options in ((), ("--json",)):
            done = self.expect(1, "job", "schedules", job, *options)
            self.assertIn("GPipe", done.stdout)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(f"{job}: schedule: the job runs with none of the schedules; with its own: ", done.stderr)
        # One that runs is an answer.
        whole = [{"ms": {"F": 1, "B": 2}}, {"ms": {"F": 1, "B": 2}}]
        self.expect(0, "job", "schedules",
                    self.path("z.job.json", {"format": "overlap-job", "version": 1, "stages": whole,
                                             "schedule": {"name": "ZBVZeroBubble", "microbatches": 4}}))

    def test_shares_are_told_as_by_schedules(self):
        simulated = self.expect(0, "job", "simulate", self.job).stdout
        row = next(line for line in self.expect(0, "job", "schedules", self.job).stdout.splitlines() if "(the job's)" in line)
        bubble, waits, transfers = re.findall(r"[\d.]+ %", row)
        self.assertIn(f"wait {waits} for peers", simulated)
        busy = float(re.search(r"compute ([\d.]+) %", simulated)[1])
        self.assertAlmostEqual(busy + float(bubble[:-2]), 100, places=1)
        # All of the time is told, of the job and of each rank.
        without_work = float(re.search(r"nothing left to do for ([\d.]+) %", simulated)[1])
        self.assertGreater(without_work, 1)
        self.assertAlmostEqual(busy + float(waits[:-2]) + float(transfers[:-2]) + without_work, 100, places=1)
        step_ms = float(re.search(r"step +([\d.]+) ms", simulated)[1])
        ranks = re.findall(r"^ +\d+ +\d+ +\d+ +\d.*%.*$", simulated, re.MULTILINE)
        self.assertGreater(len(ranks), 1)
        for rank in ranks:
            self.assertAlmostEqual(sum(map(float, re.findall(r"([\d.]+) ms", rank))), step_ms, places=2)


if __name__ == "__main__":
    main()
