"""Installs the project into a clean folder and unpacks its Debian packages, and starts what is found there.

usage: test_package.py BUILD_FOLDER SAMPLES_FOLDER [unittest argument...]
"""

import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

BUILD = pathlib.Path(sys.argv[1])
SAMPLES = pathlib.Path(sys.argv[2])
GRAPH = SAMPLES / "llama3_debugmodel_fsdp8.prebucket.graph.json.gz"

MIME_TYPES = {
    "application/vnd.overlap-studio.graph+json": "*.graph.json",
    "application/vnd.overlap-studio.graph+json+gzip": "*.graph.json.gz",
    "application/vnd.overlap-studio.plan+json": "*.plan.json",
    "application/vnd.overlap-studio.job+json": "*.job.json",
}


def output_of(*command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command} failed with {result.returncode}:\n{result.stdout}\n{result.stderr}")
    return result.stdout


class Installed:
    """What both ways of installing have to fulfil. Subclasses set `root` (what stands for /) and `prefix`."""

    def environment(self):
        """A person who has nothing of ours: a home folder of its own, no display."""
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LD_LIBRARY_PATH", "LANG")}
        return kept | {"HOME": str(home), "QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": str(home)}

    def test_commands_run(self):
        info = json.loads(output_of(self.prefix / "bin/overlap", "info", GRAPH, "--json"))
        self.assertGreater(info["nodes"], 100)
        result = self.folder / "run.json"
        output_of(self.prefix / "bin/overlap-runner", "--dry-run", GRAPH, "--iterations", "1", "-o", result)
        self.assertEqual(json.loads(result.read_text())["mode"], "dry_run")

    def test_runner_finds_its_module_for_devices(self):
        if not (BUILD / "bin/overlap-runner-devices.so").exists():
            self.skipTest("built without the CUDA toolkit")
        self.assertTrue((self.prefix / "libexec/overlap-studio/overlap-runner-devices.so").exists())
        found = json.loads(output_of(self.prefix / "bin/overlap-runner", "--devices"))
        self.assertNotIn("no GPU support", found.get("reason", ""))

    def test_window_starts_and_draws_its_graph(self):
        picture = self.folder / "window.png"
        output_of(self.prefix / "bin/overlap-studio", GRAPH, "--screenshot", picture, "--size", "1200x800",
                  env=self.environment())
        self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreater(picture.stat().st_size, 20_000)

    def test_layout_helper_is_where_the_window_looks(self):
        helper = self.prefix / "libexec/overlap-studio/overlap-layout"
        self.assertTrue(os.access(helper, os.X_OK))
        # An end of its input is its end.
        self.assertEqual(subprocess.run([helper], stdin=subprocess.DEVNULL).returncode, 0)

    def test_desktop_entry(self):
        entry = self.prefix / "share/applications/overlap-studio.desktop"
        if checker := shutil.which("desktop-file-validate"):
            self.assertEqual(output_of(checker, entry), "")
        fields = dict(line.split("=", 1) for line in entry.read_text().splitlines() if "=" in line)
        self.assertTrue((self.prefix / "bin" / fields["Exec"].split()[0]).exists())
        self.assertTrue((self.prefix / f"share/icons/hicolor/scalable/apps/{fields['Icon']}.svg").exists())
        self.assertEqual(set(fields["MimeType"].strip(";").split(";")), set(MIME_TYPES))

    def test_mime_types(self):
        space = "{http://www.freedesktop.org/standards/shared-mime-info}"
        document = xml.etree.ElementTree.parse(self.prefix / "share/mime/packages/overlap-studio.xml")
        found = {kind.get("type"): kind.find(space + "glob").get("pattern")
                 for kind in document.getroot().findall(space + "mime-type")}
        self.assertEqual(found, MIME_TYPES)

    def test_every_command_has_a_manual_page(self):
        help_text = output_of(self.prefix / "bin/overlap", "--help")
        commands = re.findall(r"^  ([a-z-]+)  ", help_text.split("Subcommands:")[1], re.M)
        self.assertIn("simulate", commands)
        pages = {page: [page] for page in ("overlap", "overlap-studio", "overlap-runner")}
        pages |= {f"overlap-{command}": ["overlap", command] for command in commands}
        for page, (program, *arguments) in pages.items():
            with self.subTest(page=page):
                text = gzip.open(self.prefix / f"share/man/man1/{page}.1.gz", "rt").read()
                self.assertIn(".SH NAME", text)
                self.assertNotIn(str(BUILD), text, "a path of the machine that built it")
                self.assertNotIn("QStandardPaths", text, "a complaint of the machine that built it")
                # What is said on stderr would come before the program's own first sentence.
                first = text.split(".SH DESCRIPTION\n")[1].splitlines()[0].replace("\\", "")
                said = output_of(self.prefix / "bin" / program, *arguments, "--help", env=self.environment())
                self.assertIn(first, said.splitlines())
        simulate = gzip.open(self.prefix / "share/man/man1/overlap-simulate.1.gz", "rt").read()
        self.assertIn("\\-\\-trace", simulate)

    def test_python_package_and_schemas_are_there(self):
        share = self.prefix / "share/overlap-studio"
        self.assertTrue((share / "torch/pyproject.toml").exists())
        self.assertTrue((share / "torch/overlap_studio/__init__.py").exists())
        for name in ("overlap-graph", "overlap-plan", "overlap-job", "overlap-report", "job-simulate", "job-schedules",
                     "redistribution-cases", "simulate", "sweep"):
            self.assertTrue((share / f"schemas/{name}.schema.json").exists(), name)
        self.assertEqual(list(share.rglob("__pycache__")), [])

    def test_links_of_the_documents_lead_somewhere(self):
        documents = self.prefix / "share/doc/overlap-studio"
        self.assertTrue((documents / "docs/formats.md").exists())
        output_of(sys.executable, "-B", pathlib.Path(__file__).parent.parent / "architecture/check_links.py", documents)

    def test_licences_are_listed(self):
        text = (self.prefix / "share/doc/overlap-studio/copyright").read_text()
        for part in ("CLI11", "JSON for Modern C++", "Qt 6", "Graphviz", "simdjson", "zlib", "Open MPI", "torchtitan"):
            self.assertIn(part, text)


class InstalledByCMake(Installed, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.prefix = cls.folder / "a folder"
        output_of("cmake", "--install", BUILD, "--prefix", cls.prefix)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()


@unittest.skipUnless(shutil.which("dpkg-deb"), "Debian's tools are not on this machine")
class InstalledFromDebianPackages(Installed, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        output_of("cpack", "-G", "DEB", "-B", cls.folder / "packages", cwd=BUILD)
        cls.packages = {path.name.split("_")[0]: path for path in (cls.folder / "packages").glob("*.deb")}
        cls.root = cls.folder / "root"
        for package in cls.packages.values():
            output_of("dpkg-deb", "--extract", package, cls.root)
        cls.prefix = cls.root / "usr"

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_packages_say_what_they_need(self):
        self.assertEqual(set(self.packages), {"overlap-command-line", "overlap-studio", "overlap-runner"})
        studio = output_of("dpkg-deb", "--field", self.packages["overlap-studio"])
        depends = re.search(r"^Depends: (.*)$", studio, re.M)[1]
        for library in ("libqt6widgets6", "libgvc6"):
            self.assertIn(library, depends)
        self.assertRegex(depends, r"overlap-command-line \(= ")
        self.assertNotIn("openmpi", depends)

    def test_the_command_line_needs_no_window(self):
        package = self.packages["overlap-command-line"]
        depends = re.search(r"^Depends: (.*)$", output_of("dpkg-deb", "--field", package), re.M)[1]
        for library in ("libqt6", "libgvc", "openmpi", "simdjson"):
            self.assertNotIn(library, depends)
        with tempfile.TemporaryDirectory() as root:
            output_of("dpkg-deb", "--extract", package, root)
            found = json.loads(output_of(pathlib.Path(root) / "usr/bin/overlap", "info", GRAPH, "--json"))
            self.assertGreater(found["nodes"], 100)
            self.assertTrue((pathlib.Path(root) / "usr/share/man/man1/overlap-apply.1.gz").exists())
            self.assertFalse((pathlib.Path(root) / "usr/bin/overlap-studio").exists())

    def test_each_package_brings_its_simdjson(self):
        """The programs find it in their own package, so that the system may have another version or none."""
        if not shutil.which("ldd"):
            self.skipTest("ldd is not on this machine")
        for name, programs in (("overlap-command-line", ["overlap"]), ("overlap-runner", ["overlap-runner"])):
            with tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder).resolve()
                output_of("dpkg-deb", "--extract", self.packages[name], root)
                for program in programs:
                    found = re.findall(r"libsimdjson\S+ => (\S+)", output_of("ldd", root / "usr/bin" / program))
                    self.assertEqual([path.startswith(str(root)) for path in found], [True], found)

    def test_the_command_line_takes_over_files_of_the_former_package(self):
        package = self.packages["overlap-command-line"]
        self.assertEqual(output_of("dpkg-deb", "--field", package, "Replaces").strip(), "overlap-studio")

    def test_the_runner_needs_no_mpi(self):
        fields = {name: output_of("dpkg-deb", "--field", self.packages["overlap-runner"], name)
                  for name in ("Depends", "Recommends")}
        self.assertEqual(re.sub(r" \(>= [0-9.:]+\)", "", fields["Depends"]).strip(),
                         "libc6, libgcc-s1, libstdc++6, zlib1g")
        self.assertRegex(fields["Depends"], r"libc6 \(>= 2\.\d+\)")
        self.assertEqual(fields["Recommends"].strip(), "openmpi-bin | mpich")

    @unittest.skipUnless(os.geteuid() == 0, "dpkg gives files to root")
    def test_an_upgrade_replaces_everything_and_a_purge_leaves_nothing(self):
        """In a root of its own, where nothing that packages need is installed and no script runs."""
        root = self.folder / "upgraded"
        for name in ("info", "updates", "triggers", "parts"):
            (root / "var/lib/dpkg" / name).mkdir(parents=True)
        for name in ("status", "available"):
            (root / "var/lib/dpkg" / name).touch()
        there = set(root.rglob("*"))
        dpkg = ["dpkg", f"--root={root}", "--force-depends", "--force-not-root", "--force-bad-path", "--no-triggers",
                "--log=/dev/null"]
        version = {name: output_of("dpkg-deb", "--field", package, "Version").strip() for name, package in self.packages.items()}
        output_of(*dpkg, "--install", *(self.older(name, package) for name, package in self.packages.items()))
        for name in self.packages:
            self.assertTrue((root / f"usr/share/doc/{name}/of-the-older-one").exists())
        for package in self.packages.values():
            output_of(*dpkg, "--install", package)
        self.assertEqual(output_of(*dpkg, "--verify", *self.packages), "")
        installed = output_of("dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W", "-f", "${Package} ${Version}\n")
        self.assertEqual(dict(line.split() for line in installed.splitlines()), version)
        files = {path.relative_to(root) for path in (root / "usr").rglob("*")}
        self.assertEqual(files, {path.relative_to(self.root) for path in (self.root / "usr").rglob("*")})
        output_of(*dpkg, "--purge", *self.packages)
        self.assertFalse((root / "usr").exists())
        self.assertEqual({path for path in set(root.rglob("*")) - there if path.is_file() and path.suffix == ".list"}, set())

    def older(self, name, package):
        """The package as an earlier release, in which it had a file more."""
        content = self.folder / f"older-{name}"
        output_of("dpkg-deb", "--raw-extract", package, content)
        (content / f"usr/share/doc/{name}").mkdir(parents=True, exist_ok=True)
        (content / f"usr/share/doc/{name}/of-the-older-one").write_text("\n")
        control = content / "DEBIAN/control"
        control.write_text(re.sub(r"^Version:.*$", "Version: 0.0.1", control.read_text(), flags=re.M))
        output_of("dpkg-deb", "-Znone", "--build", content, self.folder / f"{name}.older.deb")
        return self.folder / f"{name}.older.deb"

    def test_nothing_but_usr_is_touched(self):
        self.assertEqual([path.name for path in self.root.iterdir()], ["usr"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
