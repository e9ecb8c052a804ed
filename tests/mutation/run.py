#!/usr/bin/env python3
"""Changes sources of a folder in small ways and tells which changes no test misses. tests/run.sh --mutation runs the steps.

    run.py sample  ROOT BUILD FOLDER [--sample N] [--seed S]     chooses changes and writes the sources that have them;
                                     [--each]                    N of each folder right below FOLDER
    run.py targets ROOT BUILD FOLDER                             prints what has to be built to try them
    run.py try     ROOT BUILD FOLDER [--minutes M]               tries each, and prints what became of them

--tests NAME,NAME... limits what is built and tried to these test programs. `goldens` is a name, too; without it the goldens
are left out then. --longest S leaves out what takes more than S seconds of processor time, as cases that read whole graphs.

ROOT is the project, BUILD the build folder of the preset `mutation`, FOLDER a folder or a file of the project's sources. Of
a sample all changes are compiled into one build; the environment of a test chooses one of them. `try` goes on where one was
interrupted, and tries again what has survived; what was killed counts until its source changes. Exit status 1 where a change is said to make no difference and a test misses it.
"""

import argparse
import os
import pathlib
import sys

import outcomes
import tried_tests
from kept import Work

sys.path.append(str(pathlib.Path(__file__).parent.parent / "support"))
from text_table import text_table  # noqa: E402

GOLDENS = "goldens"  # stands for them among names of test programs
NOT_BUILT = ("bench", "load", "fuzz", "faults")


def is_within(path, folder):
    return path == folder or path.startswith(folder + os.sep)


def targets(build, folder, with_window, only=()):
    """Programs and test programs that are linked to a library of the folder; of `only` some, those."""
    links, folders, kinds = {}, {}, {}
    for line in (build / "targets.txt").read_text(encoding="utf-8").splitlines():
        name, kind, place, _, seen, used = line.split("|")
        links[name] = {link for link in (seen + "," + used).split(",") if link}
        folders[name], kinds[name] = place, kind

    def reached_from(name, seen):
        for link in links.get(name, ()):
            if link not in seen:
                seen.add(link)
                reached_from(link, seen)
        return seen

    changed = {name for name, place in folders.items()
               if kinds[name] == "STATIC_LIBRARY" and (is_within(place, folder) or is_within(folder, place))}
    wanted = []
    for name, place in sorted(folders.items()):
        parts = place.split(os.sep)
        if kinds[name] == "STATIC_LIBRARY" or parts[0] not in ("app", "tests") or parts[1:2] and parts[1] in NOT_BUILT:
            continue
        every = reached_from(name, {name})
        window = parts[1:2] == ["ui"] or any(is_within(folders.get(link, ""), "ui") for link in every)
        if changed & every and (with_window or not window):
            wanted.append(name)
    if GOLDENS in only:
        only = [name for name in only if name != GOLDENS] + ["overlap"]  # the program whose results they are compared with
    unknown = sorted(set(only) - set(wanted))
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: no test program is called so that is linked to {folder}")
    return [name for name in wanted if not only or name in only]


def take_sample(arguments, work):
    import sample  # needs clang's Python module
    paths = sample.source_files(arguments.root, arguments.folder)
    if not paths:
        sys.exit(f"run.py: no source below {arguments.folder}")
    sources = sample.Sources(arguments.root, sample.compiler_arguments(arguments.build, arguments.root, work.sources),
                             work.folder / "candidates")
    chosen = {}
    for group in sample.by_folder(paths, arguments.folder) if arguments.each else [paths]:
        chosen |= sample.chosen(sources, group, arguments.sample, arguments.seed, arguments.processes)
    numbered = sample.write_sources(arguments.root, work.sources, chosen)
    work.write_mutants(arguments.root, numbered)
    print(f"{len(numbered)} changes in {len(chosen)} of {len(paths)} files", file=sys.stderr)


def is_of_tests(killed_by, tests):
    """Whether an outcome is kept where only some tests are tried: survivors are tried again in any case."""
    if not tests or killed_by is None:
        return True
    name = killed_by.split(": ")[0]
    return name in tests or GOLDENS in tests and name.startswith(GOLDENS)


def try_sample(arguments, work):
    import trial
    mutants = work.read_mutants()
    reasons = outcomes.read_no_difference(pathlib.Path(__file__).with_name("no_difference.tsv"))
    kept = work.read_results()
    results = {number: trial.Result(number, *kept[mutant.key()]) for number, mutant in enumerate(mutants)
               if mutant.key() in kept and is_of_tests(kept[mutant.key()][0], arguments.tests)}
    left = [number for number in range(len(mutants)) if number not in results]
    left += [number for number, result in sorted(results.items()) if result.by is None]  # there may be a test by now
    tests = tried_tests.of_build(arguments.build, arguments.root, arguments.with_window)
    if arguments.tests:
        tests = [test for test in tests if test.name in arguments.tests]
        if GOLDENS not in arguments.tests:
            arguments.manifests = []
    tests = tried_tests.by_case(tests, tried_tests.googletest_programs(arguments.build))
    run = trial.Trial(arguments.build, arguments.build / "bin", work.folder, arguments.processes, arguments.longest)
    if left:
        failing = run.learn(tests, arguments.manifests)
        for name in failing:
            print(f"left out, for it fails without a change: {name}", file=sys.stderr)

        def tell(result):
            results[result.number] = result
            mutant = mutants[result.number]
            kept[mutant.key()] = [result.by, result.ran_out, result.tests, result.processor_s]
            work.write_results(kept)
            what = f"killed by {result.by}" if result.by else "SURVIVED" if result.tests else "NOT REACHED"
            print(f"{len(results)}/{len(mutants)} {mutant.path}:{mutant.change.line}: {mutant.change.kind}: {what}"
                  f" ({result.tests} tests, {result.processor_s:.1f} s)", file=sys.stderr, flush=True)

        run.try_all(left, 60 * arguments.minutes, tell)
    tried = []
    for number, mutant in enumerate(mutants):
        change, result = mutant.change, results.get(number)
        place = mutant.path, mutant.source_line, change.text()
        text = (arguments.root / mutant.path).read_text(encoding="utf-8")
        among = outcomes.among(text, mutant.source_line, change.line)
        outcome = outcomes.outcome_of(result, outcomes.has_reason(reasons, place, among))
        tried.append(outcomes.Tried(mutant.path, change.line, change.kind, mutant.source_line, change.text(), outcome,
                                    result.by or "" if result else "", among))
    wrong = outcomes.wrong_reasons(tried, reasons)
    print("\n".join(outcomes.survivors(tried)))
    print()
    print(text_table(["", "changes", *outcomes.COLUMNS, "% killed"], outcomes.rows(tried, arguments.folder)))
    print("\n".join(wrong))
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("sample", "targets", "try"))
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder")
    parser.add_argument("manifests", nargs="*", help="manifests of goldens, for `try`")
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--each", action="store_true", help="so many of each folder right below")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--tests", type=lambda names: names.split(","), default=[], metavar="NAME,NAME...")
    parser.add_argument("--longest", type=float, default=float("inf"), metavar="SECONDS")
    parser.add_argument("--with-window", action="store_true", help="also the window's tests")
    arguments = parser.parse_args()
    arguments.root, arguments.build = arguments.root.resolve(), arguments.build.resolve()
    arguments.folder = os.path.normpath(arguments.folder)
    arguments.with_window = arguments.with_window or is_within(arguments.folder, "ui")
    work = Work(arguments.build)
    if arguments.step == "sample":
        take_sample(arguments, work)
    elif arguments.step == "targets":
        try:
            print("\n".join(targets(arguments.build, arguments.folder, arguments.with_window, arguments.tests)))
        except ValueError as error:
            sys.exit(f"run.py: {error}")
    else:
        return try_sample(arguments, work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
