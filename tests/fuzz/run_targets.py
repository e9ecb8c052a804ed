"""Runs every fuzz target for some seconds, from what earlier runs found, and prints a table.

    run_targets.py PROGRAMS WORK SECONDS [TARGET...] [--until EXECUTIONS] [--seed N] [--anew]

PROGRAMS holds the targets (build/fuzz/bin), WORK what is kept: corpora, findings, logs and how often each target has
been executed in all. The log of a target is logs/TARGET.log; a run beside another one of the same target has
logs/TARGET-2.log, and so on. A fifth of the time goes to inputs of up to 64 kB, for which the bounds of time and memory
are promised, the rest to shorter ones, of which more can be tried. Exit status 1 where an input brought a target down,
took longer than a second, or needed more memory than is allowed; its file is named. It is 1, too, where a target did not
end: nobody knows the input then.
"""

import argparse
import base64
import fcntl
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import seeds

INPUT_LIMIT = seeds.INPUT_LIMIT
SHORT_INPUT = 4 * 1024
# Lengths of inputs, and the share of the time that inputs of up to that length get. Of the shortest ten times as many
# can be tried as of those that are eight times as long, and they reach nearly as much.
LENGTHS = {INPUT_LIMIT: 0.2, SHORT_INPUT: 0.2, 512: 0.6}
MOST_EXECUTIONS = 2**31 - 1
SLOWEST_S = 1
# libFuzzer writes an input that took longer than that once it is over. One that takes this long it ends, in a signal
# handler that allocates and so may wait for ever on a lock of the allocator: others on the machine must not get it there.
HANG_S = 20
PATIENCE_S = 120  # beyond the time that a target has, until it is taken to be stuck
# A start of a target; what it found is judged behind it. A start tells no slow input behind a slower one.
START_S = 300
MEMORY_MB = 2048
# Undefined operations end the program with their stack. Who allocated is not noted at each allocation, new memory is not
# filled, and what was given back is kept from use while a few more inputs run and still fits the processor's cache: by
# default these take longer than most inputs.
ENVIRONMENT = os.environ | {
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "ASAN_OPTIONS": "detect_stack_use_after_return=0:malloc_context_size=1:max_malloc_fill_size=0:"
                    "quarantine_size_mb=1:thread_local_quarantine_size_kb=256"}


class Run:
    """A program that has ended."""

    def __init__(self, command, output, limit_s):
        child = subprocess.Popen(command, env=ENVIRONMENT, stdout=output, stderr=subprocess.STDOUT)
        self.killed = False  # since it had not ended after `limit_s`

        def kill():
            self.killed = True
            os.kill(child.pid, signal.SIGKILL)

        killer = threading.Timer(limit_s, kill)
        killer.daemon = True
        killer.start()
        try:
            _, status, usage = os.wait4(child.pid, 0)
        finally:
            killer.cancel()
        self.status = child.returncode = os.waitstatus_to_exitcode(status)
        # What others do on the machine is not in it.
        self.processor_s = usage.ru_utime + usage.ru_stime


class Target:
    def __init__(self, program, work, seed, anew):
        self.program = program
        self.seed = seed
        self.work_anew = work / "anew" if anew else None
        self.name = program.name.removesuffix("_fuzz")
        self.seeds = work / "seeds" / self.name
        self.dictionary = work / "seeds" / f"{self.name}.dict"
        self.findings = work / "findings" / self.name
        self.logs = work / "logs"
        self.all_artifacts = work / "artifacts"
        self.log = self.log_file = self.artifacts = None
        # What long inputs find is kept apart: each start of the short ones would read it again.
        self.corpus, self.long_corpus = work / "corpus" / self.name, work / "corpus_long" / self.name
        for folder in (self.corpus, self.long_corpus, self.findings, self.logs):
            folder.mkdir(parents=True, exist_ok=True)
        self.executions = self.coverage = self.processor_s = 0
        self.failed = self.stuck = False
        self.starts = 0

    def run(self, seconds, most_executions, on_executed):
        """Runs until the time is over, as many inputs were tried, or something is found.

        `on_executed` is called with the number of executions of each start."""
        self.open_log()
        for longest, share in LENGTHS.items():
            self.run_inputs_up_to(longest, seconds * share, most_executions, on_executed)
        # What stops a target without an input, such as a program that cannot be started, is a finding too.
        self.failed = bool(self.found()) or self.stuck or self.executions == 0

    def open_log(self):
        """The first log that no other run holds: what it counts is this run's alone. One that an ended run left behind
        is overwritten."""
        for number in itertools.count(1):
            self.log = self.logs / (f"{self.name}.log" if number == 1 else f"{self.name}-{number}.log")
            self.log_file = self.log.open("a")
            try:
                fcntl.flock(self.log_file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # held until the process ends
            except BlockingIOError:
                self.log_file.close()
            else:
                self.log_file.truncate(0)
                break
        if self.work_anew:
            self.corpus = self.work_anew / self.log.stem
        self.artifacts = self.all_artifacts / self.log.stem
        shutil.rmtree(self.artifacts, ignore_errors=True)
        self.artifacts.mkdir(parents=True)

    def run_inputs_up_to(self, longest, seconds, most_executions, on_executed):
        end = time.monotonic() + seconds
        while not self.found() and not self.stuck and (wanted := most_executions - self.executions) > 0:
            began = time.monotonic()
            if (left := min(START_S, round(end - began))) <= 0:
                break
            self.starts += 1
            if self.work_anew:
                shutil.rmtree(self.corpus, ignore_errors=True)
                self.corpus.mkdir(parents=True)
            log_begin = self.log.stat().st_size
            run = Run(self.command(longest, left, wanted), self.log_file, left + PATIENCE_S)
            self.processor_s += run.processor_s
            executions = self.read_log(log_begin)
            self.executions += executions
            on_executed(executions)
            was_false_alarm = self.judge()
            # An alarm that others on the machine set off may be what it is stuck in.
            self.stuck = run.killed and not was_false_alarm
            if run.status == 0 and time.monotonic() - began < left - 1:
                break  # it has tried as many as it was told to

    def command(self, longest, seconds, executions):
        options = {"max_total_time": seconds, "runs": executions, "max_len": longest, "timeout": HANG_S,
                   "report_slow_units": SLOWEST_S, "rss_limit_mb": MEMORY_MB, "print_final_stats": 1,
                   "artifact_prefix": f"{self.artifacts}/", "reload": 0, "print_funcs": 0,
                   # Weighing rare features takes longer than running most of the inputs.
                   "entropic": 0}
        if self.seed is not None:
            options["seed"] = self.seed + self.starts
        if self.dictionary.exists():
            options["dict"] = self.dictionary
        # What is found goes into the first.
        folders = [self.long_corpus] if longest == INPUT_LIMIT and not self.work_anew else []
        folders += [self.corpus, self.seeds]
        return [self.program, *(f"-{name}={value}" for name, value in options.items()), *folders]

    def judge(self):
        """Keeps what the last start has found, but for slow inputs that were slowed down by others: the limit is a
        clock's, and the program itself took less time. Tells whether there was such a one."""
        was_false_alarm = False
        start_s = None
        for path in sorted(self.artifacts.iterdir()):
            if path.name.startswith(("timeout-", "slow-unit-")):
                if start_s is None:
                    start_s = Run([self.program, "-runs=0"], subprocess.DEVNULL, PATIENCE_S).processor_s
                again = Run([self.program, "-timeout=600", path], subprocess.DEVNULL, 600 + PATIENCE_S)
                if again.status == 0 and again.processor_s - start_s < SLOWEST_S:
                    path.unlink()
                    was_false_alarm = True
                    continue
            path.replace(self.findings / path.name)
        return was_false_alarm

    def found(self):
        return sorted(path for path in self.findings.iterdir())

    def read_log(self, begin):
        """What the log has from `begin` on, that of one start: how many inputs were executed."""
        with self.log.open("rb") as log:
            log.seek(begin)
            text = log.read().decode(errors="replace")
        self.coverage = max([self.coverage, *(int(number) for number in re.findall(r" cov: (\d+)", text))])
        # A start that was killed has said from time to time how far it was.
        said = (re.findall(r"stat::number_of_executed_units: (\d+)", text)
                or re.findall(r"^#(\d+)\t", text, re.MULTILINE))
        return int(said[-1]) if said else 0


class Counts:
    """How often each target has been executed in all, on the disk after each start. Runs beside each other may count at
    once."""

    def __init__(self, path):
        self.path = path
        self.total = self.read()

    def read(self):
        return json.loads(self.path.read_text()) if self.path.exists() else {}

    def of(self, target):
        return self.total.get(target.name, 0)

    def add(self, target, executions):
        with self.path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.total = self.read()
            self.total[target.name] = self.of(target) + executions
            # Never half a file: what it counts took days.
            written = self.path.with_suffix(".new")
            written.write_text(json.dumps(self.total, indent=1))
            written.replace(self.path)


def print_table(targets, counts):
    print(f"{'target':24}{'executions':>12}{'per CPU second':>16}{'in all':>12}{'edges':>8}{'corpus':>8}"
          f"{'findings':>10}")
    for target in targets:
        corpus = len(list(target.corpus.iterdir()))
        print(f"{target.name:24}{target.executions:12,}{target.executions / max(target.processor_s, 0.01):16,.0f}"
              f"{counts.of(target):12,}{target.coverage:8,}{corpus:8,}{len(target.found()):10}")


def print_failure(target):
    """What is needed to look into it where the machine that found it is gone."""
    for path in target.found():
        print(f"{target.name}: {path}; run {target.program} with it")
        if path.stat().st_size <= SHORT_INPUT:
            print(f"in base64: {base64.b64encode(path.read_bytes()).decode()}")
    if not target.found():
        print(f"{target.name}: did not {'end' if target.stuck else 'run'}, see {target.log}")
    log = target.log.read_text(errors="replace")
    reason = re.search(r"^.*(ERROR|runtime error|: error).*(\n.*){0,30}", log, re.MULTILINE)
    if reason:
        print(reason.group(0))


def main():
    parser = argparse.ArgumentParser(description="Runs the fuzz targets.")
    parser.add_argument("programs", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("seconds", type=int)
    parser.add_argument("targets", nargs="*", help="all without any")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--until", type=int, help="executions of a target in all, behind which it is left out")
    parser.add_argument("--seed", type=int, help="of the random choices: the same inputs from the same corpora")
    parser.add_argument("--anew", action="store_true",
                        help="each start begins with the seeds alone, not with what earlier ones found: it gets elsewhere")
    arguments = parser.parse_args()

    seeds.main(arguments.work / "seeds")
    targets = [Target(program, arguments.work, arguments.seed, arguments.anew)
               for program in sorted(arguments.programs.glob("*_fuzz"))]
    if arguments.targets:
        targets = [target for target in targets if target.name in arguments.targets]
    if not targets:
        sys.exit(f"run_targets.py: {arguments.programs} has no such target")
    counts = Counts(arguments.work / "executions.json")
    if arguments.until:
        targets = [target for target in targets if counts.of(target) < arguments.until]

    def run(target):
        target.run(arguments.seconds, arguments.until - counts.of(target) if arguments.until else MOST_EXECUTIONS,
                   lambda executions: counts.add(target, executions))

    with ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(run, targets))
    print_table(targets, counts)
    for target in targets:
        if target.failed:
            print_failure(target)
    print(f"{sum(not target.failed for target in targets)} of {len(targets)} fuzz targets found nothing")
    return any(target.failed for target in targets)


if __name__ == "__main__":
    sys.exit(main())
