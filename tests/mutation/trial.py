"""Tries each change on the tests that come to it, the quickest first, until one fails."""

import concurrent.futures
import dataclasses
import json
import os
import sys
import threading
import time

import golden_cases
import tried_tests
from tried_tests import Test

QUICK_GOLDENS = 8  # that are compared before slower programs are started
QUICK_CASES = 8  # of test programs that are run one by one; the others of a program are run together
WAITING_S = 600  # until what needs no processor is taken to wait for ever: others may be busy on the machine
FIRST_LIMITS_S = 1200, 3600  # of a test whose time is not known: of the processor, and in all


@dataclasses.dataclass
class Known:
    """A test that passes without a change: what it takes, and the changes it comes to."""

    test: Test
    processor_s: float
    wall_s: float
    reached: frozenset
    cases: int = 1


@dataclasses.dataclass(frozen=True)
class Result:
    """`by` is the test that failed; None where all passed. `tests` came to the change."""

    number: int
    by: str
    ran_out: bool
    tests: int
    processor_s: float


def processor_time(known):
    return known.processor_s


def together(ordered):
    """The quickest cases one by one, for most changes are killed by these; what is left of a program in one process, since
    starting one takes longer than most cases."""
    alone, by_program = ordered[:QUICK_CASES], {}
    for known in ordered[QUICK_CASES:]:
        by_program.setdefault((known.test.program, known.test.command[0]), []).append(known)
    for (program, _), cases in by_program.items():
        if not program or len(cases) == 1:
            alone += cases
            continue
        test = tried_tests.joined([known.test for known in cases])
        alone.append(Known(test, sum(map(processor_time, cases)), sum(known.wall_s for known in cases),
                           frozenset.union(*(known.reached for known in cases)), len(cases)))
    return alone


class Trial:
    def __init__(self, build, programs, work, processes, longest_s=float("inf")):
        self.build = build
        self.programs = programs
        self.work = work
        self.processes = processes
        self.longest_s = longest_s  # a test that takes more is not tried
        self.known = []
        self.goldens = {}  # by name: (processor_s, reached)
        self.cases = {}  # by name: manifest and number
        self.script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden_cases.py")

    def goldens_test(self, name, cases, *more):
        path = self.work / f"{name}.json"
        path.write_text(json.dumps(cases), encoding="utf-8")
        return Test(name, (sys.executable, "-B", self.script, str(self.programs), str(path), *more), str(self.build))

    def learn(self, tests, manifests):
        """Runs every test once without a change. Those that fail are told and left out: they would fail for every change."""
        reached = self.work / "reached"
        reached.mkdir(parents=True, exist_ok=True)
        for old in reached.iterdir():
            old.unlink()
        self.cases = {str(index): case for index, case in enumerate(golden_cases.reproduced(manifests))}
        parts = [dict(list(self.cases.items())[first::self.processes]) for first in range(self.processes)]
        parts = [self.goldens_test(f"goldens-{index}", part, "--record", str(reached))
                 for index, part in enumerate(parts) if part]
        failing = []
        with concurrent.futures.ThreadPoolExecutor(self.processes) as pool:
            def first_run(indexed):
                index, test = indexed
                path = str(reached / f"test-{index}.reached")
                return test, tried_tests.run(test, {"OVERLAP_MUTANTS_REACHED": path}, *FIRST_LIMITS_S), tried_tests.reached(path)

            for test, outcome, numbers in pool.map(first_run, enumerate(parts + tests)):
                if not outcome.passed:
                    failing.append(test.name)
                elif test not in parts and outcome.processor_s <= self.longest_s:
                    self.known.append(Known(test, outcome.processor_s, outcome.wall_s, frozenset(numbers)))
        for path in reached.glob("outcomes-*.json"):
            for name, (processor_s, why) in json.loads(path.read_text(encoding="utf-8")).items():
                if why:
                    failing.append(f"golden {self.cases[name]}: {why}")
                elif processor_s <= self.longest_s:
                    self.goldens[name] = processor_s, frozenset(tried_tests.reached(reached / f"{name}.reached"))
        return failing

    def tests_of(self, number):
        """What comes to the change, the quickest first: tests, and its goldens in two parts."""
        found = together(sorted((known for known in self.known if number in known.reached), key=processor_time))
        goldens = sorted((processor_s, name) for name, (processor_s, reached) in self.goldens.items() if number in reached)
        for label, part in (("quick", goldens[:QUICK_GOLDENS]), ("other", goldens[QUICK_GOLDENS:])):
            if part:
                test = self.goldens_test(f"goldens-{label}-{number}", {name: self.cases[name] for _, name in part})
                seconds = sum(processor_s for processor_s, _ in part)
                found.append(Known(test, seconds, 2 * seconds, frozenset()))
        return sorted(found, key=processor_time)

    def try_one(self, number):
        tests, used = self.tests_of(number), 0.0
        count = sum(known.cases for known in tests)
        for known in tests:
            limits = 5 * known.processor_s + 1, 20 * known.wall_s + WAITING_S
            outcome = tried_tests.run(known.test, {"OVERLAP_MUTANT": str(number)}, *limits)
            used += outcome.processor_s
            if not outcome.passed:
                return Result(number, known.test.name.removesuffix(f"-{number}"), outcome.ran_out, count, used)
        return Result(number, None, False, count, used)

    def try_all(self, numbers, seconds, tell):
        """Results in the order in which they come; those that are not tried within the time are missing."""
        end, lock, results = time.monotonic() + seconds, threading.Lock(), []

        def one(number):
            if time.monotonic() > end:
                return
            result = self.try_one(number)
            with lock:
                results.append(result)
                tell(result)

        with concurrent.futures.ThreadPoolExecutor(self.processes) as pool:
            list(pool.map(one, numbers))
        return results
