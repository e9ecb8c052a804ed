"""The tests that changes are tried on: which there are, what each comes to and takes, and running one under a limit."""

import dataclasses
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import threading
import time

# What tests the tree itself, packages, and what runs other tests says nothing of a change.
LEFT_OUT = ("architecture", "coverage", "mutation", "packaging", "fuzz", "faults")
WINDOW = ("ui", "faults")
MEMORY_BYTES = 6 << 30
CASES = "--gtest_filter="


@dataclasses.dataclass(frozen=True)
class Test:
    """A test of CTest, or a case of one: its command, run in `folder` with `environment` beside this process's own. `program`
    is the name of the test of which it is a case."""

    name: str
    command: tuple
    folder: str
    environment: tuple = ()
    program: str = ""


@dataclasses.dataclass(frozen=True)
class Outcome:
    passed: bool
    processor_s: float
    wall_s: float
    ran_out: bool  # of time: killed


def of_build(build, root, with_window):
    """Tests whose programs are built. Goldens are not among them: they are compared one by one (golden_cases.py)."""
    command = ["ctest", "--test-dir", str(build), "--show-only=json-v1", "--label-exclude", "goldens"]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    graph, tests = told["backtraceGraph"], []
    for test in told["tests"]:
        node, files = test.get("backtrace"), set()
        while node is not None:
            files.add(os.path.relpath(graph["files"][graph["nodes"][node]["file"]], root / "tests").split(os.sep)[0])
            node = graph["nodes"][node].get("parent")
        if files & set(LEFT_OUT + (() if with_window else WINDOW)):
            continue
        words = test.get("command", [])
        if not words or not all(os.path.exists(word) for word in words[:1]):
            continue  # not built
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        environment = tuple(tuple(setting.split("=", 1)) for setting in properties.get("ENVIRONMENT", []))
        tests.append(Test(test["name"], tuple(words), properties.get("WORKING_DIRECTORY", str(build)), environment))
    return tests


def googletest_programs(build):
    """Names of the test programs that GoogleTest runs, by the list that CMake writes of all targets."""
    programs = set()
    for line in (build / "targets.txt").read_text(encoding="utf-8").splitlines():
        name, kind, *_, links = line.split("|")
        if kind == "EXECUTABLE" and "GTest::gtest" in links.split(","):
            programs.add(name)
    return programs


def listed_cases(text):
    """Full names of the tests in what a program prints for --gtest_list_tests: a line for each suite, and indented ones for
    its tests, with what they are of behind a #."""
    suite, names = "", []
    for line in text.splitlines():
        name = line.split("#")[0].rstrip()
        if line.startswith("  "):
            names.append(suite + name.strip())
        elif name.endswith("."):
            suite = name
    return names


def by_case(tests, programs):
    """The tests, those of GoogleTest case by case: most of what a program tests does not come to a change, and the first
    case that does may well be enough."""
    split = []
    for test in tests:
        if os.path.basename(test.command[0]) not in programs or len(test.command) > 1:
            split.append(test)
            continue
        listed = subprocess.run([*test.command, "--gtest_list_tests"], cwd=test.folder, capture_output=True, text=True,
                                stdin=subprocess.DEVNULL, env=os.environ | dict(test.environment), check=True)
        split += [dataclasses.replace(test, name=f"{test.name}: {case}", command=(*test.command, f"{CASES}{case}"),
                                      program=test.name) for case in listed_cases(listed.stdout)]
    return split


def joined(cases):
    """One test of several cases of a program."""
    first, names = cases[0], [case.command[-1].removeprefix(CASES) for case in cases]
    return dataclasses.replace(first, name=f"{first.program}: one of {len(cases)} cases",
                               command=(*first.command[:-1], CASES + ":".join(names)))


def limits(processor_s):
    """To be called in the child: what has no end, or takes all memory, ends."""

    def set_limits():
        seconds = int(processor_s) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return set_limits


def run(test, environment, processor_s, wall_s):
    """Runs a test, each process of it for `processor_s` at most, and all of it for `wall_s`."""
    with tempfile.TemporaryDirectory() as scratch:
        # Two changes may be tried on the same test at the same time.
        own = {"TMPDIR": scratch, "TEST_TMPDIR": scratch, "GTEST_FAIL_FAST": "1", "QT_QPA_PLATFORM": "offscreen"}
        start = time.monotonic()
        child = subprocess.Popen(test.command, cwd=test.folder, env=os.environ | own | dict(test.environment) | environment,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 preexec_fn=limits(processor_s), start_new_session=True)
        ran_out = threading.Event()

        def end():
            ran_out.set()
            os.killpg(child.pid, signal.SIGKILL)

        killer = threading.Timer(wall_s, end)
        killer.daemon = True
        killer.start()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        killer.cancel()
        os.killpg(child.pid, signal.SIGKILL)  # what it has started ends with it
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    used = usage.ru_utime + usage.ru_stime
    too_long = ran_out.is_set() or child.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
    return Outcome(child.returncode == 0 and not too_long, used, time.monotonic() - start, too_long)


def reached(path):
    """Numbers in a file that programs have written."""
    path = pathlib.Path(path)
    return sorted({int(line) for line in path.read_text(encoding="ascii").split()}) if path.exists() else []
