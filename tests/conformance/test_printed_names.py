#!/usr/bin/env python3
"""What `overlap` prints of names that are hostile to a terminal, for people and for programs; and where it cannot print."""
import json
import subprocess
import unicodedata

from command_line import main, program
from exported_files import Export, HOSTILE, hostile_graph, hostile_plan

LONG = "y" * (1 << 20)
NAMES = HOSTILE + [
    "\u001b[31mred\u001b[0m",
    "\u001b]0;title\u0007",
    "\u009b31mred",
    "over\rwritten\u007f\b\b",
    "next\u0085line\u2029",
    LONG,
]
GROUP = "group\u001b[2J\nwith lines\u202e" + "z" * 5_000


class PrintedNames(Export):
    def setUp(self):
        super().setUp()
        graph = hostile_graph(NAMES, GROUP)
        graph["name"] = "graph\u001b[2J\nstep 1 ms" + "g" * 5_000
        # Written so that every character stands in the file as itself.
        self.file = self.path("hostile.graph.json", json.dumps(graph, ensure_ascii=False))
        self.nodes = [node["name"] for node in graph["nodes"]]
        self.plan = self.path("hostile.plan.json", hostile_plan())

    def assert_harmless(self, text):
        for line in text.split("\n"):
            self.assertLess(len(line), 2_000)
            for letter in line:
                self.assertNotIn(unicodedata.category(letter), ("Cc", "Cf", "Zl", "Zp"), repr(line))
        self.assertLess(len(text), 100_000)

    def test_what_people_read(self):
        for command in (("info", self.file), ("simulate", self.file), ("estimate", self.file),
                        ("compare", self.file, "--plan", self.plan, "--rows", "0"),
                        ("simulate", self.file, "--pipeline", self.plan)):
            with self.subTest(command=command):
                printed = self.expect(0, *command).stdout
                self.assert_harmless(printed)
                self.assertRegex(printed, "graph \\[2J step 1 ms|hostile.plan.json")

    def test_a_long_name_is_cut_and_the_columns_stand_below_one_another(self):
        file = self.path("long.graph.json", hostile_graph([LONG, "caf\u00e9 \U0001f600"]))
        head, *rows = self.expect(0, "estimate", file).stdout.split("\n")[1:-1]
        self.assertTrue(any(row.startswith("y" * 100 + "... ") for row in rows), rows)
        for row in rows:
            self.assertEqual(row.index(" ms "), head.index("time") + len("time") - len(" ms"), row)

    def test_names_that_are_not_hostile_are_whole(self):
        names = ["caf\u00e9 \U0001f600", "layers.0.attention/\u6ce8\u610f", "x" * 90]
        file = self.path("harmless.graph.json", json.dumps(hostile_graph(names, "a \u00fcber group"), ensure_ascii=False))
        printed = self.expect(0, "estimate", file).stdout
        for name in names:
            self.assertIn(name + "_mm0 ", printed)
        self.assertIn("a \u00fcber group", self.expect(0, "simulate", file).stdout)

    def test_what_programs_read_is_whole(self):
        times = json.loads(self.expect(0, "estimate", self.file, "--json").stdout)
        self.assertEqual(sorted(times), sorted(self.nodes))
        figures = self.json("info", self.file, "--json")
        self.assertEqual([group["name"] for group in figures["process_groups"]], [GROUP])
        rows = self.json("compare", self.file, "--plan", self.plan, "--json")["rows"]
        told = {row["before"]["name"] for row in rows if row["before"]}
        self.assertIn(LONG + "_ag0", told)


class FullDisk(Export):
    def test_what_cannot_be_printed_is_told(self):
        for arguments in (["--help"], ["--version"], ["apply", "--help"], ["info", self.graph]):
            with self.subTest(arguments=arguments), open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([program("overlap"), *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
                                      timeout=120, check=False)
                self.assertEqual((done.returncode, done.stderr), (1, "overlap: standard output: cannot be written\n"))


if __name__ == "__main__":
    main()
