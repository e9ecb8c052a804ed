#!/usr/bin/env python3
"""Execution traces of Chakra, read as others read them and run again: the step is the one that was simulated.

    chakra_traces.py PROGRAMS
"""
import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest
from collections import Counter

PROGRAM = os.path.join(os.path.abspath(sys.argv[1]), "overlap")
COMPUTE, SEND, RECEIVE, COLLECTIVE = 4, 5, 6, 7
STAGES = {"format": "overlap-job", "version": 1, "replicas": 2,
          "stages": [{"ms": {"F": 2, "I": 3, "W": 1}, "gradient_sync_ms": 5},
                     {"segments": {"F": [{"compute_ms": 2}, {"collective": "all_gather", "dim": "dp", "ms": 1}],
                                   "B": [{"compute_ms": 4}]}}] * 2,
          "schedule": {"name": "1F1B", "microbatches": 6},
          "transfer": {"activations_ms": 0.25, "gradients_ms": 0.5},
          "variation": {"slow": [{"replica": 1, "stage": 2, "factor": 1.5}]}}
PROGRAMS = {"format": "overlap-job", "version": 1, "groups": {"g": [0, 1]}, "programs": [
    {"rank": 0, "ops": [{"id": "k", "kind": "compute", "ms": 4}, {"id": "s", "kind": "send", "peer": 1, "bytes": 8},
                        {"id": "x", "kind": "collective", "group": "g", "op": "all_to_all", "ms": 2}]},
    {"rank": 1, "ops": [{"id": "r", "kind": "recv", "peer": 0, "bytes": 8, "ms": 1}, {"id": "k", "kind": "compute", "ms": 3},
                        {"id": "x", "kind": "collective", "group": "g", "op": "all_to_all", "ms": 2}]}]}

ACTIVATION, GRADIENT = 111, 222


def pipeline(schedule, stages, microbatches):
    """Ranks have several stages each; messages take as many microseconds as they have bytes."""
    return {"format": "overlap-job", "version": 1, "replicas": 2,
            "stages": [{"ms": {"F": 2 + stage, "I": 3, "W": 1}, "gradient_sync_ms": 5} for stage in range(stages)],
            "schedule": {"name": schedule, "microbatches": microbatches},
            "transfer": {"activation_bytes": ACTIVATION, "gradient_bytes": GRADIENT},
            "topology": {"levels": [{"name": "all", "ranks": 8, "latency_ms": 0, "bytes_per_s": 1e6}]}}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    at, found = 0, []
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        found.append((key >> 3, value))
    return found


def read_trace(path):
    with open(path, "rb") as file:
        data = file.read()
    messages, at = [], 0
    while at < len(data):
        length, at = varint(data, at)
        messages.append(fields(data[at:at + length]))
        at += length
    assert messages[0] == [(1, b"1.0.0")], messages[0]
    nodes = []
    for message in messages[1:]:
        node = {"after": [value for field, value in message if field == 4]}
        node.update({name: value for field, value in message
                     for name in [{1: "id", 2: "name", 3: "type", 6: "start", 7: "us"}.get(field)] if name})
        for field, value in message:
            if field == 10:
                name, content = fields(value)
                node[name[1].decode()] = content[1]
        nodes.append(node)
    return nodes


def replay(traces, groups):
    """The step in microseconds: a node starts when what it is after has ended, a collective when all members are there."""
    ended, step, met = {}, 0, {}
    waiting = [(rank, node) for rank, nodes in traces.items() for node in nodes]
    while waiting:
        left = []
        for rank, node in waiting:
            if any((rank, before) not in ended for before in node["after"]):
                left.append((rank, node))
                continue
            start = max([ended[rank, before] for before in node["after"]], default=0)
            if node["type"] == RECEIVE:
                sent = [ended.get((node["comm_src"], other["id"])) for other in traces[node["comm_src"]]
                        if other["type"] == SEND and other["comm_dst"] == rank and other["comm_tag"] == node["comm_tag"]]
                assert len(sent) == 1, node
                if sent[0] is None:
                    left.append((rank, node))
                    continue
                start = max(start, sent[0])
            if node["type"] == COLLECTIVE:
                group = node["pg_name"].decode()
                number = [n["id"] for n in traces[rank] if n["type"] == COLLECTIVE and n["pg_name"] == node["pg_name"]].index(node["id"])
                arrived = met.setdefault((group, number), {})
                arrived[rank] = start
                if len(arrived) < len(groups[group]):
                    left.append((rank, node))
                    continue
                start = max(arrived.values())
            ended[rank, node["id"]] = start + node["us"]
            step = max(step, start + node["us"])
        assert len(left) < len(waiting), "nothing can go on"
        waiting = left
    return step


class Chakra(unittest.TestCase):
    def written(self, job):
        """The result of a job, the traces of all its ranks, and its groups."""
        with tempfile.TemporaryDirectory() as folder:
            path, prefix = os.path.join(folder, "x.job.json"), os.path.join(folder, "t")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(job, file)
            done = subprocess.run([PROGRAM, "job", "simulate", path, "--json", "--chakra", prefix, "--no-folding"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)
            traces = {int(name.split(".")[-2]): read_trace(name) for name in glob.glob(prefix + ".*.et")}
            with open(prefix + ".groups.json", encoding="utf-8") as file:
                groups = json.load(file)
        self.assertEqual(sorted(traces), [rank["rank"] for rank in result["ranks"]])
        for nodes in traces.values():
            ids = [node["id"] for node in nodes]
            self.assertEqual(len(set(ids)), len(ids))
        return result, traces, groups

    def check_messages(self, traces):
        """Each send has its receive of the same size, and no other message its tag. @returns how often each is sent."""
        sent = Counter()
        sides = {SEND: Counter(), RECEIVE: Counter()}
        for rank, nodes in traces.items():
            for node in nodes:
                if node["type"] not in sides:
                    continue
                self.assertEqual(rank, node["comm_src" if node["type"] == SEND else "comm_dst"])
                ends = node["comm_src"], node["comm_dst"]
                sides[node["type"]][(*ends, node["comm_tag"], node["comm_size"])] += 1
                if node["type"] == SEND:
                    sent[(*ends, node["comm_size"], node["name"])] += 1
        self.assertEqual(sides[SEND], sides[RECEIVE])
        self.assertEqual(set(Counter(message[:3] for message in sides[SEND]).values()), {1})
        return sent

    def check_groups(self, traces, groups):
        """Keys and names are numbers from 1, as ASTRA-sim reads them."""
        self.assertEqual(list(groups), [str(i + 1) for i in range(len(groups))])
        for rank, nodes in traces.items():
            for node in nodes:
                if node["type"] == COLLECTIVE:
                    self.assertIn(rank, groups[node["pg_name"].decode()])
                    self.assertTrue(node["pg_desc"])

    def test_what_is_written_runs_as_simulated(self):
        for job in (STAGES, PROGRAMS):
            with self.subTest(job=job):
                result, traces, groups = self.written(job)
                self.check_messages(traces)
                self.check_groups(traces, groups)
                self.assertEqual(replay(traces, groups), round(result["step_ms"] * 1000))
                kinds = {node["comm_type"] for nodes in traces.values() for node in nodes if node["type"] == COLLECTIVE}
                self.assertEqual(kinds, {0, 2} if job is STAGES else {6})

    def test_groups_of_programs_keep_their_name(self):
        _, traces, groups = self.written(PROGRAMS)
        self.assertEqual(groups, {"1": [0, 1]})
        names = {node["pg_desc"] for nodes in traces.values() for node in nodes if node["type"] == COLLECTIVE}
        self.assertEqual(names, {b"g"})

    def test_messages_of_ranks_with_several_stages(self):
        """Activations go to the next stage and gradients to the one before, whichever rank has the higher number."""
        for schedule, stages, microbatches in (("Interleaved1F1B", 4, 4), ("Interleaved1F1B", 6, 4), ("DualPipeV", 4, 8),
                                               ("DualPipeV", 8, 10), ("ZBVZeroBubble", 6, 7)):
            with self.subTest(schedule=schedule, stages=stages):
                job = pipeline(schedule, stages, microbatches)
                if schedule == "Interleaved1F1B":
                    job["schedule"]["stages_per_rank"] = stages // 2
                result, traces, groups = self.written(job)
                self.check_groups(traces, groups)
                self.assertEqual(replay(traces, groups), round(result["step_ms"] * 1000))
                expected = Counter()
                for replica in {rank["replica"] for rank in result["ranks"]}:
                    rank_of = {stage: rank["rank"] for rank in result["ranks"] if rank["replica"] == replica
                               for stage in rank["stages"]}
                    for stage in range(stages - 1):
                        here, behind = rank_of[stage], rank_of[stage + 1]
                        for microbatch in range(microbatches if here != behind else 0):
                            expected[here, behind, ACTIVATION, f"{stage}SEND_F{microbatch}".encode()] += 1
                            expected[behind, here, GRADIENT, f"{stage + 1}SEND_B{microbatch}".encode()] += 1
                self.assertEqual(self.check_messages(traces), expected)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
