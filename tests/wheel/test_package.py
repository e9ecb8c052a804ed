"""The wheel itself: what is in it, that it needs no torch, and that it is the package that a job installs."""
from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import unittest
from pathlib import Path

import overlap_studio
from overlap_studio import core

from programs import REPOSITORY, SMALL, overlap_json

INSTALLED = Path(overlap_studio.__file__).parent
PURE = REPOSITORY / "resources" / "torch"
DISTRIBUTION = importlib.metadata.distribution("overlap-studio")


def project_field(pyproject: Path, field: str) -> str:
    """A text of a [project] table; the standard library of 3.10 reads no TOML."""
    found = re.search(rf'^{field} = "(.*)"$', pyproject.read_text(encoding="utf-8"), re.MULTILINE)
    assert found, f"{pyproject} has no {field}"
    return found[1]


class Package(unittest.TestCase):
    def test_nothing_of_it_needs_torch(self) -> None:
        self.assertIsNone(importlib.util.find_spec("torch"))
        loaded = [name for name in sys.modules if name.partition(".")[0] == "torch"]
        self.assertEqual(loaded, [])
        with self.assertRaisesRegex(ModuleNotFoundError, "torch"):
            overlap_studio.export_graph

    def test_it_is_the_package_of_a_job(self) -> None:
        own = {path.name: path.read_bytes() for path in (PURE / "overlap_studio").glob("*.py")}
        installed = {path.name: path.read_bytes() for path in INSTALLED.glob("*.py")}
        self.assertEqual(own, installed)
        self.assertTrue((INSTALLED / "py.typed").exists())

    def test_both_ways_to_install_name_it_alike(self) -> None:
        for field in ("name", "version", "requires-python"):
            values = {project_field(folder / "pyproject.toml", field) for folder in (PURE, REPOSITORY / "python")}
            self.assertEqual(len(values), 1, field)
        self.assertEqual(project_field(PURE / "pyproject.toml", "version"), overlap_studio.__version__)
        self.assertEqual(DISTRIBUTION.version, overlap_studio.__version__)
        cmake = (REPOSITORY / "CMakeLists.txt").read_text(encoding="utf-8")
        self.assertIn(f"VERSION {overlap_studio.__version__} ", cmake)

    def test_its_metadata(self) -> None:
        metadata = DISTRIBUTION.metadata
        classifiers = metadata.get_all("Classifier")
        self.assertIn("Typing :: Typed", classifiers)
        self.assertIn("Private :: Do Not Upload", classifiers)
        self.assertEqual(metadata["License-Expression"], "LicenseRef-Not-Chosen")
        needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
        self.assertEqual([re.split(r"[^a-z]", line)[0] for line in needed], ["numpy"])
        licences = {path.name for path in (INSTALLED / "licences").iterdir()}
        self.assertLessEqual({"overlap-studio", "nanobind", "libsimdjson14"}, licences)

    def test_its_libraries_are_inside(self) -> None:
        for binary in (Path(core.__file__), INSTALLED / "bin" / "overlap"):
            with self.subTest(binary=binary.name):
                listed = subprocess.run(["ldd", binary], capture_output=True, text=True, check=True).stdout
                outside = [line.split()[0] for line in listed.splitlines()
                           if "=> /" in line and str(INSTALLED.parent) not in line]
                known = r"(libc|libm|libpthread|libdl|librt|libz|libstdc\+\+|libgcc_s)\.so\.\d+"  # of manylinux
                self.assertEqual([name for name in outside if not re.fullmatch(known, name)], [])
                self.assertNotIn("not found", listed)

    def test_its_name_is_honest(self) -> None:
        tags = re.findall(r"^Tag: (.*)$", DISTRIBUTION.read_text("WHEEL") or "", re.MULTILINE)
        newest = max(int(minor) for tag in tags for minor in re.findall(r"manylinux_2_(\d+)_x86_64", tag))
        self.assertLessEqual(newest, 34)
        for binary in (Path(core.__file__), INSTALLED / "bin" / "overlap"):
            symbols = subprocess.run(["objdump", "-T", binary], capture_output=True, text=True, check=True).stdout
            wanted = [int(minor) for minor in re.findall(r"GLIBC_2\.(\d+)", symbols)]
            self.assertLessEqual(max(wanted), newest)
            # The C++ runtime of GCC 11, which distributions with such a C library have.
            self.assertLessEqual(max(map(int, re.findall(r"GLIBCXX_3\.4\.(\d+)", symbols))), 29)


class Sources(unittest.TestCase):
    @staticmethod
    def _own_build() -> Path:
        build = Path(os.environ["OVERLAP_PROGRAMS"]).parent
        (own,) = build.parent.glob("wheel-tools-%d.%d/build" % sys.version_info[:2])
        return own

    def test_sources_that_are_compiled_as_one_keep_their_names_apart(self) -> None:
        checker = REPOSITORY / "tests" / "architecture" / "check_unity.py"
        done = subprocess.run([sys.executable, "-B", checker, self._own_build() / "compile_commands.json"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"(?m)^[1-9]\d* files of \d+ sources, 0 names that meet$")

    def test_bindings_include_what_they_list(self) -> None:
        build = Path(os.environ["OVERLAP_PROGRAMS"]).parent
        own = self._own_build() / "targets.txt"
        with tempfile.TemporaryDirectory() as scratch:
            both = Path(scratch) / "targets.txt"
            both.write_text((build / "targets.txt").read_text() + own.read_text(), encoding="utf-8")
            checker = REPOSITORY / "tests" / "architecture" / "check_includes.py"
            done = subprocess.run([sys.executable, "-B", checker, both, REPOSITORY], capture_output=True, text=True,
                                  check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


class CommandLine(unittest.TestCase):
    COMMAND = Path(sysconfig.get_path("scripts")) / "overlap"

    def test_it_answers_as_the_build_does(self) -> None:
        done = subprocess.run([self.COMMAND, "info", SMALL, "--json"], capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(done.stdout), overlap_json("info", SMALL, "--json"))

    def test_its_exit_status_is_the_programs(self) -> None:
        done = subprocess.run([self.COMMAND, "info", "no such file"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no such file", done.stderr)
        self.assertEqual(subprocess.run([self.COMMAND, "inof"], capture_output=True, check=False).returncode, 2)

    def test_without_the_program_it_says_so(self) -> None:
        module = PURE / "overlap_studio" / "command_line.py"
        done = subprocess.run([sys.executable, "-B", module], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("packaging/wheel.sh", done.stderr)


class PureInstallation(unittest.TestCase):
    def test_the_native_core_says_that_it_is_missing(self) -> None:
        program = "from overlap_studio import core"
        environment = dict(os.environ, PYTHONPATH=str(PURE))
        done = subprocess.run([sys.executable, "-B", "-c", program], env=environment, capture_output=True, text=True,
                              check=False)
        self.assertRegex(done.stderr, "ImportError: this installation of overlap_studio has no native core")


if __name__ == "__main__":
    unittest.main()
