#!/usr/bin/env python3
"""Calls of the system that fail at the n-th time, under every command that reads or writes files.

    system_faults_test.py [--virtual-device FOLDER] [--python PYTHON] [--all] [--seed SEED] PROGRAMS LIBRARY ROOT
                          [SCENARIO...]

LIBRARY is tests/faults/system_faults.cpp, built. FOLDER has the libraries of tests/virtual_device, on which the runner is
tried; without it the runner is left out. So is core for Python without PYTHON, an interpreter that has it. Each scenario
is a command whose outputs are there already. It runs once for the figures: how often it makes each call. Then it runs
again, as often as that, and at each run one call fails: the first, the second and so on, alone or with all that follow.
Whatever fails,

* no run ends by a signal, and none takes wrong usage for the cause;
* a run that ends with 0 has made what it makes without a fault, and printed it;
* any other says, in its last line on stderr, a file of the scenario and what is wrong with it, or what else is lacking;
* each output is whole: as it was, or as it should be; and there is no other file beside it;
* calls are caught: files are opened, read and written, and nearly all that is to fail does.

Of calls that are made often some are chosen by SEED; --all tries each, and of the allocations a hundred. Prints a line for each scenario;
exit status 0 when all of it held.
"""
import argparse
import concurrent.futures
import errno
import gzip
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

OLD = b"what was there before\n"
TIME_LIMIT_S = 120

# With which errors a call may fail, as its manual page has it.
ERRORS = {
    "open": [errno.EMFILE, errno.EACCES],
    "read": [errno.EIO],
    "write": [errno.ENOSPC, errno.EIO],
    "synchronise": [errno.EIO],
    "rename": [errno.EIO],
    "link": [errno.EIO],
    "unlink": [errno.EIO],
    "map": [errno.ENOMEM],
    "truncate": [errno.EIO],
    "close": [errno.EIO],
    "stat": [errno.EIO],
    "list": [errno.EIO],
    "make_folder": [errno.ENOSPC],
    "mode": [errno.EPERM],
    "lock": [errno.ENOLCK],
    "thread": [errno.EAGAIN],
    "memory": [errno.ENOMEM],
}
# What is lacking where a message need name no file.
LACKING = {"thread": ["thread"], "memory": ["memory"]}
# What core for Python is tried on; Python itself is not.
SCRIPT = """
import sys
from overlap_studio import core
try:
    core.apply(core.read_graph(sys.argv[1]), core.read_plan(sys.argv[2])).graph.write(sys.argv[3])
except core.InputError as error:
    sys.exit("python: " + str(error))
"""
CHOSEN = 6  # of the numbers of a call, where not all are tried
CHOSEN_ALLOCATIONS = 100  # where all other calls are

# Share of the faults that come about: threads may take turns, so a call that is counted may not be made again.
REACHED = 0.9


class Fault(NamedTuple):
    call: str
    at: int
    error: int
    stays: bool

    def __str__(self):
        following = " and all after it" if self.stays else ""
        return f"{self.call} {self.at}{following}: {errno.errorcode[self.error]}"


class Scenario(NamedTuple):
    name: str
    arguments: list  # {in} and {out} are the folders of its inputs and outputs
    inputs: dict  # what each is a copy of, a path or bytes
    outputs: tuple = ()
    standard_input: str = ""  # an input
    program: str = "overlap"  # or a path
    name_told: str = "overlap"  # before its sentences
    environment: dict = {}
    left_out: tuple = ()  # calls
    prepared: tuple = ()  # arguments with which `overlap` makes another input before

    @property
    def calls(self):
        """What it cannot do without."""
        needed = ("open", "read", "memory", *(["write"] if self.outputs else []))
        return tuple(call for call in needed if call not in self.left_out)


def scenarios(root, virtual_device, python):
    data, samples = root / "tests/data", root / "resources/samples"
    graph = data / "graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz"
    plain = gzip.decompress(graph.read_bytes())
    trace = data / "traces/hta_no_distributed_info.json.gz"
    pipeline = json.dumps([{"pass": "manual_overlap_bucketing",
                            "options": {"module_bucket_plans": ["layers.0"], "module_stack_fn": "custom.module_fqn"}}])
    step = data / "fx_text"
    plan = {"g": graph, "p": b'{"format": "overlap-plan", "version": 1, "buckets": ["layers.0", "layers.1"]}'}
    job = {file.name: file for file in samples.glob("llama3_8b_pp8*")}
    measured = ("simulate", "{in}/g", "--trace", "{in}/t")
    found = [
        Scenario("apply", ["apply", "{in}/g", "--pipeline", "{in}/p", "-o", "{out}/a.graph.json.gz", "--report", "{out}/r"],
                 {"g": graph, "p": pipeline.encode()}, ("a.graph.json.gz", "r")),
        Scenario("simulate", ["simulate", "{in}/g", "--trace", "{out}/t.json"], {"g": plain}, ("t.json",)),
        Scenario("pipe", ["simulate", "-", "--trace", "{out}/t.json"], {"g": plain}, ("t.json",), "g"),
        Scenario("export", ["export", "{in}/p", "--graph", "{in}/g", "--to", "report", "-o", "{out}/r.html"], plan, ("r.html",)),
        Scenario("search", ["search", "{in}/g", "--effort", "4", "--threads", "3", "-o", "{out}/p", "--front", "{out}/f"],
                 {"g": graph}, ("p", "f")),
        Scenario("sweep", ["sweep", "{in}/g", "--plan", "{in}/p", "--jobs", "3", "--csv", "{out}/s"], plan, ("s",)),
        Scenario("import", ["import", "{in}/n", "--tensors", "{in}/t", "-o", "{out}/g"],
                 {"n": step / "step.untyped.py", "t": step / "step.tensors.json"}, ("g",)),
        Scenario("job", ["job", "simulate", "{in}/llama3_8b_pp8.job.json", "--trace", "{out}/t"], job, ("t",)),
        Scenario("trace", ["trace-stats", "{in}/t"], {"t": trace}),
        Scenario("info", ["info", "{in}/g", "--json"], {"g": graph}),
        Scenario("compare", ["compare", "{in}/g", "--plan", "{in}/p", "--trace", "{in}/t"], {**plan, "t": b""},
                 prepared=measured),
        Scenario("calibrate", ["calibrate", "{in}/g", "{in}/t", "--plan", "{in}/p", "-o", "{out}/m"],
                 {**plan, "t": b""}, ("m",), prepared=measured),
    ]

    def runner(name, *options, **more):
        return Scenario(name, ["{in}/g", *options, "-o", "{out}/r", "--trace", "{out}/t", "--commands", "{out}/c"], {"g": graph},
                        ("r", "t", "c"), program="overlap-runner", name_told="overlap-runner", **more)

    found.append(runner("dry run", "--dry-run"))
    if virtual_device:
        # It allocates memory itself, which a device does not.
        found.append(runner("runner", "--warm-up", "1", "--iterations", "1", "--recorded", "1", left_out=("memory",),
                            environment={"LD_LIBRARY_PATH": str(virtual_device), "OVERLAP_VIRTUAL_DEVICE": "devices=1"}))
    if python:
        found.append(Scenario("python", ["-c", SCRIPT, "{in}/g", "{in}/p", "{out}/a"], plan, ("a",), name_told="python",
                              program=str(python.absolute()), left_out=("memory", "thread")))
    return found


class Run(NamedTuple):
    status: int
    printed: bytes
    said: str
    outputs: dict
    counts: dict

    @property
    def last_line(self):
        return (self.said.splitlines() or [""])[-1]


class Bench:
    """Runs of one scenario, each in a folder as it was before."""

    def __init__(self, programs, library, scenario, folder):
        self.program, self.library, self.scenario, self.folder = programs / scenario.program, library, scenario, folder
        self.inputs, self.counts = folder / "in", folder / "counts"
        self.inputs.mkdir()
        for name, content in scenario.inputs.items():
            (self.inputs / name).write_bytes(content if isinstance(content, bytes) else content.read_bytes())
        if scenario.prepared:
            arguments = [part.format(**{"in": self.inputs}) for part in scenario.prepared]
            subprocess.run([programs / "overlap", *arguments], check=True, stdout=subprocess.DEVNULL, timeout=TIME_LIMIT_S)

    def run(self, place, fault=None):
        """@param place a name that no other run uses at the time."""
        work = self.folder / place
        outputs = work / "out"
        outputs.mkdir(parents=True)
        for name in self.scenario.outputs:
            (outputs / name).write_bytes(OLD)
        counts = work / "counts"
        environment = dict(os.environ, **self.scenario.environment, LD_PRELOAD=str(self.library),
                           OVERLAP_FAULTS_BELOW=str(self.folder), OVERLAP_FAULTS_CALL=fault.call if fault else "", OVERLAP_FAULTS_COUNTS=str(counts))
        if fault:
            environment.update(OVERLAP_FAULTS_AT=str(fault.at), OVERLAP_FAULTS_ERROR=str(fault.error),
                               OVERLAP_FAULTS_STAYS="1" if fault.stays else "0")
        places = {"in": self.inputs, "out": outputs}
        source = self.scenario.standard_input
        with open(self.inputs / source if source else os.devnull, "rb") as standard_input:
            done = subprocess.run([self.program, *(part.format(**places) for part in self.scenario.arguments)],
                                  stdin=standard_input, capture_output=True, env=environment, timeout=TIME_LIMIT_S,
                                  check=False)
        found = {file.name: file.read_bytes() for file in outputs.iterdir()}
        counted = dict(line.split() for line in counts.read_text().splitlines()) if counts.exists() else {}
        shutil.rmtree(work)
        printed = done.stdout.replace(str(work).encode(), b"")
        return Run(done.returncode, printed, done.stderr.decode(errors="replace"), found,
                   {call: int(count) for call, count in counted.items()})


def faults_of(counts, chance, all_of_them):
    """Every fault that a scenario can have, or some."""
    chosen = []
    for call, errors in ERRORS.items():
        count = counts.get(call, 0)
        numbers = range(1, count + 1)
        limit = CHOSEN if not all_of_them else CHOSEN_ALLOCATIONS if call == "memory" else count
        if count > limit:
            # The ends, where things are opened and put in place, and one of each part between.
            part = (count - 2) / (limit - 2)
            numbers = [1, *(2 + int(part * (i + chance.random())) for i in range(limit - 2)), count]
        for number in numbers:
            for stays in (False, True):
                chosen += [Fault(call, number, error, stays) for error in (errors if all_of_them else errors[:1])]
    return chosen


def problems(scenario, clean, run, fault):
    """What does not hold."""
    found = []
    if run.status not in (0, 1):
        found.append(f"ends with {run.status}")
    if run.status == 0 and (run.outputs, run.printed) != (clean.outputs, clean.printed):
        found.append("ends with 0, and has not made what it makes without a fault")
    if run.status == 1:
        lacking = LACKING.get(fault.call, [])
        names = [*scenario.inputs, *scenario.outputs, *(["standard input"] if scenario.standard_input else [])]
        said = run.last_line
        if not said.startswith(f"{scenario.name_told}: "):
            found.append("says nothing of its own")
        elif not any(word in said for word in lacking) and not any(
                f"/{name}:" in said or said.startswith(f"{scenario.name_told}: {name}") for name in names):
            found.append("does not name what failed")
    for name, content in run.outputs.items():
        if name not in clean.outputs:
            found.append(f"leaves {name} behind")
        elif content not in (OLD, clean.outputs[name]):
            found.append(f"{name} is neither as before nor as after")
    found += [f"{name} is gone" for name in scenario.outputs if name not in run.outputs]
    if found and run.said:
        found.append(f"said: {run.said.strip()[-300:]}")
    return found


def try_scenario(scenario, options, folder):
    """@returns what did not hold, after a line on what was tried."""
    begun = time.monotonic()
    bench = Bench(options.programs, options.library, scenario, folder)
    clean = bench.run("clean")
    if clean.status != 0 or any(clean.outputs[name] == OLD for name in scenario.outputs):
        return [f"{scenario.name}: does not run without a fault: {clean.status} {clean.said}"]
    uncounted = [call for call in scenario.calls if clean.counts.get(call, 0) == 0]
    if uncounted:
        return [f"{scenario.name}: not one call of {', '.join(uncounted)} is counted"]
    counts = {call: count for call, count in clean.counts.items() if call not in scenario.left_out}
    chosen = faults_of(counts, random.Random(f"{options.seed} {scenario.name}"), options.all)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = list(pool.map(lambda item: bench.run(str(item[0]), item[1]), enumerate(chosen)))
    told, refused, reached = [], 0, 0
    for fault, run in zip(chosen, runs):
        refused += run.status == 1
        # A process that ended by a signal has written no counts.
        reached += run.counts.get("failed", 1)
        found = problems(scenario, clean, run, fault)
        if found:
            told.append(f"{scenario.name}, {fault}: " + "; ".join(found))
    if reached < REACHED * len(chosen):
        told.append(f"{scenario.name}: {reached} of {len(chosen)} faults came about")
    calls = sum(count for call, count in clean.counts.items() if call not in ("memory", "failed"))
    print(f"{scenario.name}: {calls} calls, {clean.counts['memory']} allocations, {len(chosen)} faults tried, "
          f"{reached} came about, {refused} refused, {len(told)} problems, {time.monotonic() - begun:.1f} s", flush=True)
    return told


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("scenarios", nargs="*")
    parser.add_argument("--virtual-device", type=pathlib.Path)
    parser.add_argument("--python", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    told = []
    for scenario in scenarios(options.root.resolve(), options.virtual_device, options.python):
        if options.scenarios and scenario.name not in options.scenarios:
            continue
        with tempfile.TemporaryDirectory() as folder:
            told += try_scenario(scenario, options, pathlib.Path(folder).resolve())
    for line in told:
        print(line)
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
