#!/usr/bin/env python3
"""Print the peak memory and the time of the application that opens a graph, draws its window and leaves.

    application_memory.py OVERLAP_STUDIO GRAPH
"""
import os
import resource
import subprocess
import sys
import tempfile
import time


def main():
    application, graph = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as scratch:
        environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", XDG_CONFIG_HOME=scratch, XDG_DATA_HOME=scratch)
        began = time.monotonic()
        command = [application, graph, "--screenshot", os.path.join(scratch, "window.png"), "--size", "1600x1000"]
        subprocess.run(command, env=environment, check=True, timeout=300)
        seconds = time.monotonic() - began
    peak_kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"overlap-studio {os.path.basename(graph)}: peak memory {peak_kib / 1024:.1f} MiB, {seconds:.2f} s from start to picture")


if __name__ == "__main__":
    main()
