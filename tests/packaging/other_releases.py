#!/usr/bin/env python3
"""Unpack the bundle in minimal systems of other releases of Debian and Ubuntu, and run points of the tour there.

    other_releases.py BUILD_FOLDER SAMPLES_FOLDER SOURCE_FOLDER ROOTS_FOLDER [RELEASE...]

RELEASE is a name that debootstrap knows; without one these are tried: Debian 13 and 11, Ubuntu 22.04. Needs
root, debootstrap and its mirrors. Systems have what their release calls required, no more: no X, no fonts, no Qt. They
are kept in ROOTS_FOLDER for the next time. The bundle's figures must be those of the command line in BUILD_FOLDER, and
every library that its programs load must be its own or one of the C library's. Prints a table; exit status 1 where a
release fails.
"""
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

from changed_root import output_inside, output_of

DEFAULT_RELEASES = ("trixie", "bullseye", "jammy")
UBUNTU = ("jammy",)
# Debian signs its packages with keys that this system has. It has a package of Ubuntu's keys as well, from release 13 on.
KEYS_FROM, KEYS = "trixie", "usr/share/keyrings/ubuntu-archive-keyring.gpg"
GRAPH = "llama3_debugmodel_fsdp8.prebucket.graph.json.gz"
C_LIBRARY = re.compile(r"(ld-linux-x86-64|lib(c|m|dl|rt|pthread|resolv))\.so\.\d+")
PRESET = ("--preset", "torchtitan_default", "--json", "--quiet")


class Failure(Exception):
    """What did not work in a release, as a sentence."""


def make_root(release, roots):
    """A minimal system of a release; the one of an earlier run where that was finished."""
    root, finished = roots / release, roots / f"{release}.finished"
    if finished.exists():
        return root
    shutil.rmtree(root, ignore_errors=True)
    options = ["--variant=minbase", "--force-check-gpg"]
    if release == KEYS_FROM:
        options.append("--include=ubuntu-archive-keyring")
    if release in UBUNTU:
        options.append(f"--keyring={make_root(KEYS_FROM, roots) / KEYS}")
    log = roots / f"{release}.log"
    with open(log, "w", encoding="utf-8") as file:
        if subprocess.run(["debootstrap", *options, release, root], stdout=file, stderr=subprocess.STDOUT).returncode != 0:
            raise Failure(f"debootstrap cannot make it: {log}")
    finished.touch()
    return root


class Release:
    """The bundle, unpacked in a system of its own."""

    def __init__(self, root, archive, graph):
        self._root = root
        for old in [*root.glob("overlap-studio-*"), root / "data"]:
            shutil.rmtree(old, ignore_errors=True)
        (root / "data").mkdir()
        shutil.copy(graph, root / "data")
        with tarfile.open(archive) as bundle:
            bundle.extractall(root)
        (self.bundle,) = root.glob("overlap-studio-*")

    def run(self, command):
        """A command line in the data's folder, on a system without display, by a user without variables of their own."""
        (self._root / "data/command.sh").write_text(f"cd /data\n{command}\n", encoding="ascii")
        environment = {"HOME": "/data", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "QT_QPA_PLATFORM": "offscreen"}
        try:
            return output_inside(self._root, "/data/command.sh", environment)
        except AssertionError as error:
            raise Failure(str(error)) from error

    def program(self, name, *arguments):
        return self.run(" ".join((f"/{self.bundle.name}/{name}", *arguments)))

    def made(self, name, least_bytes):
        file = self._root / "data" / name
        if not file.exists() or file.stat().st_size < least_bytes:
            raise Failure(f"{name} has less than {least_bytes} bytes")
        return file

    def name(self):
        text = (self._root / "etc/os-release").read_text(encoding="utf-8")
        return re.search(r'^PRETTY_NAME="(.*)"$', text, re.MULTILINE)[1]

    def c_library(self):
        return self.run("getconf GNU_LIBC_VERSION").split()[1]

    def takes_systems_c_library(self):
        """Whether the launcher takes the system's C library, which it does where that is new enough."""
        traced = self.run(f"sh -x /{self.bundle.name}/overlap info {GRAPH} 2>&1")
        return f"exec /{self.bundle.name}/bin/overlap " in traced

    def libraries(self):
        """Names of the system's libraries that programs and plugins of the bundle load."""
        loader = "/lib64/ld-linux-x86-64.so.2"
        if not self.takes_systems_c_library():
            folder = f"/{self.bundle.name}"
            loader = f"{folder}/glibc/ld-linux-x86-64.so.2 --library-path {folder}/glibc:{folder}/lib"  # as glibc/run
        found = collections.Counter()
        for file in sorted(self.bundle.rglob("*")):
            inside = file.relative_to(self.bundle)
            # The runner's modules take CUDA and MPI from the machine, and its C library is started by itself.
            if file.is_symlink() or not file.is_file() or inside.parts[0] == "glibc" or "overlap-runner-" in file.name:
                continue
            with open(file, "rb") as stream:
                if stream.read(4) != b"\x7fELF":
                    continue
            for line in self.run(f"{loader} --list /{self.bundle.name}/{inside} 2>&1").splitlines():
                if "not found" in line:
                    raise Failure(f"{inside}: {line.strip()}")
                library = re.search(r"(\S+) \(0x", line)
                if library and not library[1].startswith(f"/{self.bundle.name}") and library[1] != "linux-vdso.so.1":
                    found[pathlib.Path(library[1]).name] += 1
        return sorted(found)


def try_release(release, wanted_ms):
    """Walks through the points; raises Failure at the first that does not hold. Returns the system's libraries."""
    if "1843 nodes" not in release.program("overlap", "info", GRAPH):
        raise Failure("info does not tell the graph's nodes")
    figures = json.loads(release.program("overlap", "simulate", GRAPH, *PRESET))
    if figures["step_ms"] != wanted_ms:
        raise Failure(f"simulate says {figures['step_ms']} ms, and {wanted_ms} where the bundle was made")
    release.program("overlap", "search", GRAPH, "--effort", "20", "-o", "found.plan.json", "--quiet")
    release.program("overlap", "apply", GRAPH, "--pipeline", "found.plan.json", "-o", "made.graph.json.gz", "--quiet")
    release.made("made.graph.json.gz", 10_000)
    release.program("overlap-studio", GRAPH, "--screenshot", "window.png")
    release.made("window.png", 50_000)
    release.program("overlap-studio", GRAPH, "--view", "graph", "--screenshot", "graph.png")
    release.made("graph.png", 10_000)
    release.program("overlap-runner", "--dry-run", GRAPH, "--iterations", "1", "-o", "run.json")
    if json.loads(release.made("run.json", 100).read_text(encoding="utf-8"))["mode"] != "dry_run":
        raise Failure("the runner's dry run says that it is none")
    if "devices" not in json.loads(release.program("overlap-runner", "--devices")):
        raise Failure("the runner does not tell devices")
    libraries = release.libraries()
    # Beside the bundle's own C library, the system's may not be taken in part.
    takes_systems = release.takes_systems_c_library()
    others = [name for name in libraries if not (takes_systems and C_LIBRARY.fullmatch(name))]
    if others:
        raise Failure(f"it takes libraries of the system: {', '.join(others)}")
    return libraries


def main():
    build, samples, source, roots = (pathlib.Path(argument).absolute() for argument in sys.argv[1:5])
    roots.mkdir(parents=True, exist_ok=True)
    graph = samples / GRAPH
    wanted_ms = json.loads(output_of(build / "bin/overlap", "simulate", graph, *PRESET))["step_ms"]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        archive = pathlib.Path(output_of(source / "packaging/bundle.sh", build, folder).splitlines()[-1])
        print("| system | its C library | taken is | of the system are loaded |\n" + "|---" * 4 + "|", flush=True)
        for name in sys.argv[5:] or DEFAULT_RELEASES:
            try:
                release = Release(make_root(name, roots), archive, graph)
                libraries = try_release(release, wanted_ms)
                taken = "the system's" if release.takes_systems_c_library() else "the bundle's"
                print(f"| {release.name()} | {release.c_library()} | {taken} | {', '.join(libraries) or 'none'} |", flush=True)
            except Failure as failure:
                failures.append(name)
                print(f"| {name} | failed: {failure} |", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
