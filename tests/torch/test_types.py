"""What type checkers see of the package: no errors inside, and the real types of what a job imports."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import overlap_studio

from cases import add_cases

PACKAGE = Path(overlap_studio.__file__).parent
NAMES = [name for name in overlap_studio.__all__ if not name.startswith("__")]


def check_types(text: str, folder: Path) -> str:
    """What mypy says of the package and of a module with this text."""
    module = folder / "job.py"
    module.write_text(text, encoding="utf-8")
    # A copy: where the package is installed, its neighbours would be taken for modules to be checked.
    package = folder / "package" / PACKAGE.name
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--follow-imports=silent",
               f"--cache-dir={folder / 'cache'}", str(module), str(package)]
    environment = dict(os.environ, MYPYPATH=str(package.parent))
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=900, check=False)
    return done.stdout + done.stderr


def setUpModule() -> None:
    global ANSWER
    lines = ["import overlap_studio", *(f"reveal_type(overlap_studio.{name})" for name in NAMES),
             "overlap_studio.plan_pass(1)"]
    with tempfile.TemporaryDirectory() as scratch:
        ANSWER = check_types("\n".join(lines) + "\n", Path(scratch))


class Types(unittest.TestCase):
    def check_revealed(self, line: int) -> None:
        found = re.search(rf'job\.py:{line}: note: Revealed type is "(.*)"', ANSWER)
        self.assertIsNotNone(found, ANSWER)
        self.assertNotEqual(found[1], "Any")

    def test_the_package_has_no_errors(self) -> None:
        errors = [line for line in ANSWER.splitlines() if ": error:" in line]
        self.assertEqual(len(errors), 1, ANSWER)
        self.assertIn('job.py', errors[0])

    def test_a_wrong_argument_is_an_error(self) -> None:
        self.assertRegex(ANSWER, r'job\.py:\d+: error: Argument 1 to "plan_pass" has incompatible type "int"')

    def test_the_package_says_that_it_is_typed(self) -> None:
        self.assertTrue((PACKAGE / "py.typed").exists())

    def test_every_name_that_a_job_uses_is_there(self) -> None:
        for name in NAMES:
            # Not the module of the same name, which importing it leaves in the package.
            self.assertTrue(callable(getattr(overlap_studio, name)), name)


add_cases(Types, Types.check_revealed, [(f"type_of_{name}", (line,)) for line, name in enumerate(NAMES, 2)])


if __name__ == "__main__":
    unittest.main()
