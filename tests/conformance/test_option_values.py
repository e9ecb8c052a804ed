"""Malformed values of options: wrong usage (2) for every option of every command, before any file is read.

What a value means where it names files, nodes or other parts of an input is known with the input alone: those options are
listed here, and a new one that is in neither list fails.
"""
import gzip
import re

from command_line import CommandLine, main

COMMANDS = ("info", "apply", "simulate", "estimate", "bench", "explain", "redistribute", "trace-stats", "compare", "export",
            "import", "calibrate", "sweep", "bound", "search", "job simulate", "job check", "job schedules", "job measure")
# A file to read or to write, or a text as it stands.
FILES = {"--output", "--report", "--pipeline", "--cost-model", "--profile", "--costs", "--plan", "--trace", "--graph", "--predict",
         "--csv", "--from", "--front", "--placements", "--tensors", "--times", "--chakra", "--name"}
# Names that an input knows, or does not.
NAMES = {"--node", "--step", "--device"}
MALFORMED = {
    "--memory": ("ful", "full_keep", ""),
    "--memory-rules": ("keepp layers.0", "keep layers.0 :: aten.mm.default", "keep layers.0 |"),
    "--memory-limit": ("much", "10 parsecs", "1,000", "1GiB-2GiB", "2e18", "baseline+", ""),
    "--preset": ("torchtitan", ""),
    "--lock": ("card", "bucket:", ""),
    "--set": ("nonsense", "no_such_pass.x=1", "schedule_overlap_bucketing.no_such_option=1",
              "schedule_overlap_bucketing.max_coll_distance=1,many", "schedule_overlap_bucketing.max_in_flight_gb=-1"),
    "--symbol": ("s0", "=3", "s0=many", "s0=-1"),
    "--group": ("0", "0=", "0=a", "0=3-1", "0=0,0"),
}
BY_TYPE = {"INT": ("x", "1.5", "-1", "1e3", ""), "UINT": ("x", "1.5", "-1", ""), "FLOAT": ("x", "nan", "-1", "inf", "")}


class OptionValues(CommandLine):
    def options(self, command):
        """The options of a command that take a value: name, type, and whether the help lists the values that there are."""
        text = self.expect(0, *command.split(), "--help").stdout
        for name, kind, chosen in re.findall(r"^ +(?:-\w,)?(--[\w-]+) (TEXT|INT|UINT|FLOAT)(:\{)?", text, re.MULTILINE):
            yield name, kind, bool(chosen)

    def test_malformed_values_are_wrong_usage(self):
        tried = set()
        for command in COMMANDS:
            for name, kind, chosen in self.options(command):
                tried.add(name)
                if name == "--graph" and command == "import":
                    continue  # the number or kind of one in the file
                if name in (FILES | NAMES) and not chosen:
                    continue
                values = BY_TYPE.get(kind) or (("no such choice", "") if chosen else MALFORMED.get(name))
                self.assertIsNotNone(values, f"{command} {name}: which values of it are malformed?")
                for value in values:
                    with self.subTest(command=command, option=name, value=value):
                        # The files are not there, which would be wrong input.
                        done = self.expect(2, *command.split(), *self.needed(command, name), f"{name}={value}")
                        self.assertIn(name, done.stderr)
                        self.assertNotIn(f"{name}: {name}", done.stderr)
                        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertLessEqual((FILES | NAMES | set(MALFORMED)), tried, "an option of these lists is gone")

    def needed(self, command, tested):
        """What the command requires beside the tested option, all of it missing on the disk."""
        missing, out = self.path("missing.json"), self.path("out.json")
        files = {"job measure": (missing, missing), "calibrate": (missing, missing)}.get(command, (missing,))
        more = {"apply": ("--preset", "torchtitan_default"), "bench": ("--preset", "torchtitan_default"),
                "explain": ("--node", "mm"), "export": ("--to", "plan"), "search": ("--from", missing)}.get(command, ())
        if more and more[0] == tested:
            more = ()
        writes = command in ("apply", "redistribute", "export", "import", "calibrate", "search", "job measure")
        return (*files, *more, *(("-o", out) if writes else ()))

    def test_a_file_that_is_missing_is_wrong_input(self):
        """By what is needed alone, so that the status 2 above is the value's."""
        for command in COMMANDS:
            if command == "estimate" or command == "compare":
                continue  # they ask for something to do first
            with self.subTest(command=command):
                self.expect(1, *command.split(), *self.needed(command, ""))

    def test_options_that_contradict_one_another_are_wrong_usage(self):
        density = ("simulate", self.graph, "--attention-density", "0.2")
        self.expect_error(2, ["--compiled is missing"], *density)
        self.expect_error(2, ["--compiled none asks for none"], *density, "--compiled", "none")
        self.expect_error(2, ["rank 8 is not one of a job of 8 ranks"], "import", self.path("missing"), "--rank", "8",
                          "--world-size", "8", "-o", self.path("out.json"))

    def test_a_value_that_only_the_input_refuses_is_wrong_input(self):
        self.expect_error(1, ["--memory-limit", "the cost model does not tell"], "bound", self.graph, "--memory-limit", "device")
        for limit in ("device-baseline-1GiB", "baseline+100000%"):  # right for some graph, and this one is missing
            self.expect_error(1, ["missing.json"], "bound", self.path("missing.json"), "--memory-limit", limit)
        with gzip.open(self.graph, "rt") as file:
            few = self.path("few.graph.json", re.sub(r"\blayers\.[3-5]\b", "blocks.0", file.read()))
        self.expect_error(1, ["fewer than four numbered layers", "full_keep_last"],
                          "apply", few, "--preset", "torchtitan_default", "--memory", "full_keep_last",
                          "-o", self.path("out.json"))
        self.expect_error(1, ["no_such_node"], "explain", self.graph, "--node", "no_such_node")


if __name__ == "__main__":
    main()
