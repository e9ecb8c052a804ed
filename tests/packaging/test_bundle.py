"""Makes the bundle and starts it where there is nothing of this machine: in a root with a shell and no library.

usage: test_bundle.py BUILD_FOLDER SAMPLES_FOLDER SOURCE_FOLDER [unittest argument...]
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

from changed_root import may_change_root, output_inside, output_of

BUILD, SAMPLES, SOURCE = (pathlib.Path(argument) for argument in sys.argv[1:4])
GRAPH = SAMPLES / "llama3_debugmodel_fsdp8.prebucket.graph.json.gz"
MB = 1_000_000
MIB = 1 << 20
# What modules of the runner need, and no bundle has.
OF_THE_MACHINE = r"lib(cu|nccl|nv)"
# What the launchers call; a shell without any library has all of it.
SHELL_COMMANDS = ("sh", "dirname", "readlink", "basename", "mkdir")

# Qt's names of weights that fonts call otherwise.
FONT_WEIGHTS = {"Normal": "Regular", "DemiBold": "SemiBold"}


def is_program_or_library(file):
    with open(file, "rb") as stream:
        return stream.read(4) == b"\x7fELF"


class BundleTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="overlap-bundle-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.archive = pathlib.Path(output_of(SOURCE / "packaging/bundle.sh", BUILD, cls.folder).splitlines()[-1])
        cls.root = cls.folder / "root"
        for name in ("bin", "proc", "dev", "tmp", "data"):
            (cls.root / name).mkdir(parents=True)
        with tarfile.open(cls.archive) as archive:
            archive.extractall(cls.root)
        (cls.bundle,) = cls.root.glob("overlap-studio-*")
        shutil.copy(shutil.which("busybox"), cls.root / "bin/busybox")
        for name in SHELL_COMMANDS:
            (cls.root / "bin" / name).symlink_to("busybox")
        shutil.copy(GRAPH, cls.root / "data")

    def inside(self, *arguments, program="overlap", bundle=None, library_path=None):
        """Runs a program of the bundle in a root that has nothing else; where that is not allowed, with no command of
        the machine, so that the bundle's own C library and libraries are taken."""
        rooted = may_change_root(self.root)
        top = "" if rooted else str(self.root)
        words = " ".join("'" + re.sub("^/tmp/", top + "/tmp/", word) + "'" for word in arguments)
        script = self.root / "run.sh"
        script.write_text(f"cd {top}/data\nexec {top}/{(bundle or self.bundle).name}/{program} {words}\n")
        environment = {"HOME": f"{top}/tmp", "PATH": f"{top}/bin", "QT_QPA_PLATFORM": "offscreen"}
        if library_path:
            script.write_text(f"export LD_LIBRARY_PATH={top}{library_path}\n" + script.read_text())
        if not rooted:
            return output_of(self.root / "bin/sh", script, env=environment)
        return output_inside(self.root, "/run.sh", environment)

    def test_is_small(self):
        self.assertLessEqual(self.archive.stat().st_size, 45 * MB)
        unpacked = sum(file.lstat().st_size for file in self.bundle.rglob("*") if file.is_file())
        self.assertLessEqual(unpacked, 120 * MB)

    def test_has_every_library_that_it_needs(self):
        files = [file for file in self.bundle.rglob("*") if file.is_file() and is_program_or_library(file)]
        there = {file.name for file in files}
        self.assertGreater(len(files), 40)
        for file in files:
            needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", file))
            for library in needed:
                if file.name == "overlap-runner-devices.so" and re.match(OF_THE_MACHINE, library):
                    continue
                self.assertIn(library, there, f"{file.name} needs it")
            self.assertNotIn("/home", output_of("readelf", "-d", file))

    def test_has_a_font_of_each_weight_that_the_window_paints_with(self):
        named = "QFont::(Thin|ExtraLight|Light|Normal|Medium|DemiBold|Bold|ExtraBold|Black)\\b"
        weights = {weight for file in (SOURCE / "ui").rglob("*.cpp") for weight in re.findall(named, file.read_text())}
        self.assertIn("DemiBold", weights)
        for weight in weights | {"Normal"}:
            self.assertTrue((self.bundle / f"fonts/Inter-{FONT_WEIGHTS.get(weight, weight)}.otf").exists(), weight)

    def test_has_the_licence_of_everything(self):
        licences = self.bundle / "licences"
        for package in ("overlap-studio", "libqt6core6", "libicu72", "fonts-inter", "libc6", "libgvc6"):
            self.assertGreater((licences / package).stat().st_size, 100, package)

    def test_commands_run_without_any_library_of_the_machine(self):
        self.assertIn("1843 nodes", self.inside("info", GRAPH.name))
        simulated = json.loads(self.inside("simulate", GRAPH.name, "--preset", "torchtitan_default", "--json", "--quiet"))
        own = json.loads(
            output_of(BUILD / "bin/overlap", "simulate", GRAPH, "--preset", "torchtitan_default", "--json", "--quiet")
        )
        self.assertEqual(simulated["step_ms"], own["step_ms"])
        self.inside("search", GRAPH.name, "--effort", "20", "-o", "/tmp/found.plan.json", "--quiet")
        self.assertTrue((self.root / "tmp/found.plan.json").exists())
        self.inside("apply", GRAPH.name, "--pipeline", "/tmp/found.plan.json", "-o", "/tmp/made.graph.json", "--quiet")

    def test_a_dry_run_needs_neither_mpi_nor_cuda(self):
        self.inside("--dry-run", GRAPH.name, "--iterations", "1", "-o", "/tmp/run.json", program="overlap-runner")
        self.assertEqual(json.loads((self.root / "tmp/run.json").read_text())["mode"], "dry_run")

    def test_the_runner_says_what_it_finds_of_devices(self):
        found = subprocess.run([self.bundle / "overlap-runner", "--devices"], capture_output=True, text=True)
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertIn("devices", json.loads(found.stdout))

    def make_library_of_mpi(self, folder):
        """A substitute that has what the module asks for, and says that it is Open MPI."""
        folder.mkdir(exist_ok=True)
        asked = output_of("nm", "-D", "--undefined-only", self.bundle / "runner/overlap-runner-open-mpi.so")
        names = set(re.findall(r" U ((?:MPI|ompi)_\w+)", asked)) - {"MPI_Get_library_version"}
        self.assertGreater(len(names), 10)
        source = folder / "mpi.c"
        source.write_text("int MPI_Get_library_version(char* text, int* length) {\n"
                          'static const char version[] = "Open MPI v5.0.0, a substitute";\n'
                          "for (*length = 0; version[*length]; ++*length) text[*length] = version[*length];\nreturn 0; }\n" +
                          "".join(f"int {name}(void) {{ return 0; }}\n" for name in sorted(names)))
        output_of("cc", "-shared", "-fPIC", "-nostdlib", "-fno-builtin", "-o", folder / "libmpi.so.40", source)

    def test_the_runner_finds_its_modules_and_the_machines_mpi(self):
        """With the bundle's C library as with the machine's, and as the window starts it."""
        if not (self.bundle / "runner/overlap-runner-open-mpi.so").exists():
            self.skipTest("built without headers of Open MPI")
        self.make_library_of_mpi(self.root / "mpi")
        answers = [self.inside("--devices", program="overlap-runner", library_path="/mpi"),
                   self.inside("--devices", program="glibc/overlap-runner", library_path="/mpi")]
        environment = {"HOME": "/tmp", "PATH": os.environ["PATH"], "LD_LIBRARY_PATH": str(self.root / "mpi")}
        answers += [output_of(self.bundle / program, "--devices", env=environment)
                    for program in ("overlap-runner", "bin/overlap-runner")]
        for answer in map(json.loads, answers):
            self.assertEqual(answer["mpi"], "Open MPI v5.0.0")
            has_module = (self.bundle / "runner/overlap-runner-devices.so").exists()
            self.assertEqual("this runner has no GPU support" in answer.get("reason", ""), not has_module)

    def test_the_window_draws_itself_and_the_graph(self):
        self.inside(GRAPH.name, "--screenshot", "/tmp/window.png", program="overlap-studio")
        self.assertGreater((self.root / "tmp/window.png").stat().st_size, 50_000)
        # Boxes of the graph are placed by a helper of its own.
        self.inside(GRAPH.name, "--view", "graph", "--screenshot", "/tmp/graph.png", program="overlap-studio")
        self.assertGreater((self.root / "tmp/graph.png").stat().st_size, 10_000)

    def test_the_command_line_alone_is_small(self):
        archive = pathlib.Path(
            output_of(SOURCE / "packaging/bundle.sh", "--command-line", BUILD, self.folder).splitlines()[-1]
        )
        self.assertLess(archive.stat().st_size, 13 * MIB)
        with tarfile.open(archive) as unpacked:
            unpacked.extractall(self.root)
        (bundle,) = self.root.glob("overlap-[0-9]*")
        self.assertFalse((bundle / "overlap-studio").exists())
        self.assertIn("1843 nodes", self.inside("info", GRAPH.name, bundle=bundle))

    def test_the_machines_own_c_library_is_taken_where_it_is_new_enough(self):
        copy = self.folder / "without-its-own"
        shutil.copytree(self.bundle, copy)
        shutil.rmtree(copy / "glibc")
        link = self.folder / "by-another-name"
        link.symlink_to(copy / "overlap")
        for program in (copy / "overlap", link):
            found = output_of(program, "info", GRAPH, env={"HOME": "/tmp", "PATH": os.environ["PATH"]})
            self.assertIn("1843 nodes", found)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[4:])
