#!/usr/bin/env python3
"""No command of `overlap` writes over what it reads, or one of its files over another."""
import json
import os
import shutil
import subprocess

from command_line import CommandLine, main, program


class FilesOfItsOwn(CommandLine):
    def setUp(self):
        super().setUp()
        self.own = self.path("g.graph.json.gz")
        shutil.copy(self.graph, self.own)
        self.pipeline = self.path("pipeline.json", [])

    def refuse(self, words, *arguments, cwd=None):
        """Wrong usage with all of `words`, which leaves every file of the test as it was."""
        before = self.contents()
        done = self.overlap(*arguments, cwd=cwd)
        self.assertEqual((done.returncode, done.stdout), (2, ""), f"{arguments}\n{done.stderr}")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in ("overlap " + arguments[0], *words):
            self.assertIn(word, done.stderr)
        self.assertEqual(self.contents(), before)

    def contents(self):
        found = {}
        for folder, _, names in os.walk(self.scratch.name):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        found[path] = file.read()
        return found


class Inputs(FilesOfItsOwn):
    def test_every_command_that_writes(self):
        """Also for files that cannot be read: nothing is opened before."""
        file = self.path("input", "what nobody can read")
        for arguments, output, inputs in (
                (("simulate", file, "--trace", file), "--trace", "GRAPH"),
                (("simulate", self.own, "--pipeline", file, "--trace", file), "--trace", "--pipeline"),
                (("simulate", self.own, "--cost-model", file, "--trace", file), "--trace", "--cost-model"),
                (("apply", file, "--pipeline", self.pipeline, "-o", file), "--output", "GRAPH"),
                (("apply", self.own, "--pipeline", file, "-o", self.path("o"), "--report", file), "--report", "--pipeline"),
                (("estimate", file, "-o", file), "--output", "GRAPH"),
                (("estimate", self.own, "--profile", self.own, file, "-o", file), "--output", "--profile"),
                (("export", file, "--to", "plan", "-o", file), "--output", "PLAN"),
                (("export", self.pipeline, "--graph", file, "--to", "trace", "-o", file), "--output", "--graph"),
                (("import", self.own, file, "-o", file), "--output", "FILE"),
                (("import", self.own, "--tensors", file, "-o", file), "--output", "--tensors"),
                (("calibrate", self.own, file, "-o", file), "--output", "RUN"),
                (("calibrate", self.own, self.own, "--plan", file, "-o", file), "--output", "--plan"),
                (("calibrate", self.own, self.own, "--cost-model", file, "-o", file), "--output", "--cost-model"),
                (("redistribute", file, "-o", file), "--output", "CASES"),
                (("redistribute", self.own, "--costs", file, "-o", file), "--output", "--costs")):
            with self.subTest(arguments=arguments):
                self.refuse([file, output, inputs], *arguments)

    def test_under_another_name(self):
        link, folder = self.path("link.json"), self.path("folder")
        os.symlink(self.own, link)
        os.mkdir(folder)
        for name in (link, os.path.join(folder, "..", "g.graph.json.gz"), self.scratch.name + "//./g.graph.json.gz"):
            with self.subTest(name=name):
                self.refuse([name, "--trace", "GRAPH"], "simulate", self.own, "--trace", name)
                self.refuse([self.own, "--trace", "GRAPH"], "simulate", name, "--trace", self.own)
        self.refuse(["g.graph.json.gz"], "simulate", "g.graph.json.gz", "--trace", self.own, cwd=self.scratch.name)

    def test_other_files_are_written_over(self):
        trace = self.path("trace.json", "an older trace")
        self.expect(0, "simulate", self.own, "--trace", trace)
        self.assertIn(b"traceEvents", self.contents()[trace])

    def test_a_built_in_cost_model_is_no_file(self):
        done = self.overlap("estimate", self.own, "--cost-model", "h100-sxm", "-o", "h100-sxm", cwd=self.scratch.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(os.path.exists(self.path("h100-sxm")))


class Outputs(FilesOfItsOwn):
    def apply(self, out, report):
        return ("apply", self.own, "--pipeline", self.pipeline, "-o", out, "--report", report)

    def test_two_outputs_are_two_files(self):
        same = self.path("same.json")
        self.refuse([same, "--output", "--report"], *self.apply(same, same))
        self.path("same.json", "already there")
        self.refuse([same, "--output", "--report"], *self.apply(same, same))

    def test_under_another_name(self):
        """The file is not there yet; the link leads to where it will be."""
        same, link = self.path("same.json"), self.path("link.json")
        os.symlink("same.json", link)
        self.refuse([same], *self.apply(link, same))
        self.refuse([link], *self.apply(same, link))
        self.refuse(["same.json"], *self.apply("same.json", os.path.join(".", "same.json")), cwd=self.scratch.name)
        self.assertFalse(os.path.exists(same))

    def test_devices_take_what_they_are_given(self):
        self.expect(0, *self.apply("/dev/null", "/dev/null"))


class Prefixes(FilesOfItsOwn):
    """Names that `overlap job simulate` makes of the prefix of --chakra."""

    def simulate(self, job, prefix, *arguments):
        return ("job", "simulate", job, "--chakra", prefix, *arguments)

    def job(self, name):
        return self.path(name, {"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 2}}] * 2,
                                "schedule": {"name": "1F1B", "microbatches": 2}})

    def test_none_is_the_job(self):
        prefix = self.path("x")
        for name in ("x.groups.json", "x.0.et", "x.1.et"):
            with self.subTest(name=name):
                job = self.job(name)
                self.refuse([job, "--chakra", "JOB"], *self.simulate(job, prefix, "--trace", self.path("trace.json")))
                os.remove(job)

    def test_none_is_the_trace(self):
        job, prefix, link = self.job("job.json"), self.path("x"), self.path("link.json")
        os.symlink("x.1.et", link)
        for trace in (self.path("x.groups.json"), self.path("x.0.et"), link):
            with self.subTest(trace=trace):
                self.refuse(["--chakra", "--trace"], *self.simulate(job, prefix, "--trace", trace))

    def test_under_another_name(self):
        job = self.job("job.json")
        os.symlink("job.json", self.path("x.groups.json"))
        self.refuse([self.path("x.groups.json"), "--chakra", "JOB"], *self.simulate(job, self.path("x")))

    def test_none_is_a_file_of_the_job(self):
        rows = "0F0,,0F1,0B0,0B1\n"
        for output in ("--trace", "--chakra"):
            with self.subTest(output=output):
                with open(self.path("x.groups.json"), "w", encoding="utf-8") as file:
                    file.write(rows)
                job = self.path("listed.json", {"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 2}}],
                                                "schedule": {"file": "x.groups.json", "microbatches": 2}})
                given = self.path("x.groups.json") if output == "--trace" else self.path("x")
                self.refuse([output, "JOB"], "job", "simulate", job, output, given)
                with open(self.path("x.groups.json"), encoding="utf-8") as file:
                    self.assertEqual(file.read(), rows)

    def test_others_are_written(self):
        prefix = self.path("x")
        for _ in range(2):  # the second time over the first
            self.expect(0, *self.simulate(self.job("job.json"), prefix, "--trace", self.path("x.json")))
        for name in ("x.groups.json", "x.0.et", "x.1.et", "x.json"):
            self.assertTrue(os.path.exists(self.path(name)), name)


class StandardOutput(FilesOfItsOwn):
    def test_what_is_written_there_stays_whole(self):
        made = self.expect(0, "apply", self.own, "--pipeline", self.pipeline, "-o", "/dev/stdout")
        self.assertEqual(json.loads(made.stdout)["format"], "overlap-graph")
        self.assertIn("\nstep ", made.stderr)
        quiet = self.expect(0, "apply", self.own, "--pipeline", self.pipeline, "-o", "/dev/stdout", "--quiet")
        self.assertEqual((quiet.stdout, quiet.stderr), (made.stdout, ""))
        by_dash = self.expect(0, "apply", self.own, "--pipeline", self.pipeline, "-o", "-", "--quiet")
        self.assertEqual((by_dash.stdout, by_dash.stderr), (made.stdout, ""))
        self.assertFalse(os.path.exists("-"))
        file = self.path("made.json")
        with open(file, "wb") as out:
            subprocess.run([program("overlap"), "apply", self.own, "--pipeline", self.pipeline, "-o", "/dev/stdout"],
                           stdout=out, stderr=subprocess.DEVNULL, timeout=120, check=True)
        with open(file, encoding="utf-8") as found:
            self.assertEqual(found.read(), made.stdout)
        with open(file, "ab") as out:  # as after >>: what is there stays
            subprocess.run([program("overlap"), "apply", self.own, "--pipeline", self.pipeline, "-o", "-"],
                           stdout=out, stderr=subprocess.DEVNULL, timeout=120, check=True)
        with open(file, encoding="utf-8") as found:
            self.assertEqual(found.read(), made.stdout * 2)

    def test_other_files_leave_it_to_what_is_printed(self):
        for output in (self.path("o.json"), "/dev/null"):
            self.assertIn("\nstep ", self.expect(0, "apply", self.own, "--pipeline", self.pipeline, "-o", output).stdout)


if __name__ == "__main__":
    main()
