"""Opens, plans and simulates files that are as large as they get, each under a limit of memory, and prints a table.

    run.py PROGRAMS WORK [CASE...]

PROGRAMS holds the release build's programs. The files are made once, below WORK, from real ones. The limit is of
resident memory: what a program touches of its address space and of files that it maps, at its peak, as the system
counts it for wait4(); a program that goes beyond it is ended. RLIMIT_AS would also count what is only reserved, of which
simdjson takes more than eight bytes for each byte of a document. Exit status 1 where a program fails or goes beyond the
limit, or where reading takes longer than 100 ms to tell of progress or to stop.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GRAPHS = ROOT / "tests" / "data" / "graphs"
LIMIT_KIB = 4 << 20
ANSWER_MS = 100

LAYERED = GRAPHS / "llama3_8b_fsdp64.prebucket.graph.json.gz"
TRACE = ROOT / "tests" / "data" / "traces" / "hta_sampled_rank0.json.gz"


def end_beyond_limit(child):
    """Ends a program as soon as it is seen beyond the limit; its peak is compared with the limit at the end too."""
    while child.returncode is None:
        try:
            status = Path(f"/proc/{child.pid}/status").read_text()
        except OSError:
            return
        resident = re.search(r"VmRSS:\s+(\d+) kB", status)
        if resident and int(resident.group(1)) > LIMIT_KIB:
            child.kill()
            return
        time.sleep(0.05)


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
            child = subprocess.Popen([str(part) for part in command], stdout=printed, stderr=told)
            watch = threading.Thread(target=end_beyond_limit, args=(child,))
            watch.start()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            watch.join()
            seconds, peak_kib = time.monotonic() - began, usage.ru_maxrss
            failed = child.returncode != 0 or peak_kib > LIMIT_KIB
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

    def probe(self, kind, file):
        printed = self.run(f"{kind}: read and cancelled", file, self.programs / "reading_probe", kind, file)
        if not printed:
            return
        figures = json.loads(printed)
        told = ["slowest_cancel_ms"] + (["longest_silence_ms"] if kind == "trace" else [])
        for name in told:
            title = name.removesuffix("_ms").replace("_", " ")
            self.add(f"{kind}: {title}", None, f"{figures[name]:.0f} ms", figures[name] > ANSWER_MS)


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
    load.probe("trace", load.trace(2048))


def graph_case(load):
    file = load.graph(1_290_000)
    load.run("graph: read and summed up", file, load.programs / "overlap", "info", file)


def graph_answers_case(load):
    load.probe("graph", load.graph(1_290_000))


def nodes_case(load):
    file = load.graph(200_000)
    plan = many_buckets(load, 100)
    load.run("200,000 nodes: simulated", file, load.programs / "overlap", "simulate", file)
    load.run("200,000 nodes: planned, simulated", file, load.programs / "overlap", "simulate", file, "--pipeline", plan)


def buckets_case(load):
    file = load.graph(390_000)
    plan = many_buckets(load, 10_000)
    simulate = (load.programs / "overlap", "simulate", file, "--pipeline", plan)
    load.run("10,000 buckets: planned, simulated", file, *simulate)


def editing_case(load):
    graph = GRAPHS / "llama3_debugmodel_fsdp8.prebucket.graph.json.gz"
    printed = load.run("8 hours of editing", None, load.programs / "editing_probe", graph)
    if not printed:
        return
    figures = json.loads(printed)
    growth = figures["growth_percent"]
    load.add(f"{figures['edits']:,} edits: growth of memory", None, f"{growth:.1f} %", growth > 5)
    # No time at all means that there were no steps to undo.
    undo_ms = figures["thousand_undo_ms"]
    load.add("1,000 steps undone and redone", None, f"{undo_ms:.0f} ms", undo_ms == 0)


CASES = {"trace": trace_case, "trace_answers": trace_answers_case, "graph": graph_case,
         "graph_answers": graph_answers_case, "nodes": nodes_case, "buckets": buckets_case, "editing": editing_case}


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
