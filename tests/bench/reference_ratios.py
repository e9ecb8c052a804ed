#!/usr/bin/env python3
"""Print how many times faster than PyTorch each pass is, over all goldens that record PyTorch's CPU time.

    reference_ratios.py PROGRAMS MANIFEST... [--passes REGEX] [--repeat N] [--each]

PROGRAMS is the folder with `overlap`. The ratio of a golden is its torch_cpu_seconds over the median of `overlap bench`;
pipelines of several passes count as one case, and those with passes that this version does not have are left out. Printed are the median and the worst ratio of each pass, and of all
together; --each prints every golden, slowest first. PyTorch's seconds are those of the machine that made the manifest.
Cases that the program refuses are listed and make the exit status 1.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance"))
from run_goldens import is_reproduced, tagged, with_policy_of_graph  # noqa: E402


def cases(manifests, passes):
    """Folder and golden of every case with a time, whose passes all match. Manifests may share cases."""
    known = set()
    for manifest in manifests:
        folder = os.path.dirname(os.path.abspath(manifest))
        with open(manifest, encoding="utf-8") as file:
            goldens = json.load(file)["goldens"]
        for golden in goldens:
            timed = golden.get("torch_cpu_seconds") and "error" not in golden and "note" not in golden
            if not timed or golden["id"] in known or not is_reproduced(golden):
                continue
            if all(passes.fullmatch(step["pass"]) for step in golden["pipeline"]):
                known.add(golden["id"])
                yield folder, golden


def median_ms(programs, graph, pipeline, repeat):
    """The median time of a pipeline. Raises ValueError with the reason where it is refused."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(pipeline, file)
        file.flush()
        command = [os.path.join(programs, "overlap"), "bench", graph, "--pipeline", file.name, "--repeat", str(repeat), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        raise ValueError((done.stderr.strip().splitlines() or ["nothing on stderr"])[-1])
    return json.loads(done.stdout)["median_ms"]


def print_ratios(title, ratios):
    print(f"{title:<100} {len(ratios):5} {statistics.median(ratios):9.0f} {min(ratios):9.0f}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("manifests", nargs="+")
    parser.add_argument("--passes", type=re.compile, default=re.compile(".*"), help="take passes whose whole names match")
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--each", action="store_true", help="print every golden too")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    measured, refused = [], []
    for folder, golden in cases(arguments.manifests, arguments.passes):
        with tempfile.TemporaryDirectory() as scratch:
            graph = os.path.join(folder, golden["graph_file"])
            if "tags_file" in golden:
                graph = tagged(graph, os.path.join(folder, golden["tags_file"]), scratch)
            try:
                ours_ms = median_ms(arguments.programs, graph, with_policy_of_graph(golden), arguments.repeat)
            except ValueError as reason:
                refused.append(f"{golden['id']}: {reason}")
                continue
        name = " + ".join(step["pass"] for step in golden["pipeline"])
        measured.append((golden["torch_cpu_seconds"] * 1e3 / ours_ms, ours_ms, name, golden["id"]))
    if arguments.each:
        for ratio, ours_ms, _, golden_id in sorted(measured):
            print(f"{ratio:9.0f} times, {ours_ms:9.3f} ms  {golden_id}")
    for line in refused:
        print(f"refused: {line}")
    if not measured:
        sys.exit("no golden with a time matches")
    print(f"load: {' '.join(f'{load:.1f}' for load in os.getloadavg())}, {os.cpu_count()} cores")
    print(f"{'times faster than PyTorch':<100} {'cases':>5} {'median':>9} {'worst':>9}")
    for name in sorted({name for _, _, name, _ in measured}):
        print_ratios(name, [ratio for ratio, _, of, _ in measured if of == name])
    print_ratios("all", [ratio for ratio, _, _, _ in measured])
    sys.exit(1 if refused else 0)


if __name__ == "__main__":
    main()
