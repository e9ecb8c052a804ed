#!/usr/bin/env python3
"""Compare every include of the project with the arrows that CMake's lists declare.

    check_includes.py TARGETS ROOT [--picture]

TARGETS is the file that overlap_write_targets() (cmake/OverlapTargets.cmake) writes when the build is configured. Printed
is every violation, one a line:

* a target that includes a header of another target without seeing it (SEES or USES);
* a library whose header includes what is only in its USES, so that includers lack it;
* a library that lists what it does not include, or in SEES what only its sources include;
* folders of core and ui that include one another in a circle;
* a picture of the folders in ARCHITECTURE.md that is not the one that --picture prints.

Exit status 1 when there is one.
"""
import argparse
import collections
import os
import re
import sys

INCLUDE = re.compile(r'^#\s*include "([^"]+)"', re.MULTILINE)
PICTURE = re.compile(r"<!-- folders: made by tests/architecture/check_includes.py --picture -->\n(.*?)<!-- end of folders -->",
                     re.DOTALL)
CODE = (".h", ".cpp", ".cu")
TREES = ("app", "core", "python", "ui", "tests")


class Target:
    def __init__(self, name, kind, folder, sources, seen, links):
        self.name, self.kind, self.folder = name, kind, folder
        self.is_library = kind in ("STATIC_LIBRARY", "OBJECT_LIBRARY", "INTERFACE_LIBRARY")
        self.sources = sources
        self.seen = seen  # what includers see
        self.links = links


def read_targets(path, root):
    targets = {}
    for line in open(path, encoding="utf-8"):
        name, kind, folder, sources, seen, links = line.rstrip("\n").split("|")
        files = []
        for source in filter(None, sources.split(",")):
            source = os.path.normpath(source if os.path.isabs(source) else os.path.join(root, folder, source))
            if source.startswith(root + os.sep) and os.path.exists(source):
                files.append(os.path.relpath(source, root))
        split = lambda text: {item for item in text.split(",") if item.startswith("overlap_")}
        targets[name] = Target(name, kind, folder, files, split(seen), split(links))
    return targets


class House:
    """The project's files, what each includes, and which library has each header."""

    def __init__(self, root, targets):
        self.targets = targets
        self.includes = {}
        for tree in TREES:
            for folder, _, names in os.walk(os.path.join(root, tree)):
                for name in names:
                    if name.endswith(CODE):
                        path = os.path.join(folder, name)
                        with open(path, encoding="utf-8") as file:
                            self.includes[os.path.relpath(path, root)] = INCLUDE.findall(file.read())
        self.by_stem = {}
        libraries = collections.defaultdict(collections.Counter)
        for target in targets.values():
            if not target.is_library:
                continue
            for source in target.sources:
                self.by_stem.setdefault(os.path.splitext(source)[0], target.name)
                libraries[os.path.dirname(source)][target.name] += 1
        # A header without a source file is that of the library with most of the folder's files.
        self.by_folder = {folder: count.most_common(1)[0][0] for folder, count in libraries.items()}
        self.headers = collections.defaultdict(list)
        for path in self.includes:
            owner = self.owner(path)
            if path.endswith(".h") and owner:
                self.headers[owner].append(path)

    def owner(self, header):
        """The library that a header belongs to: that of its source file, else its folder's."""
        found = self.by_stem.get(os.path.splitext(header)[0])
        if found or header.startswith("tests/"):  # headers only of tests are parts of the files that include them
            return found
        return self.by_folder.get(os.path.dirname(header))

    def reached(self, files):
        """Pairs (library, file that includes it) of what the files include, through headers that no library has."""
        found, seen, open_files = {}, set(), list(files)
        while open_files:
            path = open_files.pop()
            for header in self.includes.get(path, ()):
                if header not in self.includes:
                    header = os.path.join(os.path.dirname(path), header)
                    if header not in self.includes:
                        continue
                owner = self.owner(header)
                if owner:
                    found.setdefault(owner, path)
                elif header not in seen:
                    seen.add(header)
                    open_files.append(header)
        return found


def violations_of(house, target):
    private = target.links - target.seen
    from_sources = house.reached(target.sources)
    from_headers = house.reached(house.headers[target.name]) if target.is_library else {}
    for library, path in sorted({**from_sources, **from_headers}.items()):
        if library != target.name and library not in target.links:
            yield f"{target.name} -> {library}: {path} includes it, the target does not list it"
    if not target.is_library:
        return
    for library, path in sorted(from_headers.items()):
        if library in private:
            yield f"{target.name} -> {library}: the header {path} includes it, but only USES lists it"
    ignored = {"overlap_settings"}
    if not target.sources:
        return
    for library in sorted(target.links - ignored):
        if library not in house.targets:
            continue
        if library not in from_sources and library not in from_headers:
            yield f"{target.name} -> {library}: listed, and nothing includes it"
        elif library in target.seen and library not in from_headers:
            yield f"{target.name} -> {library}: in SEES, and only sources include it; USES is enough"


def folder_arrows(house):
    arrows = collections.defaultdict(set)
    for path, headers in house.includes.items():
        folder = os.path.dirname(path)
        for header in headers:
            other = os.path.dirname(header)
            if header in house.includes and other != folder:
                arrows[folder].add(other)
    return arrows


def levels(arrows, tree):
    """The folders of `tree` in levels: each includes only folders of lower levels. Cycles come last."""
    folders = {folder for folder in set(arrows) | {f for s in arrows.values() for f in s}
               if folder.startswith(tree + "/")}
    below = {folder: {other for other in arrows[folder] if other in folders} for folder in folders}
    result, placed = [], set()
    while len(placed) < len(folders):
        level = sorted(folder for folder in folders - placed if below[folder] <= placed)
        if not level:
            return result, sorted(folders - placed)
        result.append(level)
        placed.update(level)
    return result, []


def picture(arrows):
    lines = ["", "Every folder includes folders below its line alone.", ""]
    for tree in ("ui", "core"):
        found, _ = levels(arrows, tree)
        lines += ["```text"]
        for level in reversed(found):
            text = ""
            for folder in level:
                name = folder[len(tree) + 1:]
                if len(text) + len(name) + 2 > 112:
                    lines.append(f"{tree + '/':6}{text}")
                    text = ""
                text += ("  " if text else "") + name
            lines.append(f"{tree + '/':6}{text}")
        lines += ["```", ""]
    return "\n".join(lines[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets")
    parser.add_argument("root")
    parser.add_argument("--picture", action="store_true", help="print the picture for ARCHITECTURE.md")
    arguments = parser.parse_args()
    root = os.path.realpath(arguments.root)
    targets = read_targets(arguments.targets, root)
    house = House(root, targets)
    arrows = folder_arrows(house)
    if arguments.picture:
        print(picture(arrows), end="")
        return 0
    found = [line for target in targets.values() for line in violations_of(house, target)]
    for tree in ("core", "ui"):
        _, circle = levels(arrows, tree)
        if circle:
            found.append(f"folders that include one another in a circle, or use such: {' '.join(circle)}")
    with open(os.path.join(root, "ARCHITECTURE.md"), encoding="utf-8") as file:
        drawn = PICTURE.search(file.read())
    if not drawn:
        found.append("ARCHITECTURE.md has no picture of the folders")
    elif drawn[1] != picture(arrows):
        found.append("the picture of the folders in ARCHITECTURE.md is an old one; --picture prints the new one")
    for line in found:
        print(line)
    count = sum(1 for target in targets.values() if target.sources)
    print(f"{len(house.includes)} files of {count} targets: {len(found)} violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
