"""The notebook docs/notebook.ipynb, cell by cell, as Jupyter would run it."""
from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any

from overlap_studio import core

from programs import REPOSITORY, SAMPLE

NOTEBOOK = REPOSITORY / "docs" / "notebook.ipynb"


def run_cell(source: str, names: dict[str, Any]) -> tuple[Any, str]:
    """The value of the cell's last expression, which a notebook shows, and what it prints."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, NOTEBOOK.name, "exec"), names)
        value = eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names) if last else None
    return value, printed.getvalue()


class Notebook(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        root = Path(scratch.name)
        (root / "docs").mkdir()
        (root / "resources" / "samples").mkdir(parents=True)
        shutil.copy(SAMPLE, root / "resources" / "samples")
        os.chdir(root / "docs")

    def test_every_cell_in_order(self) -> None:
        document = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
        sources = ["".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == "code"]
        names: dict[str, Any] = {}
        shown = [run_cell(source, names) for source in sources]
        (timeline, _), (memory, _), (_, compared), (_, explained), (longest, _), (_, found) = shown
        self.assertIn("<img", timeline._repr_html_())
        self.assertIn("<img", memory._repr_html_())
        self.assertRegex(compared, r"^2767 ms as it is, 24\d\d ms with the plan\n")
        self.assertEqual(len(compared.splitlines()), 4)
        self.assertTrue(explained.strip())
        self.assertEqual([time for _, time in longest], sorted((time for _, time in longest), reverse=True))
        self.assertRegex(found, r"ms found, .* ms is the bound\n")
        again = core.evaluate(names["graph"], core.read_plan("found.plan.json"))
        self.assertLess(again.step_ms, names["before"].step_ms)

    def test_five_lines_show_a_timeline(self) -> None:
        first = next(cell for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
                     if cell["cell_type"] == "code")
        self.assertEqual(len([line for line in first["source"] if line.strip()]), 5)

    def test_it_is_a_notebook(self) -> None:
        document = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
        self.assertEqual((document["nbformat"], document["nbformat_minor"]), (4, 4))
        for cell in document["cells"]:
            self.assertIn(cell["cell_type"], ("code", "markdown"))
            if cell["cell_type"] == "code":
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None))


if __name__ == "__main__":
    unittest.main()
