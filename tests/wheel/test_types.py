"""What type checkers see of the native core: stubs that agree with the module, and types of a program that uses it."""
from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import overlap_studio
from overlap_studio import core

STUB = Path(overlap_studio.__file__).parent / "core.pyi"

# A program as its user writes it. The last lines are wrong.
PROGRAM = '''
import numpy as np
from numpy.typing import NDArray
from overlap_studio import InputError, core


def told(share: float) -> None:
    print(share)


def plan_and_look(path: str) -> tuple[core.Plan, NDArray[np.float64]]:
    graph = core.read_graph(path, progress=told)
    try:
        plan = core.make_plan(graph, ["layers.0", ["norm", "output"]])
    except InputError as error:
        raise SystemExit(f"{error.file}: {error.problem}") from error
    step = core.evaluate(graph, plan, cost_model=core.cost_model("h100-sxm"), strict=False,
                         progress=lambda made: print(made.part, made.done / made.of))
    exposed = [one for one in step.collectives() if one.exposed_ms > 0]
    reasons: list[str] = [sentence for one in exposed for sentence in core.explain(step, one.name).sentences]
    print(len(reasons), step.refusal or "", step.timeline.lanes[0].start_ns.max())
    found = core.search(graph, start=plan, memory_limit=step.peak_bytes, progress=lambda made: made.evaluations < 10)
    rows = core.compare(core.evaluate(graph), step).rows
    print(rows[0].after.name if rows[0].after else "", core.bound(graph).chain[0].kind)
    print(sum(column.sum() for column in step.timeline.memory.by_kind.values()))
    return found.plan, step.node_start_ms


core.evaluate(3)
core.read_graph("a").step_ms
core.read_graph("a").name = "b"
core.search(core.read_graph("a"), effort="many")
'''


class Types(unittest.TestCase):
    def mypy(self, folder: Path, *arguments: str | Path) -> str:
        command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", f"--cache-dir={folder / 'cache'}",
                   *map(str, arguments)]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600,
                              check=False)
        return done.stdout + done.stderr

    def test_a_program_is_checked(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            program = Path(scratch) / "program.py"
            program.write_text(PROGRAM, encoding="utf-8")
            answer = self.mypy(Path(scratch), program)
        lines = PROGRAM.splitlines()
        wrong = {number: line for number, line in enumerate(lines, 1) if number > lines.index("core.evaluate(3)")}
        found = {int(number) for number in re.findall(r"^program\.py:(\d+): error", answer, re.MULTILINE)}
        self.assertEqual(found, {number for number, line in wrong.items() if line}, answer)

    def test_the_stub_is_right_by_itself(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            stub = Path(scratch) / "core.pyi"
            stub.write_text(STUB.read_text(encoding="utf-8"), encoding="utf-8")
            self.assertEqual(self.mypy(Path(scratch), stub), "")

    def test_the_stub_names_what_there_is(self) -> None:
        declared = set(re.findall(r"^(?:class|def) (\w+)", STUB.read_text(encoding="utf-8"), re.MULTILINE))
        there = {name for name in vars(core) if not name.startswith("_")} - {"InputError", "PassRefusal"}
        self.assertEqual(declared, there)

    def test_everything_has_a_docstring(self) -> None:
        for name, thing in vars(core).items():
            if not name.startswith("_") and callable(thing):
                self.assertTrue(inspect.getdoc(thing), name)


class Docstrings(unittest.TestCase):
    def test_arrays_have_dtype_and_shape(self) -> None:
        text = STUB.read_text(encoding="utf-8")
        array = r'def (\w+)\(self\) -> ((?:dict\[str, )?Annotated\[NDArray.*):\n\s+"""([^"]*)"""'
        properties = re.findall(array, text)
        self.assertGreater(len(properties), 10)
        for name, kind, documentation in properties:
            dtype = re.search(r"numpy\.(\w+)", kind)
            assert dtype
            self.assertRegex(documentation, rf"{dtype[1]}, shape \(\w+,\)", name)


if __name__ == "__main__":
    unittest.main()
