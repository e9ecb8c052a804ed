"""Runs every fuzz target for some seconds, from what earlier runs found, and prints a table.

    run_targets.py PROGRAMS WORK SECONDS [TARGET...]

PROGRAMS holds the targets (build/fuzz/bin), WORK what is kept: corpora, findings, logs and how often each target has
been executed in all. Exit status 1 where an input brought a target down, took longer than a second, or needed more
memory than is allowed; its file is named.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import seeds

INPUT_LIMIT = seeds.INPUT_LIMIT
SLOWEST_S = 1
MEMORY_MB = 2048
# Undefined operations end the program with their stack.
ENVIRONMENT = os.environ | {"UBSAN_OPTIONS": "print_stacktrace=1", "ASAN_OPTIONS": "detect_stack_use_after_return=0"}


def own_seconds(program, *arguments):
    """Processor time that a run of a program takes: what others do on the machine is not in it."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    child = subprocess.Popen([program, *arguments], env=ENVIRONMENT, **quiet)
    _, _, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    return usage.ru_utime + usage.ru_stime


class Target:
    def __init__(self, program, work):
        self.program = program
        self.name = program.name.removesuffix("_fuzz")
        self.corpus = work / "corpus" / self.name
        self.seeds = work / "seeds" / self.name
        self.dictionary = work / "seeds" / f"{self.name}.dict"
        self.findings = work / "findings" / self.name
        self.log = work / "logs" / f"{self.name}.log"
        for folder in (self.corpus, self.findings, self.log.parent):
            folder.mkdir(parents=True, exist_ok=True)
        self.executions = self.coverage = 0
        self.failed = False

    def run(self, seconds):
        """Runs until the time is over or something is found."""
        end = time.monotonic() + seconds
        with self.log.open("w") as log:
            while (left := round(end - time.monotonic())) > 0:
                ended = subprocess.run(self.command(left), stdout=log, stderr=subprocess.STDOUT, env=ENVIRONMENT)
                self.drop_false_alarms()
                if ended.returncode == 0 or self.found():
                    break
        self.read_log()
        # What stops a target without an input, such as a program that cannot be started, is a finding too.
        self.failed = bool(self.found()) or self.executions == 0

    def command(self, seconds):
        options = {"max_total_time": seconds, "max_len": INPUT_LIMIT, "timeout": SLOWEST_S, "rss_limit_mb": MEMORY_MB,
                   "print_final_stats": 1, "artifact_prefix": f"{self.findings}/", "reload": 0}
        if self.dictionary.exists():
            options["dict"] = self.dictionary
        return [self.program, *(f"-{name}={value}" for name, value in options.items()), self.corpus, self.seeds]

    def drop_false_alarms(self):
        """The limit is a clock's; inputs that the program itself took less time for were slowed down by others."""
        start_s = own_seconds(self.program, "-runs=0")
        for path in self.found():
            slow = path.name.startswith(("timeout-", "slow-unit-"))
            if slow and own_seconds(self.program, "-timeout=600", path) - start_s < SLOWEST_S:
                path.unlink()

    def found(self):
        return sorted(path for path in self.findings.iterdir())

    def read_log(self):
        text = self.log.read_text(errors="replace")
        self.executions = sum(int(number) for number in re.findall(r"stat::number_of_executed_units: (\d+)", text))
        self.coverage = max((int(number) for number in re.findall(r" cov: (\d+)", text)), default=0)


def print_table(targets, seconds, total):
    print(f"{'target':24}{'executions':>12}{'a second':>10}{'in all':>12}{'edges':>8}{'corpus':>8}{'findings':>10}")
    for target in targets:
        print(f"{target.name:24}{target.executions:12,}{target.executions / seconds:10,.0f}{total[target.name]:12,}"
              f"{target.coverage:8,}{len(list(target.corpus.iterdir())):8,}{len(target.found()):10}")


def main():
    parser = argparse.ArgumentParser(description="Runs the fuzz targets.")
    parser.add_argument("programs", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("seconds", type=int)
    parser.add_argument("targets", nargs="*", help="all without any")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()

    seeds.main(arguments.work / "seeds")
    targets = [Target(program, arguments.work) for program in sorted(arguments.programs.glob("*_fuzz"))]
    if arguments.targets:
        targets = [target for target in targets if target.name in arguments.targets]
    if not targets:
        sys.exit(f"run_targets.py: {arguments.programs} has no such target")
    with ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(lambda target: target.run(arguments.seconds), targets))

    counts = arguments.work / "executions.json"
    total = json.loads(counts.read_text()) if counts.exists() else {}
    for target in targets:
        total[target.name] = total.get(target.name, 0) + target.executions
    counts.write_text(json.dumps(total, indent=1))
    print_table(targets, arguments.seconds, total)
    for target in targets:
        for path in target.found():
            print(f"{target.name}: {path}; run {target.program} with it")
        if target.failed and not target.found():
            print(f"{target.name}: did not run, see {target.log}")
    return any(target.failed for target in targets)


if __name__ == "__main__":
    sys.exit(main())
