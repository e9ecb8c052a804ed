"""The folder for machines with a GPU (tests/gpu/bundle.sh), in a root that has a C library, a shell and nothing else, on
the virtual device.

    test_gpu_bundle.py BUILD_FOLDER SOURCE_FOLDER LIBRARIES [unittest argument...]
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

BUILD, SOURCE, LIBRARIES = (pathlib.Path(argument) for argument in sys.argv[1:4])
MIB = 1 << 20
NEWEST_GLIBC, NEWEST_GLIBC_OF_GCC, NEWEST_GLIBCXX = (2, 35), (2, 36), (3, 4, 30)
C_LIBRARY = ("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1")
LOADER = pathlib.Path("/lib64/ld-linux-x86-64.so.2")
SHELL_COMMANDS = ("sh", "dirname", "readlink", "grep", "echo")
GRAPH = "samples/llama3_debugmodel_fsdp8.prebucket.graph.json.gz"


def output_of(*command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command} failed with {result.returncode}:\n{result.stdout}\n{result.stderr}")
    return result.stdout


class GpuBundle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="overlap-gpu-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.archive = pathlib.Path(output_of(SOURCE / "tests/gpu/bundle.sh", BUILD, cls.folder).splitlines()[-1])
        cls.root = cls.folder / "root"
        cls.root.mkdir()
        with tarfile.open(cls.archive) as archive:
            archive.extractall(cls.root)
        (cls.bundle,) = cls.root.glob("overlap-gpu-*")

    def binaries(self):
        files = [*self.bundle.glob("bin/*"), *self.bundle.glob("lib/**/*")]
        return [file for file in files if file.is_file() and file.read_bytes()[:4] == b"\x7fELF"]

    def test_is_small_and_has_the_licence_of_everything(self):
        self.assertLess(self.archive.stat().st_size, 40 * MIB)
        for package in ("overlap-studio", "libstdc++6", "libsimdjson14", "zlib1g"):
            self.assertGreater((self.bundle / "licences" / package).stat().st_size, 100)

    def test_needs_no_more_than_it_says(self):
        there = {file.name for file in self.binaries()}
        cuda = (self.bundle / "bin/cuda-libraries").read_text(encoding="ascii").split()
        self.assertEqual(sorted(name.split(".")[0] for name in cuda), ["libcublasLt", "libcudart", "libcupti", "libnccl"])
        self.assertGreater(len(there), 6)
        for file in self.binaries():
            machine = {*C_LIBRARY, LOADER.name}
            if file.name == "overlap-runner-devices.so":
                machine |= set(cuda)
            needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", file))
            self.assertEqual(set(needed) - there - machine, set(), file.name)
            asked = output_of("readelf", "-V", file)
            of_gcc = file.parent.name == "gcc"
            self.assertLessEqual(max(self.versions("GLIBC", asked)), NEWEST_GLIBC_OF_GCC if of_gcc else NEWEST_GLIBC,
                                 file.name)
            if not of_gcc:
                self.assertLessEqual(max(self.versions("GLIBCXX", asked), default=(0,)), NEWEST_GLIBCXX, file.name)

    @staticmethod
    def versions(name, text):
        return [tuple(map(int, version.split("."))) for version in re.findall(rf"{name}_([\d.]+)", text)]

    def make_root(self):
        """A C library, a shell, and CUDA's libraries where a toolkit has them."""
        c_library = self.root / "lib/x86_64-linux-gnu"
        for name in ("bin", "lib64", "lib/x86_64-linux-gnu", "dev", "tmp", "usr/local/cuda/lib64"):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        shutil.copy(LOADER.resolve(), self.root / "lib64" / LOADER.name)
        for name in C_LIBRARY:
            shutil.copy(LOADER.resolve().parent / name, c_library)
        for library in LIBRARIES.iterdir():
            shutil.copy(library, self.root / "usr/local/cuda/lib64")
        shutil.copy(shutil.which("busybox"), self.root / "bin/busybox")
        for name in SHELL_COMMANDS:
            if not (self.root / "bin" / name).is_symlink():
                (self.root / "bin" / name).symlink_to("busybox")

    @staticmethod
    def apart():
        return ["unshare", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]), "--mount", "--pid", "--fork"]

    def inside(self, command):
        """A command line of the folder, in that root."""
        script = self.root / "script.sh"
        script.write_text(f"cd /{self.bundle.name}\n{command}\n", encoding="ascii")
        mounted = ('mkdir -p "$0/proc" && mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && '
                   'PATH=/bin exec "$1" "$0" /bin/sh /script.sh')
        chroot = shutil.which("chroot", path="/usr/sbin:/sbin:/usr/bin:/bin")
        return output_of(*self.apart(), "sh", "-c", mounted, self.root, chroot,
                         env={"PATH": "/bin:/usr/bin:/usr/sbin:/sbin", "OVERLAP_VIRTUAL_DEVICE": "report=/tmp/report"})

    def test_one_rank_runs_where_nothing_else_is(self):
        if subprocess.run([*self.apart(), "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("this machine lets no test change its root")
        self.make_root()
        found = json.loads(self.inside("./with-cuda bin/overlap-runner --devices"))
        self.assertEqual([device["name"] for device in found["devices"]], ["virtual device (H100 SXM model)"])
        self.assertEqual(found["mpi"], "")
        self.inside(f"./with-cuda bin/overlap-runner {GRAPH} -o /tmp/run.json --trace /tmp/trace.json --iterations 2")
        result = json.loads((self.root / "tmp/run.json").read_text(encoding="utf-8"))
        note = "12 flex attentions are taken as causal: the graph does not tell their masks"
        self.assertEqual((result["mode"], result["notes"]), ("gpu", [note]))
        self.assertEqual(list((self.root / "tmp").glob("report*")), [])
        self.inside(f"./with-cuda bin/overlap calibrate {GRAPH} /tmp/run.json -o /tmp/fitted.cost.json")

    def run_script(self, *arguments, **environment):
        path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), "/usr/bin", "/bin"])
        return subprocess.run([self.bundle / "run.sh", *arguments], capture_output=True, text=True, timeout=300,
                              check=False, env={"PATH": path, "OVERLAP_VIRTUAL_DEVICE": "devices=1", **environment})

    def test_all_of_it_with_libraries_of_a_python_environment(self):
        packages = self.folder / "packages"
        shutil.copytree(LIBRARIES, packages / "nvidia/cu13/lib", dirs_exist_ok=True)
        (packages / "nvidia/nccl/lib").mkdir(parents=True, exist_ok=True)
        shutil.move(packages / "nvidia/cu13/lib/libnccl.so.2", packages / "nvidia/nccl/lib/libnccl.so.2")
        shutil.copy(LIBRARIES / "libvirtual_device.so", packages / "nvidia/nccl/lib")
        results = self.folder / "results"
        done = self.run_script("--folder", str(results), PYTHONPATH=str(packages), CUDA_HOME="/nowhere")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        figures = json.loads((results / "figures.json").read_text(encoding="utf-8"))
        self.assertTrue(figures["within_bounds"])
        self.assertEqual(figures["several_ranks"], "not tried: 1 device(s)")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
