"""Exports in Python: byte for byte what `overlap export` writes, but for its date."""
from __future__ import annotations

import json
import re
import tempfile
import unittest
from pathlib import Path

from overlap_studio import core
from overlap_studio.errors import InputError

from programs import SAMPLE, SAMPLE_PLAN, overlap


def without_date(data: bytes) -> bytes:
    data = re.sub(rb"(overlap [\d.]+) on \d{4}-\d\d-\d\d", rb"\1", data)
    return re.sub(rb"\n *.made_on.: .\d{4}-\d\d-\d\d.,", b"", data)


class Exports(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.graph = core.read_graph(SAMPLE)
        cls.step = core.evaluate(cls.graph, core.read_plan(SAMPLE_PLAN))

    def check(self, name: str) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            written, own = Path(scratch) / "written", Path(scratch) / "own"
            overlap("export", SAMPLE_PLAN, "--graph", SAMPLE, "--to", name, "-o", written, "--quiet")
            made = core.export(self.step, name)
            made.write(own)
            self.assertEqual(own.read_bytes(), made.data)
            # A message with both in full would be too long to read.
            self.assertTrue(without_date(written.read_bytes()) == without_date(made.data), name)

    def test_every_format(self) -> None:
        names = core.export_formats()
        self.assertIn("job", names)
        # Settings of Inductor say nothing of this plan's passes.
        with self.assertRaisesRegex(InputError, "no step is one that Inductor's settings know"):
            core.export(self.step, "inductor")
        for name in set(names) - {"inductor"}:
            with self.subTest(format=name):
                self.check(name)

    def test_a_job_plan_is_for_its_graph(self) -> None:
        document = json.loads(core.export(self.step, "job").data)
        self.assertIn(self.graph.digest, json.dumps(document))

    def test_what_cannot_be_exported(self) -> None:
        with self.assertRaisesRegex(InputError, 'nearest: "report"'):
            core.export(self.step, "reprot")
        with self.assertRaisesRegex(InputError, "without a plan"):
            core.export(core.evaluate(self.graph), "job")
        refused = core.evaluate(self.graph, core.make_plan(self.graph, ["layers.0", "layers.0"]), strict=False)
        with self.assertRaises(InputError):
            core.export(refused, "report")


if __name__ == "__main__":
    unittest.main()
