"""Graphs and plans in Python: read, made, written, and refused with file and place."""
from __future__ import annotations

import gzip
import json
import pickle
import tempfile
import unittest
from pathlib import Path

from overlap_studio import core
from overlap_studio.errors import InputError, OverlapStudioError

from programs import DATA, EXPERTS, SAMPLE, SAMPLE_PLAN, SMALL, overlap_json


class Scratch(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)


class Graphs(Scratch):
    def test_what_a_document_says(self) -> None:
        graph = core.read_graph(EXPERTS)
        info = overlap_json("info", EXPERTS, "--json")
        self.assertEqual(len(graph), info["nodes"])
        self.assertEqual(len(graph.node_names), len(graph))
        document = json.loads(gzip.open(EXPERTS, "rt", encoding="utf-8").read())
        self.assertEqual(graph.node_names, [node["name"] for node in document["nodes"]])
        self.assertEqual(graph.name, document["name"])
        groups = [(group["name"], group["ranks"], group.get("rank", 0)) for group in document["process_groups"]]
        self.assertEqual([(group.name, group.ranks, group.rank) for group in graph.process_groups], groups)
        self.assertEqual(graph.notes, [])

    def test_nothing_is_lost(self) -> None:
        everything = DATA / "graphs" / "everything.graph.json"
        graph = core.read_graph(str(everything))
        graph.write(self.folder / "again.graph.json.gz")
        read = json.loads(gzip.open(self.folder / "again.graph.json.gz", "rt", encoding="utf-8").read())
        self.assertEqual(read, json.loads(everything.read_text(encoding="utf-8")))
        self.assertEqual(json.loads(graph.json()), read)
        for document in (graph.json(), graph.json().encode(), gzip.compress(graph.json().encode())):
            self.assertEqual(core.parse_graph(document).digest, graph.digest)

    def test_the_digest_is_the_plans(self) -> None:
        self.assertEqual(core.read_graph(SAMPLE).digest, core.read_plan(SAMPLE_PLAN).document()["graph"]["digest"])

    def test_progress_rises_to_the_whole(self) -> None:
        shares: list[float] = []
        core.read_graph(SAMPLE, progress=shares.append)
        self.assertGreater(len(shares), 3)
        self.assertEqual(shares, sorted(shares))
        self.assertEqual(shares[-1], 1)

    def test_what_progress_raises_ends_the_reading(self) -> None:
        def refuse(share: float) -> None:
            raise ZeroDivisionError(share)
        with self.assertRaises(ZeroDivisionError):
            core.read_graph(SAMPLE, progress=refuse)

    def test_another_cost_model(self) -> None:
        graph = core.read_graph(SMALL)
        names = [model.name for model in core.cost_models()]
        self.assertIn("h100-sxm", names)
        modelled = graph.with_cost_model("h100-sxm")
        self.assertEqual(modelled.cost_model, "h100-sxm")
        self.assertEqual(modelled.digest, graph.digest)
        self.assertNotEqual(graph.cost_model, "h100-sxm")
        same = graph.with_cost_model(core.cost_model("h100-sxm"))
        self.assertEqual(same.json(), modelled.json())

    def test_another_compilation(self) -> None:
        graph = core.read_graph(SAMPLE).with_compilation("eager")
        self.assertEqual(json.loads(graph.json())["cost_model"]["compiled"], "eager")
        with self.assertRaisesRegex(InputError, 'there is no scope "hole"; nearest: "whole"'):
            graph.with_compilation("hole")

    def test_another_batch_keeps_the_plan(self) -> None:
        graph = core.read_graph(SAMPLE)
        doubled = graph.with_local_batch(4)
        self.assertNotEqual(doubled.digest, graph.digest)
        step = core.evaluate(doubled, core.read_plan(SAMPLE_PLAN))
        given = overlap_json("simulate", SAMPLE, "--local-batch", "4", "--pipeline", SAMPLE_PLAN, "--json", "--quiet")
        self.assertEqual(step.figures(), given)


class Plans(Scratch):
    def test_a_document_comes_back(self) -> None:
        plan = core.read_plan(SAMPLE_PLAN)
        document = json.loads(SAMPLE_PLAN.read_text(encoding="utf-8"))
        self.assertEqual(plan.name, document["name"])
        self.assertEqual(len(plan.buckets), len(document["buckets"]))
        plan.write(self.folder / "again.plan.json")
        self.assertEqual(core.read_plan(self.folder / "again.plan.json"), plan)
        self.assertEqual(core.parse_plan(plan.json()), plan)
        changed = plan.document()
        changed["name"] = "Plan Ü"
        self.assertEqual(core.parse_plan(changed).name, "Plan Ü")
        self.assertNotEqual(core.parse_plan(changed), plan)

    def test_buckets_as_typed_and_as_lists(self) -> None:
        graph = core.read_graph(SMALL)
        typed = core.make_plan(graph, "layers.[0-2], norm+output")
        listed = core.make_plan(graph, ["layers.0", "layers.1", "layers.2", ["norm", "output"]])
        self.assertEqual(typed.buckets, [["layers.0"], ["layers.1"], ["layers.2"], ["norm", "output"]])
        self.assertEqual(listed, typed)
        self.assertEqual(typed.passes, ["manual_overlap_bucketing"])
        with self.assertRaisesRegex(InputError, "line 1, column"):
            core.make_plan(graph, "layers.[0-")

    def test_a_bucket_for_each_block(self) -> None:
        graph = core.read_graph(SMALL)
        single, paired = core.plan_by_block(graph), core.plan_by_block(graph, 2)
        self.assertIn(["layers.0"], single.buckets)
        self.assertLess(len(paired.buckets), len(single.buckets))
        with self.assertRaises(InputError):
            core.plan_by_block(graph, 0)

    def test_presets(self) -> None:
        graph = core.read_graph(EXPERTS)
        names = [preset.name for preset in core.presets(graph)]
        self.assertEqual(names, ["torchtitan_default", "torchtitan_performance"])
        preset = core.preset(graph, names[0])
        given = overlap_json("simulate", EXPERTS, "--preset", names[0], "--json", "--quiet")
        self.assertEqual(core.evaluate(graph, preset.plan).figures(), given)
        with self.assertRaisesRegex(InputError, "nearest: .torchtitan_default"):
            core.preset(graph, "torchtitan_defaul")

    def test_a_plan_of_another_graph_is_refused(self) -> None:
        with self.assertRaisesRegex(InputError, "the plan is for another graph"):
            core.evaluate(core.read_graph(SMALL), core.read_plan(SAMPLE_PLAN))


class Errors(Scratch):
    def test_file_place_and_sentence(self) -> None:
        path = self.folder / "broken.plan.json"
        path.write_text('{"format": "overlap-plan", "version": 1,\n "buckets": [3]}', encoding="utf-8")
        with self.assertRaises(core.InputError) as caught:
            core.read_plan(path)
        error = caught.exception
        self.assertIs(type(error), InputError)
        self.assertIsInstance(error, OverlapStudioError)
        self.assertEqual(error.file, str(path))
        self.assertEqual(error.place, "buckets[0]")
        self.assertEqual(str(error), f"{error.file}: {error.place}: {error.problem}")
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((again.file, again.place, again.problem), (error.file, error.place, error.problem))

    def test_a_missing_file(self) -> None:
        for read in (core.read_graph, core.read_plan):
            with self.assertRaises(InputError) as caught:
                read(self.folder / "no such file")
            self.assertEqual(caught.exception.file, str(self.folder / "no such file"))

    def test_a_file_that_fails_while_it_is_read_or_written(self) -> None:
        # The kernel opens both and refuses what is asked of them.
        for read in (core.read_graph, core.read_plan, core.read_trace, core.cost_model):
            with self.assertRaises(InputError) as caught:
                read("/proc/self/mem")
            self.assertEqual((caught.exception.file, caught.exception.problem),
                             ("/proc/self/mem", "it cannot be read: Input/output error"))
        graph = core.read_graph(SMALL)
        for write in (graph.write, core.make_plan(graph, ["layers.0"]).write):
            with self.assertRaises(InputError) as caught:
                write("/dev/full")
            self.assertEqual((caught.exception.file, caught.exception.problem),
                             ("/dev/full", "it cannot be written: No space left on device"))

    def test_a_file_whose_name_is_no_text(self) -> None:
        path = self.folder / "graph \udcff.json"
        with self.assertRaises(InputError) as caught:
            core.read_graph(path)
        self.assertEqual(caught.exception.file, str(path))

    def test_bad_documents_never_end_python(self) -> None:
        bad = sorted(path for path in (DATA / "bad").rglob("*") if path.is_file())
        self.assertGreater(len(bad), 10)
        for path in bad:
            with self.subTest(path=path.name):
                for read in (core.read_graph, core.read_plan, core.cost_model):
                    try:
                        read(path)
                    except InputError as error:
                        self.assertTrue(error.problem)

    def test_wrong_types_are_type_errors(self) -> None:
        graph = core.read_graph(SMALL)
        for call in (lambda: core.evaluate(3), lambda: core.evaluate(graph, 3), lambda: core.make_plan(graph, 3),
                     lambda: core.read_graph(None), lambda: core.parse_graph(3)):
            self.assertRaises(TypeError, call)

    def test_what_cannot_be_written(self) -> None:
        graph = core.read_graph(SMALL)
        with self.assertRaises(InputError) as caught:
            graph.write(self.folder / "no" / "folder.graph.json")
        self.assertIn("folder.graph.json", str(caught.exception))
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
