"""Work in Python: the interpreter goes on beside it, Ctrl+C ends it, and threads share objects."""
from __future__ import annotations

import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from overlap_studio import core

from programs import SAMPLE, SAMPLE_PLAN

# Does one thing until it is interrupted.
ENDLESS = """
import sys
from overlap_studio import core
graph = core.read_graph(sys.argv[1])
plan = core.automatic_plan(graph)
work = {"evaluate": lambda: core.evaluate(graph, plan), "search": lambda: core.search(graph, effort=10_000_000),
        "read_graph": lambda: core.read_graph(sys.argv[1]),
        "explain": lambda: core.explain(core.evaluate(graph, plan), "mm"),
        "simulate_job": lambda: core.simulate_job(sys.argv[3])}
print("ready", flush=True)
try:
    while True:
        work[sys.argv[2]]()
except KeyboardInterrupt:
    print("interrupted", flush=True)
print(core.evaluate(graph).step_ms > 0, flush=True)
"""


class Running(unittest.TestCase):
    def check_interrupt(self, work: str, *arguments: str) -> None:
        command = [sys.executable, "-c", ENDLESS, str(SAMPLE), work, *arguments]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            self.assertEqual(process.stdout.readline(), "ready\n")
            time.sleep(0.2)  # into its work; whenever it comes, the outcome is the same
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.stdout.read(), "interrupted\nTrue\n")
        self.assertEqual(process.returncode, 0)

    def test_an_evaluation_is_interrupted(self) -> None:
        self.check_interrupt("evaluate")

    def test_a_search_is_interrupted(self) -> None:
        self.check_interrupt("search")

    def test_reading_is_interrupted(self) -> None:
        self.check_interrupt("read_graph")

    def test_an_explanation_is_interrupted(self) -> None:
        self.check_interrupt("explain")

    def test_a_job_is_interrupted(self) -> None:
        """One whose draws would take more than an hour."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "long.job.json"
            path.write_text(json.dumps({
                "format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 2}}, {"ms": {"F": 1, "B": 2}}],
                "schedule": {"name": "1F1B", "microbatches": 8}, "replicas": 1000,
                "variation": {"samples": 1_000_000, "compute": {"sigma": 0.5}}}), encoding="utf-8")
            self.check_interrupt("simulate_job", str(path))

    def test_other_threads_run_meanwhile(self) -> None:
        graph, plan = core.read_graph(SAMPLE), core.read_plan(SAMPLE_PLAN)
        turns, started, over = 0, threading.Event(), threading.Event()

        def count() -> None:
            nonlocal turns
            while not over.is_set():
                turns += 1
                started.set()
                time.sleep(0)

        # Nobody is made to give the lock away: the other thread has its turns where this one does so itself.
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1000)
        self.addCleanup(sys.setswitchinterval, interval)
        counter = threading.Thread(target=count)
        counter.start()
        started.wait()
        before = turns
        core.evaluate(graph, plan)
        during = turns - before
        over.set()
        counter.join()
        self.assertGreater(during, 0)

    def test_threads_share_graphs(self) -> None:
        graph, plan = core.read_graph(SAMPLE), core.read_plan(SAMPLE_PLAN)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            steps = list(pool.map(lambda _: core.evaluate(graph, plan).step_ms, range(8)))
        self.assertEqual(len(set(steps)), 1)

    def test_a_fork_can_work(self) -> None:
        graph = core.read_graph(SAMPLE)
        child = os.fork()
        if child == 0:
            os._exit(0 if core.evaluate(graph).step_ms > 0 else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


if __name__ == "__main__":
    unittest.main()
