#!/usr/bin/env python3
"""A measured pipeline job (shared/job/stragglers): its published step times and what-if figures, from programs.

    straggler_cases.py PROGRAMS STRAGGLER_DATA
"""
import collections
import gzip
import json
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAMS, DATA = sys.argv[1], os.path.abspath(sys.argv[2])
# Sends and receives of one direction count as one type.
MERGED = {"forward-send": "forward-pp-comm", "forward-recv": "forward-pp-comm",
          "backward-send": "backward-pp-comm", "backward-recv": "backward-pp-comm"}
MEANS = {"forward-compute", "backward-compute", "optimizer"}


def in_32_bits(value):
    return struct.unpack("f", struct.pack("f", value))[0]


class Measured:
    """The operations: (step, replica, stage, type, number in its type) to seconds."""

    def __init__(self):
        with gzip.open(os.path.join(DATA, "ST.trace.json.gz"), "rt") as file:
            trace = json.load(file)
        with open(os.path.join(DATA, "ST.dependencies.json"), encoding="utf-8") as file:
            self.dependencies = json.load(file)
        with open(os.path.join(DATA, "ST.expected.json"), encoding="utf-8") as file:
            self.expected = json.load(file)
        self.times = {}
        for values in trace["operations"]:
            op = dict(zip(trace["columns"], values))
            kind = trace["types"][op["type"]]
            # The file has the shortest text of 32-bit numbers; what was published was worked out from the numbers.
            seconds = in_32_bits(op["duration"] if op["transfer"] is None else op["transfer"])
            self.times[op["step"], op["dp_rank"], op["pp_rank"], kind, op["seq"]] = 0 if kind == "gc" else seconds
        by_kind = collections.defaultdict(list)
        for key, seconds in self.times.items():
            by_kind[key[3]].append(seconds)
        self.ideal = {kind: statistics.fmean(times) if kind in MEANS or kind == "gc" else statistics.median(times)
                      for kind, times in by_kind.items()}
        self.steps = sorted({key[0] for key in self.times})


class Stragglers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.measured = Measured()
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.known = {}

    def job(self, step, as_measured):
        """@param as_measured: whether an operation (replica, stage, type) keeps its measured time."""
        measured = self.measured
        group_of, across = {}, {}
        for index, group in enumerate(measured.dependencies["groups"]):
            for name in group["members"]:
                group_of[name] = index
            across[index] = group["across_dp"]
        groups, programs = {}, []
        for replica in range(2):
            for stage in range(4):
                rank, ops = replica * 4 + stage, []
                for name, waits in measured.dependencies["waits_for"].items():
                    kind, number, of_stage = name.rsplit("_", 2)
                    if int(of_stage) != stage:
                        continue
                    seconds = measured.times[step, replica, stage, kind, int(number)] \
                        if as_measured(replica, stage, kind) else measured.ideal[kind]
                    op = {"id": name, "kind": "compute", "stream": name, "after": waits, "ms": seconds * 1e3}
                    if name in group_of:
                        group = str(group_of[name]) + ("" if across[group_of[name]] else "." + str(replica))
                        op.update(kind="collective", group=group)
                        if rank not in groups.setdefault(group, []):
                            groups[group].append(rank)
                    ops.append(op)
                programs.append({"rank": rank, "ops": ops})
        return {"format": "overlap-job", "version": 1, "groups": groups, "programs": programs}

    def seconds(self, step, key, as_measured):
        if (step, key) not in self.known:
            path = os.path.join(self.folder.name, "x.job.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(self.job(step, as_measured), file)
            done = subprocess.run([os.path.join(PROGRAMS, "overlap"), "job", "simulate", path, "--json"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.known[step, key] = json.loads(done.stdout)["step_ms"] / 1e3
        return self.known[step, key]

    def close(self, found, expected, what):
        self.assertLessEqual(abs(found - expected), 1e-9 * abs(expected), what)

    def ideal_step(self, step):
        return self.seconds(step, "ideal", lambda *_: False)

    def test_replay_and_ideal(self):
        published = self.measured.expected["published"]
        for step in self.measured.steps:
            self.close(self.seconds(step, "replay", lambda *_: True), published["step_t_nodelay"][str(step)], step)
            self.close(self.ideal_step(step), published["step_t_noblk"][str(step)], step)

    def decompose(self, name, key_of):
        published = self.measured.expected["published"]
        means = collections.defaultdict(list)
        for step, figures in published[name + "_per_step"].items():
            for key, expected in figures.items():
                found = self.seconds(int(step), (name, key), lambda *op, wanted=key: key_of(*op) == wanted)
                self.close(found / self.ideal_step(int(step)), expected, (name, step, key))
                means[key].append(found)
        ideal = statistics.fmean(self.ideal_step(step) for step in self.measured.steps)
        for key, expected in published[name].items():
            # The published mean is over all steps; those that list this key have been run.
            found = [self.seconds(step, (name, key), lambda *op, wanted=key: key_of(*op) == wanted) for step in self.measured.steps]
            self.close(statistics.fmean(found) / ideal, expected, (name, key))

    def test_replicas(self):
        self.decompose("blocking_decompose_by_dp_rank", lambda replica, stage, kind: str(replica))

    def test_stages(self):
        self.decompose("blocking_decompose_by_stage", lambda replica, stage, kind: str(stage))

    def test_types(self):
        self.decompose("blocking_decompose_by_optype", lambda replica, stage, kind: MERGED.get(kind, kind))

    def test_slowdowns(self):
        published = self.measured.expected["published"]
        replay = {step: self.seconds(step, "replay", lambda *_: True) for step in self.measured.steps}
        for step in self.measured.steps:
            self.close(published["step_t_base"][str(step)] / replay[step], published["launch_step_slowdown"][str(step)], step)
            self.close(replay[step] / self.ideal_step(step), published["blocking_step_slowdown"][str(step)], step)
        ideal = statistics.fmean(self.ideal_step(step) for step in self.measured.steps)
        self.close(statistics.fmean(replay.values()) / ideal, published["blocking_slowdown"], "blocking")

    def check_parts(self, expected, share, name, is_part):
        """Replay with a part of the workers ideal, ideal with it as measured, and their shares of what is lost."""
        def mean(key, as_measured):
            return statistics.fmean(self.seconds(step, key, as_measured) for step in self.measured.steps)
        tori, tideal = mean("replay", lambda *_: True), mean("ideal", lambda *_: False)
        trem, tadd = mean("without " + name, lambda *op: not is_part(*op)), mean("only " + name, is_part)
        for key, found in (("tori", tori), ("tideal", tideal), ("trem", trem), ("tadd", tadd)):
            self.close(found, expected[key], (name, key))
        # Differences of numbers that are nearly equal: as exact as these are, and no more.
        lost = tori - tideal
        for key, found in (("rem", tori - trem), ("add", tadd - tideal), (share, tori - trem)):
            self.assertLessEqual(abs(found - expected[key] * lost), 2e-9 * tori, (name, key))

    def test_last_stage(self):
        self.check_parts(self.measured.expected["last_stage"], "Ms", "last stage", lambda replica, stage, kind: stage == 3)

    def test_slowest_worker(self):
        published = self.measured.expected["published"]
        replicas, stages = published["blocking_decompose_by_dp_rank"], published["blocking_decompose_by_stage"]
        # Three of a hundred workers: one of eight.
        worst = max(((int(replica), int(stage)) for replica in replicas for stage in stages),
                    key=lambda worker: min(replicas[str(worker[0])], stages[str(worker[1])]))
        self.check_parts(self.measured.expected["slowest_workers"], "Mw", "slowest worker",
                         lambda replica, stage, kind: (replica, stage) == worst)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
