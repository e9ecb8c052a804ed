"""Opens, plans and simulates files that are as large as they get, each under a limit of memory, and prints a table.

    run.py PROGRAMS WORK [CASE...]

PROGRAMS holds the release build's programs. The files are made once, below WORK, from real ones. The limit is of
address space (RLIMIT_AS), 4 GiB: a program that reserves more is refused it and fails. What is printed is the most that
was resident, as the system counts it for wait4(). Exit status 1 where a program fails, or where the window takes longer
than 100 ms to answer while a file is read.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GRAPHS = ROOT / "tests" / "data" / "graphs"
LIMIT_KIB = 4 << 20
ANSWER_MS = 100

LAYERED = GRAPHS / "llama3_8b_fsdp64.prebucket.graph.json.gz"
TRACE = ROOT / "tests" / "data" / "traces" / "hta_sampled_rank0.json.gz"


def limited():
    """Of the program that is about to start: the limit is of all that it reserves, touched or not."""
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_KIB << 10, LIMIT_KIB << 10))


class Load:
    """Makes the files and runs programs on them."""

    def __init__(self, programs, work):
        self.programs, self.work, self.rows, self.failures = programs, work, [], 0
        work.mkdir(parents=True, exist_ok=True)

    def trace(self, megabytes):
        made = self.work / f"{megabytes}_mb.trace.json"
        if not made.exists():
            self.make([sys.executable, ROOT / "tests" / "load" / "large_trace.py", TRACE, megabytes], made)
        return made

    def graph(self, nodes):
        made = self.work / f"{nodes}_nodes.graph.json"
        if not made.exists():
            self.make([self.programs / "repeat_layers", LAYERED, nodes], made)
        return made

    def make(self, command, made):
        """Runs a program whose last argument is the file that it writes; half of one is never taken for whole."""
        part = made.with_name("part." + made.name)
        subprocess.run([*map(str, command), str(part)], check=True)
        part.rename(made)

    def run(self, what, file, *command):
        """Runs a program under the limit; returns what it printed, or nothing where it failed."""
        with tempfile.TemporaryFile("w+") as printed, tempfile.TemporaryFile("w+") as told:
            began = time.monotonic()
            child = subprocess.Popen([str(part) for part in command], stdout=printed, stderr=told, preexec_fn=limited)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            seconds, peak_kib = time.monotonic() - began, usage.ru_maxrss
            failed = child.returncode != 0
            processor = usage.ru_utime + usage.ru_stime
            self.add(what, file, f"{seconds:.1f} s, {processor:.1f} s CPU, {peak_kib / 1024:,.0f} MiB", failed)
            printed.seek(0)
            told.seek(0)
            if failed:
                print(f"{what}: exit status {child.returncode}: {told.read().strip()}", file=sys.stderr)
            return "" if failed else printed.read()

    def add(self, what, file, figures, failed):
        self.failures += failed
        size = f"{file.stat().st_size / 2**20:,.0f} MB" if file else ""
        self.rows.append((what, size, figures, "FAILED" if failed else "ok"))

    def probe(self, title, kind, file, programs=("reading_probe", "answer_probe")):
        """How the readers, and the window around them, answer while they read. Only the window is held to a limit: a
        reader that was stopped is in nobody's way while it gives gigabytes back."""
        for program in programs:
            printed = self.run(f"{title}: {program}", file, self.programs / program, kind, file)
            for name, ms in json.loads(printed or "{}").items():
                what = name.removesuffix("_ms")
                is_judged = program == "answer_probe" and what != "open"
                self.add(f"{title}: {what.replace('_', ' ')}", None, f"{ms:,.0f} ms", is_judged and ms > ANSWER_MS)


def many_buckets(load, count):
    """A plan with a bucket for each of `count` modules of a graph that has so many."""
    parts = ("attention.qkv_linear.wqkv", "attention.wo", "attention_norm", "feed_forward.w1", "feed_forward.w2",
             "feed_forward.w3", "ffn_norm")
    names = [f"layers.{index // len(parts)}.{parts[index % len(parts)]}" for index in range(count)]
    plan = {"format": "overlap-plan", "version": 1, "buckets": [{"modules": name} for name in names],
            "pipeline": [{"pass": "manual_overlap_bucketing", "options": {"module_stack_fn": "custom.module_fqn"}}]}
    made = load.work / f"{count}_buckets.plan.json"
    made.write_text(json.dumps(plan))
    return made


def trace_case(load):
    file = load.trace(2048)
    load.run("trace: figures", file, load.programs / "overlap", "trace-stats", file)


def trace_answers_case(load):
    load.probe("trace", "trace", load.trace(2048))


def graph_case(load):
    file = load.graph(1_530_000)
    load.run("graph: read and summed up", file, load.programs / "overlap", "info", file)


def graph_answers_case(load):
    load.probe("graph", "graph", load.graph(1_530_000))


def nodes_case(load):
    file = load.graph(200_000)
    plan = many_buckets(load, 100)
    load.probe("200,000 nodes", "graph", file, ["answer_probe"])
    load.run("200,000 nodes: simulated", file, load.programs / "overlap", "simulate", file)
    load.run("200,000 nodes: planned, simulated", file, load.programs / "overlap", "simulate", file, "--pipeline", plan)


def buckets_case(load):
    file = load.graph(390_000)
    plan = many_buckets(load, 10_000)
    simulate = (load.programs / "overlap", "simulate", file, "--pipeline", plan)
    load.run("10,000 buckets: planned, simulated", file, *simulate)


def editing_case(load):
    graph = GRAPHS / "llama3_debugmodel_fsdp8.prebucket.graph.json.gz"
    for what, title in (("hours", "8 hours, cards"), ("window", "8 hours, window")):
        printed = load.run(title, None, load.programs / "editing_probe", what, graph)
        if not printed:
            continue
        figures = json.loads(printed)
        early, late = figures["early_mb"], figures["late_mb"]
        growth = (late / early - 1) * 100
        load.add(f"{title}: memory", None,
                 f"{figures['edits']:,} edits: {early:.1f} to {late:.1f} MB, {growth:+.1f} %", growth > 5)


def undo_case(load):
    graph = load.graph(390_000)
    printed = load.run("1,000 edits undone and redone", graph, load.programs / "editing_probe", "undo", graph,
                       many_buckets(load, 10_000))
    if not printed:
        return
    figures = json.loads(printed)
    load.add(f"{figures['steps']:,} steps of {figures['buckets']:,} buckets", None,
             f"both {figures['undo_and_redo_ms'] / 1000:.1f} s, slowest {figures['slowest_undo_ms']:.0f} ms",
             figures["steps"] < 1000 or figures["buckets"] < 10_000)


CASES = {"trace": trace_case, "trace_answers": trace_answers_case, "graph": graph_case,
         "graph_answers": graph_answers_case, "nodes": nodes_case, "buckets": buckets_case, "undo": undo_case,
         "editing": editing_case}


def main():
    parser = argparse.ArgumentParser(description="Loads the programs.")
    parser.add_argument("programs", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("cases", nargs="*", help=f"of {', '.join(CASES)}; all without any")
    arguments = parser.parse_args()
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    load = Load(arguments.programs, arguments.work)
    for case in arguments.cases or CASES:
        load.rows.clear()
        CASES[case](load)
        for what, size, figures, verdict in load.rows:
            print(f"{what:38}{size:>10}  {figures:36}{verdict}", flush=True)
    return load.failures > 0


if __name__ == "__main__":
    sys.exit(main())
