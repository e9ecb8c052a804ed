#!/usr/bin/env python3
"""Tells what the tests have covered: a table by folder, the ten files with the most uncovered branches, and a report in HTML.

    report.py BUILD ROOT [--uncovered FOLDER] [--without-html]

BUILD is a build folder of the preset `coverage`; what its programs wrote when they ended is in BUILD/profiles. ROOT is the
project. --uncovered lists each branch below a folder, or in a file, that has a side never taken, and lines never run; nothing else. It
reads what that folder compiles alone: a function of a header that only other folders call is in their lists.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

import figures

MOST_FILES = 10


def run(command):
    """What the command printed. It warns of inline functions that one source uses and another does not: both are known."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"report.py: {command[0]} {command[1]} failed: {done.stderr.strip()}")
    return done.stdout


def objects_of(build):
    """The compiled sources of the project: each function is in them once, and not again in each program."""
    found = []
    for folder in figures.FOLDERS:
        for path in sorted((build / folder).rglob("*.o")):
            if "__llvm_covmap" in run(["llvm-readelf", "-S", str(path)]):
                found.append(str(path))
    return found


def objects_near(objects, build, wanted):
    """Of compiled sources those of a folder, or of a file's. A library may have its sources in folders below it: what has no
    objects of its own is in those of the nearest folder above."""
    folder = pathlib.PurePath(wanted)
    while folder.parts:
        below = [path for path in objects if pathlib.PurePath(path).is_relative_to(build / folder)]
        if below:
            return below
        folder = folder.parent
    return objects


def merge(build):
    """The file with all counts. Each program adds to a file of its own; one that was killed while it did is left out."""
    profiles = sorted(str(path) for path in (build / "profiles").glob("*.profraw"))
    if not profiles:
        sys.exit(f"report.py: no program has written into {build / 'profiles'}")
    whole = build / "profiles" / "all.profdata"
    subprocess.run(["llvm-profdata", "merge", "-failure-mode=all", "-sparse", "-o", str(whole), *profiles], check=True)
    return whole


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--uncovered", metavar="FOLDER")
    parser.add_argument("--without-html", action="store_true")
    arguments = parser.parse_args()
    build, root = arguments.build.resolve(), arguments.root.resolve()

    objects = objects_of(build)
    if arguments.uncovered:
        objects = objects_near(objects, build, os.path.normpath(arguments.uncovered))
    first, *others = objects
    sources = [first, *(word for path in others for word in ("-object", path)), "-instr-profile", str(merge(build))]
    (build / "objects.rsp").write_text("\n".join(sources))
    command = ["llvm-cov", "export", "-skip-functions", "-skip-expansions", f"@{build / 'objects.rsp'}"]
    export = json.loads(run(command))
    files = figures.files_of(export, root)
    if arguments.uncovered:
        wanted = os.path.normpath(arguments.uncovered)
        for file in files:
            if file.path == wanted or file.path.startswith(wanted + os.sep):
                source = (root / file.path).read_text(encoding="utf-8").splitlines()
                print("\n".join(figures.gaps(file, source) or [f"{file.path}: nothing"]))
        return
    print(figures.folder_table(files))
    print(f"\nThe {MOST_FILES} files with the most branches not taken:\n")
    print(figures.file_table(files, MOST_FILES))
    if not arguments.without_html:
        html = build / "html"
        run(["llvm-cov", "show", "-format=html", "-show-branches=count", "-show-instantiations=false",
             f"-output-dir={html}", f"@{build / 'objects.rsp'}", *(str(root / folder) for folder in figures.FOLDERS)])
        print(f"\n{html / 'index.html'}")


if __name__ == "__main__":
    main()
