"""Ranks of overlap-runner under either kind of MPI, and what it says where there is none or another than its starter's."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAMS, DATA = sys.argv[1], sys.argv[2]
RUNNER = os.path.join(PROGRAMS, "overlap-runner")
SAMPLES = os.path.join(DATA, "..", "..", "resources", "samples")
GRAPH = os.path.join(SAMPLES, "llama3_debugmodel_fsdp8.prebucket.graph.json.gz")
OTHER_GRAPH = os.path.join(SAMPLES, "llama3_8b_fsdp128.prebucket.graph.json.gz")
OPEN_MPI, MPICH = "overlap-runner-open-mpi.so", "overlap-runner-mpich.so"
# The starters as they are called where both are installed, and what the runner says of its MPI under them.
STARTERS = {"Open MPI": (["mpirun.openmpi", "--oversubscribe"], r"^Open MPI v[45]\.\d+"),
            "MPICH": (["mpirun.mpich"], r"^MPICH \d+\.\d+")}
# Open MPI refuses to run as root unless told twice; tests in containers are root.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_mpi_yield_when_idle="1")
for left_over in ("OVERLAP_RUNNER_MPI", "PMI_RANK", "PMI_SIZE", "PMIX_RANK", "OMPI_COMM_WORLD_SIZE"):
    ENVIRONMENT.pop(left_over, None)


def run(*command, **variables):
    return subprocess.run(command, capture_output=True, text=True, env=dict(ENVIRONMENT, **variables), timeout=120,
                          check=False)


def mpi_of(done):
    """What each rank that ran `overlap-runner --devices` said of its MPI."""
    return re.findall(r'"mpi":"([^"]*)"', done.stdout.replace(" ", "").replace("\n", ""))


class MpiModules(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.result = os.path.join(self.folder, "result.json")

    def dry(self, graph=GRAPH, runner=RUNNER):
        return [runner, "--dry-run", graph, "-o", self.result, "--iterations", "3", "--warm-up", "1"]

    def runner_with(self, *modules, without=()):
        """A copy of the runner with these modules. @param without libraries that it is not to find."""
        folder = os.path.join(self.folder, "runner")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        for module in modules:
            shutil.copy(os.path.join(PROGRAMS, module), folder)
        with open(RUNNER, "rb") as file:
            program = file.read()
        for library in without:
            absent = re.sub(b"^libmpi", b"libabs", library)
            self.assertIn(library, program)
            program = program.replace(library, absent)
        runner = os.path.join(folder, "overlap-runner")
        with open(runner, "wb") as file:
            file.write(program)
        os.chmod(runner, 0o755)
        return runner

    def test_nothing_is_linked_to_a_library_of_mpi(self):
        for name in ("overlap-runner", OPEN_MPI, MPICH):
            needed = subprocess.run(["readelf", "-d", os.path.join(PROGRAMS, name)], capture_output=True, text=True,
                                    check=True).stdout
            self.assertNotIn("libmpi", needed, name)

    def test_two_ranks_under_either_starter(self):
        for name, (starter, _) in STARTERS.items():
            with self.subTest(mpi=name):
                done = run(*starter, "-n", "2", *self.dry())
                self.assertEqual(done.returncode, 0, done.stderr)
                with open(self.result, encoding="utf-8") as file:
                    result = json.load(file)
                self.assertEqual([rank["rank"] for rank in result["ranks"]], [0, 1])
                self.assertIn("2 ranks on 1 machine", done.stdout)
                self.assertIn("; collectives in the same order on all ranks\n", done.stdout)
                os.remove(self.result)

    def test_the_starter_decides_which_mpi_is_loaded(self):
        for name, (starter, version) in STARTERS.items():
            with self.subTest(mpi=name):
                done = run(*starter, "-n", "1", RUNNER, "--devices")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(json.loads(done.stdout)["mpi"], version)

    def test_ranks_that_hold_other_graphs_launch_nothing(self):
        for name, (starter, _) in STARTERS.items():
            with self.subTest(mpi=name):
                done = run(*starter, "-n", "1", *self.dry(), ":", "-n", "1", *self.dry(OTHER_GRAPH))
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("the ranks do not agree, so nothing was launched: collective 1 differs: rank 0 issues",
                              done.stderr)
                self.assertFalse(os.path.exists(self.result))

    @staticmethod
    def process_of_rank(rank, starter):
        """The process of a rank, among those that the starter has started."""
        parents, found = {}, []
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/stat", encoding="ascii") as file:
                    parents[int(process)] = int(file.read().rsplit(")", 1)[1].split()[1])
                with open(f"/proc/{process}/environ", "rb") as file:
                    variables = file.read().split(b"\0")
            except OSError:  # it has ended meanwhile
                continue
            if {b"OMPI_COMM_WORLD_RANK=%d" % rank, b"PMI_RANK=%d" % rank} & set(variables):
                found.append(int(process))

        def is_of_starter(process):
            while process in parents and process != starter:
                process = parents[process]
            return process == starter

        (process,) = filter(is_of_starter, found)
        return process

    def test_a_rank_that_stands_still_is_named(self):
        for name, (starter, _) in STARTERS.items():
            with self.subTest(mpi=name):
                endless = [RUNNER, "--dry-run", GRAPH, "-o", self.result, "--iterations", "100000000", "--rank-timeout", "2"]
                with subprocess.Popen([*starter, "-n", "2", *endless], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      text=True, env=ENVIRONMENT) as job:
                    try:
                        self.assertIn("step ", job.stderr.readline())  # the steps have begun
                        os.kill(self.process_of_rank(1, job.pid), signal.SIGSTOP)
                        _, errors = job.communicate(timeout=60)
                    finally:
                        job.kill()
                self.assertNotEqual(job.returncode, 0)
                self.assertRegex(errors, r"rank 0 on \S+: rank 1 on \S+: it has not come to the next step within 2 s\n")

    def test_without_a_starter_the_mpirun_of_the_machine_decides(self):
        for name, (starter, version) in STARTERS.items():
            with self.subTest(mpi=name):
                link = os.path.join(self.folder, "mpirun")
                if os.path.lexists(link):
                    os.remove(link)
                os.symlink(shutil.which(starter[0]), link)
                done = run(RUNNER, "--devices", PATH=self.folder + os.pathsep + ENVIRONMENT["PATH"])
                self.assertRegex(json.loads(done.stdout)["mpi"], version)

    def test_one_can_be_asked_for(self):
        for choice, (_, version) in zip(("open-mpi", "mpich"), STARTERS.values()):
            done = run(RUNNER, "--devices", OVERLAP_RUNNER_MPI=choice)
            self.assertRegex(json.loads(done.stdout)["mpi"], version)
        done = run(*self.dry(), OVERLAP_RUNNER_MPI="lam", PMI_RANK="0", PMI_SIZE="1")
        self.assertEqual((done.returncode, done.stderr),
                         (1, 'overlap-runner: OVERLAP_RUNNER_MPI: found "lam", expected "open-mpi" or "mpich"\n'))

    def test_one_rank_needs_none(self):
        runner = self.runner_with()
        done = run(*self.dry(runner=runner))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(run(runner, "--devices").stdout)["mpi"], "")

    def test_a_runner_without_modules_says_so(self):
        done = run(*self.dry(runner=self.runner_with()), PMI_RANK="0", PMI_SIZE="2")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "overlap-runner: no MPI can be loaded: this runner has no module for MPICH: it was built "
                             "where MPICH's headers were missing; this runner has no module for Open MPI: it was built "
                             "where Open MPI's headers were missing\n"))

    def test_a_machine_without_mpi_is_told_of_both(self):
        runner = self.runner_with(OPEN_MPI, MPICH, without=(b"libmpi.so.40", b"libmpi.so.12", b"libmpich.so.12"))
        done = run(*STARTERS["Open MPI"][0], "-n", "2", *self.dry(runner=runner))
        self.assertNotEqual(done.returncode, 0)
        missing = r"{}: cannot open shared object file: No such file or directory"
        self.assertRegex(done.stderr, "overlap-runner: no MPI can be loaded: Open MPI 4 or 5: " +
                         missing.format(r"libabs\.so\.40") + "; MPICH, Intel MPI, MVAPICH or Cray MPICH: " +
                         missing.format(r"libabs\.so\.12") + "; " + missing.format(r"libabsch\.so\.12") + "\n")

    def test_a_starter_of_another_mpi_is_told(self):
        for name, lacks, other in (("Open MPI", (b"libmpi.so.40",), "MPICH "), ("MPICH", (b"libmpi.so.12", b"libmpich.so.12"),
                                                                               "Open MPI v")):
            with self.subTest(starter=name):
                runner = self.runner_with(OPEN_MPI, MPICH, without=lacks)
                done = run(*STARTERS[name][0], "-n", "2", *self.dry(runner=runner))
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stderr, rf"overlap-runner: MPI: the starter says that there are 2 ranks, and {other}\S+ "
                                 r"knows 1: the starter is of another MPI, which cannot be loaded: ")
                self.assertFalse(os.path.exists(self.result))

    def test_a_library_that_is_of_the_other_kind_is_not_taken(self):
        library = os.path.join(self.folder, "libmpi.so.40")
        source = os.path.join(self.folder, "other.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <string.h>\nint MPI_Get_library_version(char* text, int* length) {\n"
                       'strcpy(text, "MPICH Version:\\t4.0\\n"); *length = (int)strlen(text); return 0; }\n')
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        done = run(*self.dry(), OVERLAP_RUNNER_MPI="open-mpi", PMI_RANK="0", PMI_SIZE="2", LD_LIBRARY_PATH=self.folder)
        self.assertEqual((done.returncode, done.stderr),
                         (1, 'overlap-runner: no MPI can be loaded: Open MPI 4 or 5: libmpi.so.40 says that it is "MPICH '
                             '4.0"\n'))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
