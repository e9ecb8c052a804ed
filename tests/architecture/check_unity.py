#!/usr/bin/env python3
"""Check that sources that are compiled as one do not share names that each of them keeps to itself.

    check_unity.py COMPILE_COMMANDS

A unity build includes several sources of a target in one file. Two that give one name to things in their unnamed
namespaces then meet: most of them do not compile, but a function that fits a call better than the one that was meant is
called without a word. Printed is each name that two sources of one target define, whichever file they are in today: a new
source moves the others. Rename one, share it, or list a source in ALONE (cmake/OverlapTargets.cmake), which compiles it by
itself. COMPILE_COMMANDS is CMake's compile_commands.json. Exit status 1 when there is one.
"""
import collections
import json
import os
import re
import sys

UNITY = re.compile(r"/Unity/unity_\d+_cxx\.cxx$")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)
UNNAMED = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
STATEMENT = re.compile(r"^(?:using|namespace|template|return|public|private|friend)\b|^extern \"C\"")
FUNCTION = re.compile(r"^(?:\[\[\w+\]\] )?(?:[\w:<>&*,]+ )+[&*]?(\w+)\(")
TYPE = re.compile(r"^(?:struct|class|enum|enum class) (\w+)\b")
ALIAS = re.compile(r"^using (\w+) = (.*)")
CONSTANT = re.compile(r"^(?:inline |static )?(?:constexpr |const )[^={;]*?(\w+)(?:\[\w*\])? ?(?:=|\{|;)")
SECOND_CONSTANT = re.compile(r", (\w+) = ")


def names_of(path):
    """Pairs (name, what it is) of what a source keeps to itself; aliases of one type are the same thing."""
    with open(path, encoding="utf-8") as file:
        text = RAW_STRING.sub('""', file.read())
    for part in UNNAMED.findall(text):
        for line in part.splitlines():
            if alias := ALIAS.match(line):
                yield alias[1], "alias of " + alias[2]
            elif found := TYPE.match(line):
                if not line.endswith(";") or "{" in line:
                    yield found[1], "type in " + path
            elif not STATEMENT.match(line) and (found := CONSTANT.match(line) or FUNCTION.match(line)):
                yield found[1], "name in " + path
                if CONSTANT.match(line):
                    for name in SECOND_CONSTANT.findall(line):
                        yield name, "name in " + path


def main(compile_commands):
    with open(compile_commands, encoding="utf-8") as file:
        units = [entry["file"] for entry in json.load(file) if UNITY.search(entry["file"])]
    sources = collections.defaultdict(list)
    for unit in units:
        with open(unit, encoding="utf-8") as file:
            sources[os.path.dirname(os.path.dirname(unit))] += INCLUDE.findall(file.read())
    problems = 0
    for target in sorted(sources):
        users = collections.defaultdict(lambda: collections.defaultdict(list))
        for source in sorted(set(sources[target])):
            for name, kind in names_of(source):
                users[name][kind].append(source)
        for name, kinds in sorted(users.items()):
            files = sorted({source for found in kinds.values() for source in found})
            if len(kinds) > 1 and len(files) > 1:
                problems += 1
                label = os.path.splitext(os.path.basename(target))[0]
                print(f"{label}: {name} is defined in {', '.join(map(os.path.relpath, files))}")
    if not units:
        print(f"{compile_commands} is of no unity build")
        return 1
    print(f"{len(units)} files of {sum(map(len, sources.values()))} sources, {problems} names that meet")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
