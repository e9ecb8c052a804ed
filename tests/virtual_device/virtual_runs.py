"""Runs the runner on the virtual device and reads what both say of it. Standard library only."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import data_flow

# Open MPI refuses to run as root unless told twice. More ranks than cores should not spin while they wait.
MPI_ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_mpi_yield_when_idle": "1"}


class Run:
    """What is left of one run of the runner."""

    def __init__(self, folder, graph, status, output, errors):
        self.folder, self.graph = pathlib.Path(folder), graph
        self.status, self.output, self.errors = status, output, errors

    @property
    def result(self):
        return json.loads((self.folder / "run.json").read_text(encoding="utf-8"))

    def findings(self):
        """What the device reports on all ranks."""
        found = []
        for report in sorted(self.folder.glob("report-*")):
            found += [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
        return found

    def commands(self):
        """Names of the nodes that each command computes; the last is the one that it is launched for."""
        lines = (self.folder / "commands.txt").read_text(encoding="utf-8").splitlines()
        return [re.search(r"\(([^()]+)\)$", line).group(1).split() for line in lines
                if "stream: wait for" not in line]

    def flow(self):
        """Wrong reads of all ranks, and how many reads were looked at."""
        wrong, checked = [], 0
        for log in sorted(self.folder.glob("log-*")):
            of_rank, looked_at = data_flow.check(self.graph, log, self.commands())
            wrong += of_rank
            checked += looked_at
        return wrong, checked


class VirtualDevice:
    def __init__(self, programs, libraries):
        self.programs, self.libraries = pathlib.Path(programs), pathlib.Path(libraries)

    def environment(self, folder, settings=(), **more):
        words = [f"report={folder}/report", f"folder={folder}", *settings]
        paths = [str(self.libraries), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
        return dict(os.environ, **MPI_ENVIRONMENT, LD_LIBRARY_PATH=os.pathsep.join(paths),
                    OVERLAP_VIRTUAL_DEVICE=" ".join(words), **more)

    def command(self, folder, graph, *arguments, ranks=1):
        started = [shutil.which("mpirun.openmpi") or "mpirun", "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
        return [*started, str(self.programs / "overlap-runner"), str(graph), "-o", f"{folder}/run.json", *arguments]

    def run(self, graph, *arguments, ranks=1, settings=(), log=False, timeout=120, folder=None):
        """One run, by default of a step that counts behind one that does not, and one recorded behind another."""
        folder = folder or tempfile.mkdtemp(prefix="overlap-virtual-")
        words = [f"devices={max(ranks, 1)}", *settings, *([f"log={folder}/log"] if log else [])]
        options = ["--commands", f"{folder}/commands.txt"] if log else []
        if "--iterations" not in arguments:
            options += ["--warm-up", "1", "--iterations", "1", "--recorded", "1"]
        done = subprocess.run(self.command(folder, graph, *options, *arguments, ranks=ranks), capture_output=True,
                              text=True, env=self.environment(folder, words), timeout=timeout, check=False)
        return Run(folder, graph, done.returncode, done.stdout, done.stderr)

    def overlap(self, *arguments):
        done = subprocess.run([str(self.programs / "overlap"), *map(str, arguments)], capture_output=True, text=True,
                              timeout=120, check=False)
        if done.returncode != 0:
            raise AssertionError(f"overlap {arguments}: {done.stderr}")
        return done.stdout
