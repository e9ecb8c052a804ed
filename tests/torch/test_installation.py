"""The package as a person without root installs it, from a folder that belongs to root."""
from __future__ import annotations

import email
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from programs import REPOSITORY

PACKAGE = REPOSITORY / "resources" / "torch"


class Installation(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.before = cls.files()
        done = subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check",
                               "--no-build-isolation", "--no-deps", "--wheel-dir", scratch.name, PACKAGE],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        with zipfile.ZipFile(next(Path(scratch.name).glob("*.whl"))) as wheel:
            cls.names = wheel.namelist()
            cls.metadata = email.message_from_bytes(
                wheel.read(next(name for name in cls.names if name.endswith("METADATA"))))

    @staticmethod
    def files() -> list[str]:
        return sorted(str(path) for path in PACKAGE.rglob("*") if "__pycache__" not in path.parts)

    def test_building_writes_nothing_beside_the_sources(self) -> None:
        self.assertEqual(self.files(), self.before)

    def test_every_module_is_inside_and_it_is_typed(self) -> None:
        modules = {f"overlap_studio/{path.name}" for path in (PACKAGE / "overlap_studio").glob("*.py")}
        self.assertLessEqual(modules | {"overlap_studio/py.typed"}, set(self.names))

    def test_its_metadata(self) -> None:
        self.assertIn("Typing :: Typed", self.metadata.get_all("Classifier"))
        self.assertIn("Private :: Do Not Upload", self.metadata.get_all("Classifier"))
        self.assertEqual(self.metadata["License"], "LicenseRef-Not-Chosen")
        self.assertEqual(self.metadata.get_all("Requires-Dist"), ["torch>=2.14"])

    def test_its_page_has_no_link_that_leads_nowhere(self) -> None:
        self.assertNotIn("](", self.metadata.get_payload())


if __name__ == "__main__":
    unittest.main()
