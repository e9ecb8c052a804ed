#!/usr/bin/env python3
"""overlap job: what people read, and mistakes in its arguments."""
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


if __name__ == "__main__":
    main()
