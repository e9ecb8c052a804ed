"""The exported Perfetto trace, read with Perfetto's own definitions of its messages, against the simulation's figures."""
from __future__ import annotations

import json
import tempfile
import unittest
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

from job_plans import BLOCKS, plan_document, step
from programs import REPOSITORY, overlap

GRAPH = REPOSITORY / "tests" / "data" / "graphs" / "llama3_debugmodel_fsdp8.prebucket.graph.json.gz"
PLAN = plan_document([step("joint_transformer_block_bucketing_reordering_pass", module_bucket_plans=BLOCKS)])
NANOSECONDS = 1e6  # in a millisecond


def messages(message: Message) -> Iterator[Message]:
    """The message and all inside it."""
    yield message
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for inner in value if field.is_repeated else [value]:
                yield from messages(inner)


def setUpModule() -> None:
    global TRACE, SIMULATION
    TRACE = Trace()
    with tempfile.TemporaryDirectory() as scratch:
        plan, made, written = (Path(scratch) / name for name in ("a.plan.json", "made.graph.json", "step.perfetto"))
        plan.write_text(json.dumps(PLAN), encoding="utf-8")
        overlap("export", plan, "--graph", GRAPH, "--to", "perfetto", "-o", written)
        TRACE.ParseFromString(written.read_bytes())
        overlap("apply", GRAPH, "--pipeline", plan, "-o", made)
        SIMULATION = json.loads(overlap("simulate", "--json", made))


class PerfettoTrace(unittest.TestCase):
    def setUp(self) -> None:
        self.names = {packet.track_descriptor.uuid: packet.track_descriptor.name for packet in TRACE.packet
                      if packet.HasField("track_descriptor")}
        self.events = [packet for packet in TRACE.packet if packet.HasField("track_event")]

    def slices(self, track_begins: str) -> list[tuple[str, int]]:
        """Names and nanoseconds of the slices on tracks whose names begin so."""
        found, opened = [], {}
        for packet in self.events:
            event = packet.track_event
            if not self.names[event.track_uuid].startswith(track_begins):
                continue
            if event.type == TrackEvent.TYPE_SLICE_BEGIN:
                self.assertNotIn(event.track_uuid, opened)
                opened[event.track_uuid] = (event.name, packet.timestamp)
            elif event.type == TrackEvent.TYPE_SLICE_END:
                name, began = opened.pop(event.track_uuid)
                found.append((name, packet.timestamp - began))
        self.assertEqual(opened, {})
        return found

    def test_perfetto_knows_every_field(self) -> None:
        for message in messages(TRACE):
            self.assertEqual(len(UnknownFieldSet(message)), 0, message)

    def test_every_event_is_on_a_track_that_is_described(self) -> None:
        self.assertEqual({packet.track_event.track_uuid for packet in self.events} - set(self.names), set())

    def test_time_never_goes_back_on_a_track(self) -> None:
        last: Counter[int] = Counter()
        for packet in self.events:
            self.assertGreaterEqual(packet.timestamp, last[packet.track_event.track_uuid])
            last[packet.track_event.track_uuid] = packet.timestamp

    def test_collectives_are_those_of_the_simulation(self) -> None:
        slices = self.slices("Gathers + scatters")
        self.assertEqual([name for name, _ in slices], [item["name"] for item in SIMULATION["collectives"]])
        for (name, nanoseconds), item in zip(slices, SIMULATION["collectives"]):
            self.assertAlmostEqual(nanoseconds, (item["end_ms"] - item["start_ms"]) * NANOSECONDS, delta=1, msg=name)

    def test_compute_and_waits_add_up_to_the_simulation_s(self) -> None:
        slices = self.slices("Compute")
        waits = [nanoseconds for name, nanoseconds in slices if name.startswith("wait: ")]
        busy = sum(nanoseconds for _, nanoseconds in slices) - sum(waits)
        self.assertAlmostEqual(busy, SIMULATION["compute_ms"] * NANOSECONDS, delta=len(slices))
        self.assertAlmostEqual(sum(waits), SIMULATION["exposed_ms"] * NANOSECONDS, delta=len(waits))

    def test_a_flow_leads_from_each_exposed_collective_to_its_wait(self) -> None:
        ends: dict[int, list[str]] = {}
        for packet in self.events:
            event = packet.track_event
            for flow in event.flow_ids:
                ends.setdefault(flow, []).append(event.name)
            for flow in event.terminating_flow_ids:
                ends.setdefault(flow, []).append(event.name.removeprefix("wait: "))
        exposed = [item["name"] for item in SIMULATION["collectives"] if item["exposed_ms"] > 0]
        self.assertGreater(len(exposed), 5)
        self.assertEqual(sorted(ends.values()), sorted([name, name] for name in exposed))


if __name__ == "__main__":
    unittest.main()
