#!/usr/bin/env python3
"""overlap import as a user meets it: the graph that PyTorch traced comes back from every text that torch.fx prints of it.

    test_import.py PROGRAMS DATA

PROGRAMS is the folder with `overlap`, DATA is tests/data.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

from compare_graphs import difference, read_document

PROGRAMS = DATA = ""


def text_path(name):
    return os.path.join(DATA, "fx_text", name)


def record(envelope, payload=""):
    lines = "".join("\t" + line + "\n" for line in payload.split("\n")) if payload else ""
    return "V0728 16:17:36.735000 60448 torch/x.py:1] " + json.dumps(envelope) + "\n" + lines


class Import(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)

    def path(self, name, content=None):
        path = os.path.join(self.scratch.name, name)
        if content is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
        return path

    def overlap(self, *arguments):
        return subprocess.run([os.path.join(PROGRAMS, "overlap"), *arguments], capture_output=True, text=True)

    def imported(self, *arguments):
        out = self.path("out.graph.json")
        run = self.overlap("import", *arguments, "--rank", "1", "--world-size", "4", "-o", out)
        self.assertEqual(run.returncode, 0, run.stderr)
        return read_document(out)

    def assert_is_the_traced_step(self, document):
        expected = read_document(text_path("step.graph.json"))
        self.assertIsNone(difference(expected, document))
        self.assertEqual([node["name"] for node in expected["nodes"]], [node["name"] for node in document["nodes"]])
        for wanted, found in zip(expected["nodes"], document["nodes"]):
            for key in ("op", "target", "args", "kwargs", "multi"):
                self.assertEqual(wanted.get(key), found.get(key), wanted["name"])
            keys = ("dtype", "shape", "stride", "device", "storage_offset", "storage_bytes")
            for wanted_tensor, found_tensor in zip(wanted.get("outputs", []), found.get("outputs", [])):
                for key in keys:
                    self.assertEqual(wanted_tensor.get(key), found_tensor.get(key), wanted["name"] + " " + key)

    def test_print_readable(self):
        self.assert_is_the_traced_step(self.imported(text_path("step.readable.py")))

    def test_code_without_types_needs_only_those_of_the_inputs(self):
        self.assert_is_the_traced_step(
            self.imported(text_path("step.untyped.py"), "--tensors", text_path("step.tensors.json")))

    def test_print_of_a_graph(self):
        self.assert_is_the_traced_step(
            self.imported(text_path("step.nodes.txt"), "--tensors", text_path("step.tensors.json")))

    def test_commands_read_a_text_of_one_graph(self):
        run = self.overlap("info", text_path("step.readable.py"), "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(json.loads(run.stdout)["nodes"], 39)

    def test_a_log_of_two_ranks_and_its_damage(self):
        with open(text_path("step.readable.py"), encoding="utf-8") as file:
            text = file.read()
        files = []
        for rank, schedule in ((0, ["a", "b"]), (1, ["a", "c"])):
            envelope = {"rank": rank, "frame_id": 0, "frame_compile_id": 0, "attempt": 0}
            log = record({"aot_forward_graph": {}, **envelope}, text)
            log += record({"artifact": {"name": "inductor_collective_schedule", "encoding": "json"}, **envelope},
                          json.dumps(schedule))
            files.append(self.path(f"rank_{rank}.log", log + "rubbish\n"))
        run = self.overlap("import", "--list", *files, "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        listing = json.loads(run.stdout)
        self.assertEqual([(graph["rank"], graph["kind"], graph["nodes"]) for graph in listing["graphs"]],
                         [(0, "aot_forward_graph", 39), (1, "aot_forward_graph", 39)])
        self.assertEqual(listing["ranks"], [
            "aot_forward_graph 0/0: the same on ranks 0, 1",
            "collective schedule of 0/0: differs between ranks: 0 | 1; collective 2 is b on rank 0 and c on rank 1"])
        self.assertEqual(len(listing["notes"]), 2)
        self.assertIn("1 line outside of records skipped", listing["notes"][0])
        run = self.overlap("import", *files, "-o", self.path("out.graph.json"))
        self.assertEqual(run.returncode, 1)
        self.assertIn("--graph NUMBER chooses one; there are 1: aot_forward_graph 0/0, rank 0, 2:", run.stderr)
        self.assert_is_the_traced_step(self.imported(*files, "--graph", "2"))

    def test_bad_text_is_one_sentence_with_its_place_and_writes_nothing(self):
        bad = self.path("bad.py", "def forward(self, a):\n    b = torch.ops.aten.neg.default(c)\n    return b\n")
        out = self.path("out.graph.json")
        run = self.overlap("import", bad, "-o", out)
        self.assertEqual(run.returncode, 1)
        self.assertEqual(len(run.stderr.strip().split("\n")), 1)
        self.assertIn("line 2, column 36: no node before this is called", run.stderr)
        self.assertFalse(os.path.exists(out))
        self.assertEqual(self.overlap("import").returncode, 2)


if __name__ == "__main__":
    PROGRAMS, DATA = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
