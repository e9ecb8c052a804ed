#!/usr/bin/env python3
"""overlap export to documents and traces, each read back by a reader of its own, for a plan whose names are hostile."""
import csv
import html.parser
import io
import json
import re
import struct

from command_line import data, graph_path, main
from exported_files import Export, GROUP, HOSTILE, block_plan, hostile_graph, hostile_plan, module_lists, sharded


class Usage(Export):
    def test_formats_are_listed_and_checked(self):
        formats = self.formats()
        for name in ("plan", "job", "graph_trainer", "inductor", "fsdp2", "trace", "perfetto", "buckets.csv",
                     "collectives.csv", "report"):
            self.assertIn(name, formats)
        done = self.overlap("export", self.path("a.plan.json", block_plan()), "--to", "nonsense", "-o", self.path("o"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("nonsense", done.stderr)

    def test_links_that_are_not_shared_are_told_where_figures_are_of_such(self):
        steps = ("reassign_collective_pgs_pass", "joint_transformer_block_bucketing_reordering_pass")
        plan = block_plan(*({"pass": step} for step in steps), buckets=[[f"layers.{layer}"] for layer in range(32)])
        for to, told in (("collectives.csv", 1), ("report", 0)):
            _, notes = self.export(plan, to, graph_path("llama3_8b_fsdp64.prebucket"))
            self.assertEqual(len([note for note in notes if "is taken to have a link of its own" in note]), told, notes)

    def test_formats_that_need_the_graph_say_so(self):
        for to in self.formats():
            if to in ("plan", "graph_trainer"):
                self.export(block_plan(), to)
            elif to != "inductor":
                self.refused(["the.plan.json", "--graph"], block_plan(), to)

    def test_a_plan_for_another_graph_is_refused(self):
        plan = block_plan()
        plan["graph"] = {"name": "other", "nodes": 3, "digest": "0123456789abcdef"}
        for to in self.formats():
            self.refused(["another graph", "other"], plan, to, sharded())

    def test_a_refused_plan_exports_nothing_but_itself(self):
        plan = block_plan({"pass": "schedule_fsdp_comms_to_dense_regions_pass",
                           "options": {"moe_layer_ids": [], "n_layers": 60, "strict": True}})
        for to in self.formats():
            if to == "plan":
                _, notes = self.export(plan, to, sharded())
                self.assertTrue(any("refused" in note for note in notes), notes)
            else:
                self.refused(["refused", "step 1 (schedule_fsdp_comms_to_dense_regions_pass)"], plan, to, sharded())

    def test_exports_of_one_plan_are_alike(self):
        for to in self.formats():
            if to != "inductor":
                self.assertEqual(self.export(block_plan(), to, sharded()), self.export(block_plan(), to, sharded()))


class PlanDocument(Export):
    def test_names_and_fingerprint(self):
        plan = json.loads(self.export(hostile_plan(), "plan", hostile_graph())[0])
        self.assertEqual(module_lists(plan), module_lists(hostile_plan()))
        self.assertEqual(plan["name"], hostile_plan()["name"])
        self.assertEqual(plan["graph"]["nodes"], len(hostile_graph()["nodes"]))

    def test_items_of_lists_are_names_and_no_abbreviations(self):
        """Each layer's gathers are merged: its bucket has found it."""
        names = ["a+b", "my layer, and another", "layers.[0-2]", "'quoted'", '["x"]', *HOSTILE]
        graph = self.path("names.graph.json", hostile_graph(names))
        for buckets in ([{"modules": [name]} for name in names], [[name] for name in names]):
            plan = self.path("names.plan.json", {**hostile_plan(), "buckets": buckets})
            made = self.path("made.graph.json")
            done = self.overlap("apply", graph, "--pipeline", plan, "-o", made)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(made, encoding="utf-8") as file:
                nodes = json.load(file)["nodes"]
            gathers = [node for node in nodes if "all_gather_into_tensor_out" in node["target"]]
            self.assertEqual(len(gathers), len(names))

    def test_a_plan_without_a_graph_is_told(self):
        _, notes = self.export(hostile_plan(), "plan")
        self.assertEqual(len(notes), 2, notes)
        self.assertTrue(any("names no graph" in note for note in notes), notes)


class JobPlan(Export):
    """A plan that was exported by a program of this version of its section, which later ones may not change unsaid."""

    def test_the_held_one_is_what_is_written(self):
        held = data("versions", "job_plan.v3.json")
        with open(held, encoding="utf-8") as file:
            document = json.load(file)
        made, _ = self.export(document, "job", data("bucketing_goldens", "random_9069.graph.json.gz"))
        self.assertEqual(json.loads(made)["job"], document["job"])


def fields(message):
    """Fields of a protocol buffer, after the specification of the wire format: (number, wire type, value)."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, 0, varint()
        elif key & 7 == 1:
            yield key >> 3, 1, message[at:at + 8]
            at += 8
        elif key & 7 == 2:
            length = varint()
            assert at + length <= len(message)
            yield key >> 3, 2, message[at:at + length]
            at += length
        else:
            raise AssertionError(f"wire type {key & 7}")


def single(message, number):
    found = [value for field, _, value in fields(message) if field == number]
    return found[0] if found else None


class Traces(Export):
    def test_chrome_trace(self):
        trace = json.loads(self.export(hostile_plan(), "trace", hostile_graph())[0])
        names = {event["name"] for event in trace["traceEvents"]}
        self.assertTrue({name + "_mm0" for name in HOSTILE} <= names)

    def perfetto(self, plan, graph):
        tracks, slices, counters, open_slices, last = {}, [], [], {}, -1
        for number, wire, packet in fields(self.export(plan, "perfetto", graph)[0]):
            self.assertEqual((number, wire), (1, 2))
            self.assertEqual(single(packet, 10), 1)
            if descriptor := single(packet, 60):
                tracks[single(descriptor, 1)] = descriptor
                continue
            time, event = single(packet, 8), single(packet, 11)
            self.assertGreaterEqual(time, last)
            last = time
            track = single(event, 11)
            self.assertIn(track, tracks)
            kind = single(event, 9)
            if kind == 1:
                self.assertNotIn(track, open_slices, "slices of one track overlap")
                open_slices[track] = (time, event)
            elif kind == 2:
                begin, opened = open_slices.pop(track)
                slices.append((track, begin, time, opened))
            else:
                self.assertEqual(kind, 4)
                counters.append((time, single(event, 30)))
        self.assertEqual(open_slices, {})
        return tracks, slices, counters

    def test_perfetto_has_every_node_on_its_track(self):
        tracks, slices, counters = self.perfetto(hostile_plan(), hostile_graph())
        names = [single(event, 23).decode() for _, _, _, event in slices]
        for name in HOSTILE:
            self.assertEqual(names.count(name + "_mm0"), 1)
        titles = [single(descriptor, 2) for descriptor in tracks.values()]
        self.assertEqual(len(set(titles)), len(titles))
        self.assertTrue(counters)

    def test_perfetto_agrees_with_the_figures(self):
        graph = sharded()
        tracks, slices, _ = self.perfetto({**block_plan(), "pipeline": []}, graph)
        figures = json.loads(self.overlap("simulate", graph, "--json").stdout)
        self.assertAlmostEqual(max(end for _, _, end, _ in slices) / 1e6, figures["step_ms"], places=5)
        by_name = {single(event, 23).decode(): (begin, end, event) for _, begin, end, event in slices}
        flows = {}
        for collective in figures["collectives"]:
            begin, end, event = by_name[collective["name"]]
            self.assertAlmostEqual(begin / 1e6, collective["start_ms"], places=5)
            self.assertAlmostEqual(end / 1e6, collective["end_ms"], places=5)
            told = {single(value, 10): value for field, _, value in fields(event) if field == 4}
            self.assertEqual(single(told[b"bytes"], 4), collective["bytes"])
            exposed = struct.unpack("<d", single(told[b"exposed_ms"], 5))[0]
            self.assertEqual(exposed, collective["exposed_ms"])
            if flow := single(event, 47):
                flows[flow] = collective["name"]
        stalls = [event for _, _, _, event in slices if single(event, 48)]
        self.assertTrue(stalls)
        for stall in stalls:
            self.assertEqual(single(stall, 23).decode(), "wait: " + flows[single(stall, 48)])


def unescaped(cell):
    """A text as it was before CsvTable made it harmless."""
    return cell[1:] if cell.startswith("'") else cell


class Tables(Export):
    def table(self, to, plan, graph):
        text = self.export(plan, to, graph)[0].decode()
        rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
        for row in rows:
            self.assertNotIn(None, row)
            for name, cell in row.items():
                if not re.fullmatch(r"-?[0-9.e+-]+", cell):
                    self.assertFalse(cell[:1] in ("=", "+", "-", "@", "\t", "\r", "\n"), cell)
        return rows

    def test_collectives(self):
        rows = self.table("collectives.csv", {**hostile_plan(), "pipeline": []}, hostile_graph())
        self.assertEqual([unescaped(row["collective"]) for row in rows],
                         [f"{name}_ag{part}" for name in HOSTILE for part in range(2)])
        self.assertEqual(rows[0]["bytes"], "8192")
        self.assertEqual(unescaped(rows[0]["process_group"]), GROUP)
        figures = json.loads(self.overlap("simulate", self.path("the.graph.json"), "--json").stdout)
        for row, collective in zip(rows, figures["collectives"]):
            for name in ("start_ms", "end_ms", "exposed_ms"):
                self.assertEqual(float(row[name]), collective[name])
            self.assertEqual(row["cause"], collective["cause"])

    def test_buckets(self):
        rows = self.table("buckets.csv", hostile_plan(), hostile_graph())
        self.assertEqual([json.loads(row["modules"]) for row in rows],
                         [names if isinstance(names, list) else [names] for names in module_lists(hostile_plan())])
        self.assertEqual(unescaped(rows[0]["title"]), "=title()</td>")
        self.assertEqual(json.loads(rows[1]["members"]),
                         [f"{name}_ag{part}" for name in HOSTILE[1:3] for part in range(2)])

    def test_entries_without_a_bucket_are_there(self):
        plan = block_plan(buckets=[["layers.0"], ["rope"]])
        rows = self.table("buckets.csv", plan, sharded())
        self.assertEqual([row["title"] for row in rows if row["member_count"] == "0"], ["rope"])


class Page(html.parser.HTMLParser):
    VOID = {"meta", "br"}

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.attributes, self.text, self.wrong = [], set(), set(), [], []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        self.text.append(data)


class Report(Export):
    def page(self, plan, graph):
        source = self.export(plan, "report", graph)[0].decode()
        page = Page()
        page.feed(source)
        page.close()
        self.assertEqual((page.wrong, page.open), ([], []))
        return source, page

    def test_hostile_names_are_text(self):
        source, page = self.page(hostile_plan(), hostile_graph())
        calm_source, calm = self.page(block_plan(), sharded())
        for made in (page, calm):
            self.assertFalse(made.tags & {"script", "img", "iframe", "object", "link", "form", "a", "base"})
            self.assertFalse([name for name in made.attributes if name.startswith("on") or name in ("href", "src")])
        self.assertLessEqual(page.tags, calm.tags | {"small", "br"})
        for character in ("\u202e", "\u2066", "\u2028", "\u0007", "\u0000"):
            self.assertNotIn(character, source)
        text = "".join(page.text)
        self.assertIn("\u27e8U+202E\u27e9evil", text)
        self.assertIn("</script></style><img src=x", text)
        self.assertNotIn("x" * 500, source)
        self.assertIn("(10000 bytes)", text)
        self.assertIn("default-src 'none'", calm_source)

    def test_nothing_is_asked_from_elsewhere(self):
        source, _ = self.page(block_plan(), sharded())
        self.assertEqual(re.findall(r"url\((?!#)[^)]*\)|https?:|@import", source), [])

    def test_figures_and_sections(self):
        _, page = self.page(block_plan(), sharded())
        text = " ".join(page.text)
        for word in ("Step", "Exposed communication", "Peak memory", "Timeline", "Memory held", "Buckets", "layers.3",
                     "What is exposed, and why", "Process groups", "Problems and hazards", "Passes",
                     "manual_overlap_bucketing", "module_stack_fn", "digest"):
            self.assertIn(word, text)


if __name__ == "__main__":
    main()
