#!/usr/bin/env python3
"""Run the tests that need torch, each file in a process of its own. The last line counts them.

    run_all.py [--folder FOLDER] PROGRAMS [NAME...]

PROGRAMS is the folder with `overlap`. Files are tests/torch/test_*.py, or those of another FOLDER; NAME takes those
whose name contains it. A file is standard unittest; what it prints is shown where it fails. Exit status: 0 when all
passed and there was one.
"""
import argparse
import concurrent.futures
import gc
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

RUNNER = pathlib.Path(__file__).resolve()
LONGEST_SECONDS = 1200


def run_here(path: str, counts_path: str) -> None:
    """Runs the tests of one file in this process and leaves their numbers as JSON."""
    # Graphs of torch are millions of objects that stay: looking through them all the time takes a sixth of the whole.
    gc.set_threshold(50_000, 20, 50)
    sys.path.insert(0, str(pathlib.Path(path).parent))
    suite = unittest.defaultTestLoader.loadTestsFromName(pathlib.Path(path).stem)
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    with open(counts_path, "w", encoding="utf-8") as file:
        json.dump({"run": result.testsRun, "failed": failed, "skipped": len(result.skipped)}, file)


def run_file(path: pathlib.Path, programs: str) -> tuple[dict, str, float]:
    """Counts, output and seconds of one file. A process that ends without counts is one failed test."""
    with tempfile.TemporaryDirectory() as scratch:
        counts_path = os.path.join(scratch, "counts.json")
        command = [sys.executable, "-B", str(RUNNER), "--here", str(path), counts_path]
        environment = dict(os.environ, OVERLAP_PROGRAMS=os.path.abspath(programs), TORCHINDUCTOR_CACHE_DIR=scratch)
        began = time.monotonic()
        try:
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", timeout=LONGEST_SECONDS, check=False)
            output = done.stdout
            if not os.path.exists(counts_path):
                output += f"\n{path.name}: ended with status {done.returncode} before its tests had\n"
        except subprocess.TimeoutExpired as error:
            output = f"{error.stdout or ''}\n{path.name}: not finished after {LONGEST_SECONDS} s\n"
        seconds = time.monotonic() - began
        if not os.path.exists(counts_path):
            return {"run": 1, "failed": 1, "skipped": 0}, output, seconds
        with open(counts_path, encoding="utf-8") as file:
            return json.load(file), output, seconds


def main() -> int:
    if sys.argv[1:2] == ["--here"]:
        run_here(*sys.argv[2:4])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", help="folder with overlap")
    parser.add_argument("--folder", type=pathlib.Path, default=RUNNER.parent, help="whose tests to run")
    parser.add_argument("names", nargs="*", help="parts of names of files")
    arguments = parser.parse_args()
    files = [path for path in sorted(arguments.folder.resolve().glob("test_*.py"))
             if not arguments.names or any(name in path.name for name in arguments.names)]
    run = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, (counts, output, seconds) in zip(files, pool.map(lambda path: run_file(path, arguments.programs), files)):
            run += counts["run"]
            failed += counts["failed"] + counts["skipped"]  # no test is skipped on purpose
            state = "failed" if counts["failed"] or counts["skipped"] else "passed"
            print(f"{path.name}: {state}, {counts['run']} tests, {seconds:.0f} s", flush=True)
            if state == "failed":
                print(output, flush=True)
    print(f"{run - failed} of {run} {arguments.folder.resolve().name} tests passed")
    return 0 if run and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
