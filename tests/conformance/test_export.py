#!/usr/bin/env python3
"""overlap export as a user meets it: every format read back by a reader of its own, for a plan whose names are hostile.

    test_export.py PROGRAMS DATA

PROGRAMS is the folder with `overlap`, DATA is tests/data. The Python files are really run, beside stand-ins for what they
import.
"""
import ast
import csv
import gzip
import html.parser
import io
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

PROGRAMS = DATA = ""

HOSTILE = [
    "a\"b'c",
    "line\nbreak\r\n# comment",
    "</script></style><img src=x onerror=alert(1)>",
    '"""\nimport os\n"""',
    "back\\slash\\",
    "{}%s{0}%(x)s$y",
    "\u202eevil\u2066",
    "=cmd()|'/C calc'!A0",
    "@SUM(1;2)",
    "\tbell\u0007\u0000",
    "caf\u00e9 \U0001f600 \u2028",
    "x" * 10_000,
]
GROUP = "0\"</td><b>"


def tensor(shape, storage):
    stride = [1] * len(shape)
    for index in range(len(shape) - 2, -1, -1):
        stride[index] = stride[index + 1] * shape[index + 1]
    size = 2
    for length in shape:
        size *= length
    return {"dtype": "bfloat16", "shape": shape, "stride": stride, "device": "cuda:0", "storage": storage,
            "storage_bytes": size}


def hostile_graph(names=HOSTILE):
    """Sharded layers, one for each name, each with two parameters; every name of a node and of a module is hostile."""
    nodes = []

    def add(name, op, target, args, shape, module=None, **more):
        node = {"name": name, "op": op, "target": target, "args": args, "kwargs": {}, **more}
        if shape:
            node["outputs"] = [tensor(shape, len(nodes))]
        if module is not None:
            node["custom"] = {"module_fqn": module}
        nodes.append(node)
        return {"node": name}

    x = add("x", "placeholder", "x", [], [64, 64])
    shards = [[add(f"{name}_p{part}", "placeholder", f"p{index}_{part}", [], [8, 64]) for part in range(2)]
              for index, name in enumerate(names)]
    for index, name in enumerate(names):
        for part, shard in enumerate(shards[index]):
            gathered = add(f"{name}_ag{part}", "call_function", "_c10d_functional.all_gather_into_tensor.default",
                           [shard, 8, GROUP], [64, 64], name, estimate_ms=2.0)
            waited = add(f"{name}_wait{part}", "call_function", "_c10d_functional.wait_tensor.default", [gathered],
                         [64, 64], name, estimate_ms=0.0)
            x = add(f"{name}_mm{part}", "call_function", "aten.mm.default", [x, waited], [64, 64], name,
                    estimate_ms=1.0)
    add("output", "output", "output", [[x]], None)
    return {"format": "overlap-graph", "version": 1, "name": "graph </title>\n\"'", "rank": 0, "world_size": 8,
            "process_groups": [{"name": GROUP, "ranks": list(range(8)), "rank": 0, "desc": "</td>"}],
            "cost_model": {"device": {"name": "test", "flops_per_s": {"bfloat16": 1e15}, "flops_efficiency": 1,
                                      "memory_bytes_per_s": 1e12, "memory_efficiency": 1},
                           "links": [{"process_group": GROUP, "latency_ms": 0.5, "bytes_per_s": 1e7}]},
            "nodes": nodes}


def hostile_plan(**more):
    return {"format": "overlap-plan", "version": 1, "name": "plan \"'</h1>\n\u202e../../etc",
            "buckets": [{"modules": HOSTILE[0], "title": "=title()</td>"}, {"modules": HOSTILE[1:3]},
                        *[{"modules": name} for name in HOSTILE[3:]]],
            "pipeline": [{"pass": "manual_overlap_bucketing", "options": {"module_stack_fn": "custom.module_fqn"}}],
            "notes": "notes \"\"\"\n</main>", **more}


def module_lists(plan):
    return [bucket["modules"] for bucket in plan["buckets"]]


class Export(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)

    def path(self, name, content=None):
        path = os.path.join(self.scratch.name, name)
        if content is not None:
            with open(path, "w", encoding="utf-8") as file:
                json.dump(content, file)
        return path

    def overlap(self, *arguments):
        return subprocess.run([os.path.join(PROGRAMS, "overlap"), *arguments], capture_output=True, text=True,
                              timeout=120, check=False)

    def export(self, plan, to, graph=None):
        """@returns the bytes of the file and the lines of notes."""
        output = self.path("out")
        arguments = ["export", self.path("the.plan.json", plan), "--to", to, "-o", output]
        if graph is not None:
            arguments += ["--graph", graph if isinstance(graph, str) else self.path("the.graph.json", graph)]
        done = self.overlap(*arguments)
        self.assertEqual(done.returncode, 0, f"{arguments}\n{done.stderr}")
        self.assertEqual(done.stdout, "")
        with open(output, "rb") as file:
            return file.read(), done.stderr.splitlines()

    def refused(self, words, plan, to, graph=None):
        output = self.path("none")
        arguments = ["export", self.path("the.plan.json", plan), "--to", to, "-o", output]
        if graph is not None:
            arguments += ["--graph", graph if isinstance(graph, str) else self.path("the.graph.json", graph)]
        done = self.overlap(*arguments)
        self.assertEqual(done.returncode, 1, f"{arguments}\n{done.stderr}")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse(os.path.exists(output))

    def module(self, source, **modules):
        """Runs a Python file beside stand-ins for what it imports."""
        source.decode("ascii")
        made = types.ModuleType("exported")
        exec(compile(ast.parse(source), "exported.py", "exec"), made.__dict__)
        return made

    def formats(self):
        text = self.overlap("export", "--help").stdout
        return [line.split()[0] for line in text[text.index("Formats:"):].splitlines()[1:] if line.startswith("  ")]


def sharded(name="llama3_debugmodel_fsdp8.prebucket"):
    return os.path.join(DATA, "graphs", name + ".graph.json.gz")


BLOCKS = [["tok_embeddings"], *[[f"layers.{layer}"] for layer in range(6)], ["norm", "lm_head"]]


def block_plan(*steps, buckets=None):
    steps = steps or ({"pass": "manual_overlap_bucketing", "options": {"module_stack_fn": "custom.module_fqn"}},)
    return {"format": "overlap-plan", "version": 1, "name": "blocks",
            "buckets": [{"modules": entry} for entry in (BLOCKS if buckets is None else buckets)],
            "pipeline": list(steps)}


class Usage(Export):
    def test_formats_are_listed_and_checked(self):
        formats = self.formats()
        for name in ("plan", "job", "graph_trainer", "inductor", "fsdp2", "trace", "perfetto", "buckets.csv",
                     "collectives.csv", "report"):
            self.assertIn(name, formats)
        done = self.overlap("export", self.path("a.plan.json", block_plan()), "--to", "nonsense", "-o", self.path("o"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("nonsense", done.stderr)

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
        self.assertEqual(len(notes), 1)
        self.assertIn("names no graph", notes[0])


class Trainer:
    """Stands for torchtitan and torch: notes which passes are called, and with what."""

    def __init__(self):
        self.calls = []
        self.registry = {}
        self.default = []

    def pass_called(self, name):
        def run(gm, example_inputs=None, **options):
            self.calls.append((name, options))
            return gm

        run.__name__ = name
        return run

    def modules(self):
        fsdp = types.ModuleType("fsdp_passes")
        for name in ("joint_transformer_block_bucketing_reordering_pass", "reassign_collective_pgs_pass",
                     "schedule_fsdp_comms_to_dense_regions_pass", "deduplicate_fsdp_unshard_chains_pass"):
            setattr(fsdp, name, self.pass_called(name))
        fsdp.get_transformer_block_bucket_counts = lambda plans, *, n_layers: {n_layers: len(plans)}
        noop = types.ModuleType("remove_noop_passes")
        for name in ("eliminate_dead_code_pass", "canonicalize_graph_pass"):
            setattr(noop, name, self.pass_called(name))
        manual = types.ModuleType("overlap_manual_scheduling")
        manual.manual_overlap_bucketing = self.pass_called("manual_overlap_bucketing")
        bucketing = types.ModuleType("bucketing")
        bucketing.bucket_all_gather = self.pass_called("bucket_all_gather")
        bucketing.deduplicate_wait_tensors = self.pass_called("deduplicate_wait_tensors")
        passes = types.ModuleType("passes")
        passes.construct_default_graph_passes = lambda traced, config, *, parallel_dims=None: list(self.default)
        registry = types.ModuleType("registry")
        registry.register_pass_pipeline = lambda key: lambda function: self.registry.setdefault(key, function)
        torch = types.ModuleType("torch")
        torch.nn = types.SimpleNamespace(Module=object)
        trainer = "torchtitan.experiments.graph_trainer"
        found = {trainer + ".fsdp_passes": fsdp, trainer + ".remove_noop_passes": noop, trainer + ".passes": passes,
                 trainer + ".registry": registry, "torch": torch,
                 "torch._inductor.fx_passes.overlap_manual_scheduling": manual,
                 "torch._inductor.fx_passes.bucketing": bucketing}
        for name in list(found):
            parts = name.split(".")
            for length in range(1, len(parts)):
                found.setdefault(".".join(parts[:length]), types.ModuleType(parts[length - 1]))
        return found


class GraphModule:
    def __init__(self):
        self.graph = self

    def lint(self):
        pass

    def recompile(self):
        pass


class GraphTrainer(Export):
    def test_names_come_out_equal(self):
        source, _ = self.export(hostile_plan(), "graph_trainer")
        made = self.module(source)
        self.assertEqual(made.module_bucket_plans, module_lists(hostile_plan()))
        self.assertEqual(made.PLAN["name"], hostile_plan()["name"])
        self.assertEqual(made.PLAN["notes"], hostile_plan()["notes"])
        # What is assigned is literals; nothing of a name became code.
        for statement in ast.parse(source).body:
            self.assertIsInstance(statement, (ast.Expr, ast.Assign, ast.Import, ast.FunctionDef))
            if isinstance(statement, ast.Assign):
                ast.literal_eval(statement.value)

    def test_the_file_without_names_is_the_same_code(self):
        def code(plan):
            tree = ast.parse(self.export(plan, "graph_trainer")[0])
            return [ast.dump(part) for part in tree.body if isinstance(part, (ast.FunctionDef, ast.Import))]

        self.assertEqual(code(hostile_plan()), code({**hostile_plan(), "buckets": [], "name": "", "notes": ""}))

    def test_steps_are_called_in_order_with_their_options(self):
        plan = block_plan({"pass": "reassign_collective_pgs_pass"},
                          {"pass": "eliminate_dead_code_pass", "enabled": False},
                          {"pass": "joint_transformer_block_bucketing_reordering_pass",
                           "options": {"insert_overlap_deps": True, "fsdp_param_module_order": {"a\"\n": 0, "b": 1}}},
                          {"pass": "schedule_fsdp_comms_to_dense_regions_pass",
                           "options": {"moe_layer_ids": [1, 2], "n_layers": 6}},
                          {"pass": "bucket_all_gather", "options": {"bucket_cap_mb": 25}},
                          {"pass": "deduplicate_wait_tensors"})
        made = self.module(self.export(plan, "graph_trainer")[0])
        trainer = Trainer()
        with unittest.mock.patch.dict(sys.modules, trainer.modules()):
            made.apply(GraphModule())
        names = [name for name, _ in trainer.calls]
        self.assertEqual(names, ["reassign_collective_pgs_pass", "joint_transformer_block_bucketing_reordering_pass",
                                 "schedule_fsdp_comms_to_dense_regions_pass", "bucket_all_gather",
                                 "deduplicate_wait_tensors"])
        options = [options for _, options in trainer.calls]
        self.assertEqual(options[1], {"module_bucket_plans": BLOCKS, "insert_overlap_deps": True,
                                      "fsdp_param_module_order": {"a\"\n": 0, "b": 1}})
        self.assertEqual(options[2], {"moe_layer_ids": frozenset({1, 2}), "n_layers": 6, "strict": False,
                                      "transformer_bucket_counts_by_layer": {6: len(BLOCKS)}})
        self.assertEqual(options[3]["bucket_cap_mb_by_bucket_idx"](7), 25)

    def test_the_plan_takes_the_place_of_the_trainers_bucketing(self):
        plan = block_plan({"pass": "eliminate_dead_code_pass"}, {"pass": "canonicalize_graph_pass"},
                          {"pass": "manual_overlap_bucketing", "options": {"module_stack_fn": "custom.module_fqn"}})
        made = self.module(self.export(plan, "graph_trainer")[0])
        trainer = Trainer()
        trainer.default = [trainer.pass_called(name) for name in
                           ("eliminate_dead_code_pass", "canonicalize_graph_pass", "tag_with_memory_policy_pass",
                            "reassign_collective_pgs_pass", "joint_transformer_block_bucketing_reordering_pass",
                            "schedule_fsdp_comms_to_dense_regions_pass", "regional_inductor_pass")]
        with unittest.mock.patch.dict(sys.modules, trainer.modules()):
            self.assertEqual(made.register(), "overlap_plan")
            pipeline = trainer.registry["overlap_plan"](None, None, parallel_dims=None)
            for run in pipeline:
                run(GraphModule(), ())
            self.assertEqual([made.name_of(run) for run in pipeline],
                             ["eliminate_dead_code_pass", "canonicalize_graph_pass", "tag_with_memory_policy_pass",
                              "manual_overlap_bucketing", "regional_inductor_pass"])
            trainer.default = trainer.default[:3]
            with self.assertRaisesRegex(RuntimeError, "joint_transformer_block_bucketing_reordering_pass"):
                trainer.registry["overlap_plan"](None, None)
        options = dict(trainer.calls)["manual_overlap_bucketing"]
        node = types.SimpleNamespace(meta={"custom": {"module_fqn": "layers.0"}})
        with unittest.mock.patch.dict(sys.modules, trainer.modules()):
            self.assertEqual(options["module_stack_fn"](node)[0][0], "layers.0")

    def test_what_the_trainer_cannot_be_told_is_noted(self):
        plan = block_plan({"pass": "manual_overlap_bucketing",
                           "options": {"module_stack_fn": "custom.module_fqn", "safe": True}})
        plan["overlaps"] = [{"collective": "gather\n\"", "start_before": "mm"}]
        source, notes = self.export(plan, "graph_trainer")
        self.assertEqual(len(notes), 2, notes)
        made = self.module(source)
        self.assertEqual(len(made.NOTES), 2)
        self.assertIn("gather\n\"", made.NOTES[0])
        self.assertIn("safe", made.NOTES[1])


class Inductor(Export):
    def test_every_option_is_set_or_told(self):
        plan = block_plan({"pass": "schedule_overlap_bucketing",
                           "options": {"collective_bucketing": True, "max_off_bucket_gb": None,
                                       "max_memory_increase_gb": None, "bucket_mode": "custom_ops"}}, buckets=[])
        source, notes = self.export(plan, "inductor")
        settings = self.module(source).SETTINGS
        prefix = "aten_distributed_optimizations."
        self.assertIs(settings[prefix + "enable_overlap_scheduling"], True)
        self.assertIs(settings[prefix + "collective_bucketing"], True)
        self.assertEqual(settings[prefix + "bucket_mode"], "custom_ops")
        # The settings' own defaults are others than the pass's.
        self.assertIs(settings[prefix + "enable_fusion_regions"], False)
        self.assertEqual(settings[prefix + "compute_estimator"], "analytical")
        for option in ("max_off_bucket_gb", "max_memory_increase_gb"):
            self.assertNotIn(prefix + option, settings)
            self.assertTrue(any(option in note for note in notes), notes)

    def test_stand_alone_bucketing(self):
        plan = block_plan({"pass": "bucket_reduce_scatter", "options": {"mode": "custom_ops"}},
                          {"pass": "bucket_all_gather", "options": {"bucket_cap_mb": 25}}, buckets=[])
        settings = self.module(self.export(plan, "inductor")[0]).SETTINGS
        self.assertEqual(settings["bucket_reduce_scatters_fx"], "all")
        self.assertEqual(settings["bucket_reduce_scatters_bucket_mode"], "custom_ops")
        self.assertEqual(settings["bucket_all_gathers_fx"], "all")
        self.assertEqual(settings["bucket_all_gathers_fx_bucket_size_determinator"](0), 25)
        self.assertNotIn("bucket_reduce_scatters_fx_bucket_size_determinator", settings)

    def test_a_plan_without_such_a_step_is_refused(self):
        self.refused(["schedule_overlap_bucketing"], block_plan(), "inductor")

    def test_steps_that_inductor_does_not_have_are_told(self):
        plan = block_plan({"pass": "schedule_overlap_bucketing"}, {"pass": "bucket_all_gather"},
                          {"pass": "manual_overlap_bucketing"})
        _, notes = self.export(plan, "inductor")
        self.assertTrue(any("no settings for the step manual_overlap_bucketing" in note for note in notes), notes)
        self.assertTrue(any("bucket_all_gather before schedule_overlap_bucketing" in note for note in notes), notes)


class FSDPModule:
    def __init__(self):
        self.forward_prefetch = self.backward_prefetch = None
        self.state = object()

    def _get_fsdp_state(self):
        return self.state

    def set_modules_to_forward_prefetch(self, modules):
        self.forward_prefetch = modules

    def set_modules_to_backward_prefetch(self, modules):
        self.backward_prefetch = modules


class Fsdp2(Export):
    def model(self, units):
        modules = {}
        for names in units:
            first = FSDPModule()
            for name in names:
                modules[name] = FSDPModule()
                modules[name].state = first.state
        return types.SimpleNamespace(get_submodule=modules.__getitem__), modules

    def stand_ins(self):
        fsdp = types.ModuleType("torch.distributed.fsdp")
        fsdp.FSDPModule = FSDPModule
        names = ("torch", "torch.distributed")
        return {**{name: types.ModuleType(name) for name in names}, "torch.distributed.fsdp": fsdp}

    def test_gathers_start_one_unit_ahead(self):
        source, notes = self.export(block_plan(), "fsdp2", sharded())
        made = self.module(source)
        self.assertEqual(made.UNITS, BLOCKS)
        self.assertEqual(made.FORWARD_PREFETCH, {unit: [unit + 1] for unit in range(7)})
        self.assertTrue(any("reshard_after_forward=False" in note for note in notes), notes)
        model, modules = self.model(BLOCKS)
        with unittest.mock.patch.dict(sys.modules, self.stand_ins()):
            made.set_prefetch(model)
        self.assertEqual(modules["tok_embeddings"].forward_prefetch, [modules["layers.0"]])
        self.assertEqual(modules["layers.5"].forward_prefetch, [modules["norm"]])

    def test_a_model_that_is_sharded_otherwise_is_an_error(self):
        made = self.module(self.export(block_plan(), "fsdp2", sharded())[0])
        model, _ = self.model([[name] for names in BLOCKS for name in names])
        with unittest.mock.patch.dict(sys.modules, self.stand_ins()):
            with self.assertRaisesRegex(ValueError, "norm.*lm_head.*one call"):
                made.set_prefetch(model)

    def test_names_come_out_equal(self):
        made = self.module(self.export(hostile_plan(), "fsdp2", hostile_graph())[0])
        self.assertEqual(made.UNITS, [names if isinstance(names, list) else [names]
                                      for names in module_lists(hostile_plan())])

    def test_a_plan_without_buckets_is_refused(self):
        self.refused(["buckets"], block_plan(buckets=[]), "fsdp2", sharded())


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
    PROGRAMS, DATA = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
