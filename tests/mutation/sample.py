"""Chooses changes of a folder's sources by a seed, and writes the sources that have them."""

import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex

import clang.cindex

import candidates
from change import Change, that_compile, with_changes


def source_files(root, folder):
    """Sources of the folder, as paths from the root. Changes of headers would compile half the tree again."""
    below = root / folder
    found = [below] if below.is_file() else below.rglob("*.cpp")
    return sorted(str(path.relative_to(root)) for path in found)


def by_folder(paths, folder):
    """The paths by the folders right below `folder`, and those right in it, as a list of lists."""
    groups = {}
    for path in paths:
        first, _, below = os.path.relpath(path, folder).partition(os.sep)
        groups.setdefault(first if below else "", []).append(path)
    return [groups[name] for name in sorted(groups)]


def compiler_arguments(build, root, changed):
    """What clang has to know of each source, from the commands of the build folder; those of an earlier sample are compiled
    from the folder `changed`."""
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    arguments = {}
    for command in commands:
        file = pathlib.Path(command["file"])
        path = str(file.relative_to(changed)) if file.is_relative_to(changed) else os.path.relpath(file, root)
        kept, words = ["-std=c++20", f"-I{root}"], iter(shlex.split(command["command"]))
        for word in words:
            if word in ("-isystem", "-I", "-D"):
                kept += [word, next(words)]
            elif word.startswith(("-I", "-D")):
                kept.append(word)
        arguments[path] = kept
    return arguments


class Sources:
    """The sources of a folder. What can be changed in a file is found once and kept in `cache` until the file changes."""

    def __init__(self, root, arguments, cache):
        self.root = root
        self.arguments = arguments
        self.cache = cache

    def parsed(self, path):
        return candidates.Source(clang.cindex.Index.create(), self.root / path, self.arguments[path])

    def candidates_of(self, path):
        finder = (self.root / "tests/mutation/candidates.py").read_bytes()
        digest = hashlib.sha256(finder + (self.root / path).read_bytes()).hexdigest()
        kept = self.cache / f"{path.replace('/', '-')}-{digest[:16]}.json"
        if kept.exists():
            return [Change(*fields) for fields in json.loads(kept.read_text(encoding="utf-8"))]
        found = self.parsed(path).candidates()
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps([[c.begin, c.end, c.kind, c.before, c.after, c.line] for c in found]), encoding="utf-8")
        return found

    def ranked(self, path, seed):
        """What can be changed in a file, as pairs of a rank by the seed and the change. The rank is of the line and of the
        change alone, so it stays where other parts of the file are edited."""
        text = (self.root / path).read_bytes()
        seen, ranks = collections.Counter(), []
        for change in self.candidates_of(path):
            key = f"{seed}\t{path}\t{change.source_line(text)}\t{change.text()}"
            seen[key] += 1
            ranks.append((hashlib.sha256(f"{key}\t{seen[key]}".encode()).hexdigest(), change))
        return ranks

    def compiling(self, task):
        """Those of a file's changes with which it compiles; `task` is its path and the changes."""
        path, changes = task
        source = self.parsed(path)
        numbered = dict(enumerate(changes))
        return path, sorted(that_compile(source.text, numbered, source.errors_with).values())


def chosen(sources, paths, count, seed, processes):
    """`count` changes, or all where there are fewer, as {path: [Change]}. The same seed chooses the same ones, and nearly
    the same ones after an edit."""
    with concurrent.futures.ProcessPoolExecutor(processes) as pool:
        found = zip(paths, pool.map(sources.ranked, paths, [seed] * len(paths)))
        order = [(path, change) for _, path, change in
                 sorted((rank, path, change) for path, ranks in found for rank, change in ranks)]
        taken, start = {}, 0
        while start < len(order) and (missing := count - sum(map(len, taken.values()))) > 0:
            added = order[start:start + missing]
            start += missing
            tasks = {}
            for path, change in added:
                tasks.setdefault(path, list(taken.get(path, []))).append(change)
            taken.update(pool.map(sources.compiling, tasks.items()))
    return {path: changes for path, changes in sorted(taken.items()) if changes}


def write_sources(root, folder, chosen_changes):
    """Writes the changed sources below `folder`, removes others from it, and returns [(path, Change)] by number."""
    numbered, written = [], set()
    for path, changes in sorted(chosen_changes.items()):
        numbers = {len(numbered) + index: change for index, change in enumerate(changes)}
        numbered += [(path, change) for change in changes]
        text, _ = with_changes((root / path).read_bytes(), numbers)
        target = folder / path
        written.add(target)
        if not target.exists() or target.read_bytes() != text:  # what is the same is not compiled again
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text)
    for old in folder.rglob("*.cpp"):
        if old not in written:
            old.unlink()
    return numbered
