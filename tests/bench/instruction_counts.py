#!/usr/bin/env python3
"""Count the instructions of passes on fixed graphs, beside the recorded ones: a regression shows on a busy machine too.

    instruction_counts.py PROGRAMS [--record]

PROGRAMS is the folder with `overlap`, built for release. Each case of instruction_counts.json, a pipeline on a graph of
tests/data, runs once under callgrind; counted is what the passes do, without reading, checks and writing. --record
writes the counts into that file. Another compiler or C library counts differently: compare on one machine, before and
after a change. Needs valgrind.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "instruction_counts.json")
GRAPHS = os.path.join(HERE, "..", "data", "graphs")
PASS_RUN = "overlap::*::run(std::shared_ptr<overlap::Graph const> const&, overlap::Options const&, std::stop_token) const"


def instructions(programs, case):
    """Instructions within the passes' run(), its callees included."""
    with tempfile.TemporaryDirectory() as scratch:
        pipeline = os.path.join(scratch, "pipeline.json")
        with open(pipeline, "w", encoding="utf-8") as file:
            json.dump(case["pipeline"], file)
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + os.path.join(scratch, "callgrind.out"),
                   "--toggle-collect=" + PASS_RUN, os.path.join(programs, "overlap"), "bench",
                   os.path.join(GRAPHS, case["graph"]), "--pipeline", pipeline, "--repeat", "1"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not collected:
        sys.exit(f"{case['name']}: {(done.stderr.strip().splitlines() or ['nothing on stderr'])[-1]}")
    if int(collected.group(1)) == 0:
        sys.exit(f"{case['name']}: nothing was counted; {programs}/overlap has no symbols")
    return int(collected.group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("--record", action="store_true", help="keep these counts as the ones to compare with")
    arguments = parser.parse_args()
    with open(TABLE, encoding="utf-8") as file:
        cases = json.load(file)
    print(f"{'instructions of the passes alone':<70} {'now':>14} {'recorded':>14} {'change':>8}")
    for case in cases:
        now, recorded = instructions(arguments.programs, case), case.get("instructions")
        change = f"{(now / recorded - 1) * 100:+.1f} %" if recorded else "new"
        print(f"{case['name']:<70} {now:>14,} {recorded or 0:>14,} {change:>8}", flush=True)
        case["instructions"] = now
    if arguments.record:
        with open(TABLE, "w", encoding="utf-8") as file:
            file.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")


if __name__ == "__main__":
    main()
