#!/usr/bin/env python3
"""Compare the tables of files in the READMEs of core and ui with the files that are there.

    check_readmes.py ROOT

A file belongs to the README of its folder, or of the next folder above that has one. Rows of a README's tables name
files in their first column, in backticks: `name.h`, `folder/name.h`, or with stars, `name_*.cpp`. Printed is, one a line:

* a header, or a source without a header of its name, that no row of its README names, or more than one row;
* a name in a first column that stands for no file of the README.

Exit status 1 when there is one.
"""
import argparse
import collections
import fnmatch
import os
import re
import sys

TREES = ("core", "ui")
CODE = (".h", ".cpp", ".cu")
NAME = re.compile(r"`([\w./*]+\.(?:h|cpp|cu))`")


def files_of(tree):
    """Paths of all code files below `tree`, by the folder of the README that they belong to; "" for none."""
    by_readme = collections.defaultdict(list)
    for path, _, names in os.walk(tree):
        owner = path
        while owner and not os.path.exists(os.path.join(owner, "README.md")):
            owner = os.path.dirname(owner)
        by_readme[owner] += [os.path.join(path, name) for name in sorted(names) if name.endswith(CODE)]
    return by_readme


def named_files(readme):
    """The names in first columns, row by row."""
    with open(readme, encoding="utf-8") as file:
        for line in file:
            if line.startswith("|"):
                yield NAME.findall(line.split("|")[1])


def has_row(path, files):
    """Headers have rows, and sources without a header beside them."""
    return path.endswith(".h") or os.path.splitext(path)[0] + ".h" not in files


def violations_of(folder, files):
    """What is wrong with the tables of the README in `folder`, whose files are `files`."""
    readme = os.path.join(folder, "README.md")
    rows = collections.Counter()
    for names in named_files(readme):
        found = set()
        for name in names:
            meant = [path for path in files if fnmatch.fnmatchcase(os.path.relpath(path, folder), name)
                     or fnmatch.fnmatchcase(os.path.basename(path), name)]
            if not meant:
                yield f"{readme}: there is no file {name}"
            found.update(meant)
        rows.update(found)
    for path in files:
        if has_row(path, files) and rows[path] != 1:
            count = "no row names" if rows[path] == 0 else "several rows name"
            yield f"{readme}: {count} {os.path.relpath(path, folder)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    os.chdir(parser.parse_args().root)
    found, count = [], 0
    for tree in TREES:
        for folder, files in sorted(files_of(tree).items()):
            count += len(files)
            found += violations_of(folder, files) if folder else [f"{path}: no README around it" for path in files]
    for line in found:
        print(line)
    print(f"{count} files: {len(found)} violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
