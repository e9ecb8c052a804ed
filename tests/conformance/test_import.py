#!/usr/bin/env python3
"""overlap import as a user meets it: the graph that PyTorch traced comes back from every text that torch.fx prints of it."""
import gzip
import json
import os

from command_line import CommandLine, data, main
from compare_graphs import difference, read_document


def text_path(name):
    return data("fx_text", name)


def record(envelope, payload=""):
    lines = "".join("\t" + line + "\n" for line in payload.split("\n")) if payload else ""
    return "V0728 16:17:36.735000 60448 torch/x.py:1] " + json.dumps(envelope) + "\n" + lines


class Import(CommandLine):
    def imported(self, *arguments):
        out = self.path("out.graph.json")
        run = self.overlap("import", *arguments, "--rank", "1", "--world-size", "4", "-o", out)
        self.assertEqual(run.returncode, 0, run.stderr)
        return read_document(out)

    def assert_is_the_traced_step(self, document):
        expected = read_document(text_path("step.graph.json"))
        self.assertIsNone(difference(expected, document))
        self.assertEqual([node["name"] for node in expected["nodes"]], [node["name"] for node in document["nodes"]])
        for wanted, found in zip(expected["nodes"], document["nodes"]):
            for key in ("op", "target", "args", "kwargs", "multi"):
                self.assertEqual(wanted.get(key), found.get(key), wanted["name"])
            keys = ("dtype", "shape", "stride", "device", "storage_offset", "storage_bytes")
            for wanted_tensor, found_tensor in zip(wanted.get("outputs", []), found.get("outputs", [])):
                for key in keys:
                    self.assertEqual(wanted_tensor.get(key), found_tensor.get(key), wanted["name"] + " " + key)

    def test_print_readable(self):
        self.assert_is_the_traced_step(self.imported(text_path("step.readable.py")))

    def test_code_without_types_needs_only_those_of_the_inputs(self):
        self.assert_is_the_traced_step(
            self.imported(text_path("step.untyped.py"), "--tensors", text_path("step.tensors.json")))

    def test_print_of_a_graph(self):
        self.assert_is_the_traced_step(
            self.imported(text_path("step.nodes.txt"), "--tensors", text_path("step.tensors.json")))

    def test_commands_read_a_text_of_one_graph(self):
        run = self.overlap("info", text_path("step.readable.py"), "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(json.loads(run.stdout)["nodes"], 39)
        self.assert_every_line_says_whose_it_is(run.stderr)

    def assert_every_line_says_whose_it_is(self, notes):
        self.assertTrue(notes)
        self.assertEqual([line for line in notes.splitlines() if not line.startswith("overlap: ")], [])

    def test_an_export_reads_a_text(self):
        plan = {"format": "overlap-plan", "version": 1, "name": "A", "buckets": []}
        out = self.path("out.csv")
        run = self.overlap("export", self.path("a.plan.json", json.dumps(plan)), "--to", "collectives.csv", "--graph",
                           text_path("step.readable.py"), "--cost-model", "h100-sxm", "-o", out)
        self.assertIn("the ranks of process group", run.stderr)
        self.assertNotIn("JSON", run.stderr)

    def test_a_log_of_two_ranks_and_its_damage(self):
        with open(text_path("step.readable.py"), encoding="utf-8") as file:
            text = file.read()
        files = []
        for rank, schedule in ((0, ["a", "b"]), (1, ["a", "c"])):
            envelope = {"rank": rank, "frame_id": 0, "frame_compile_id": 0, "attempt": 0}
            log = record({"aot_forward_graph": {}, **envelope}, text)
            log += record({"artifact": {"name": "inductor_collective_schedule", "encoding": "json"}, **envelope},
                          json.dumps(schedule))
            files.append(self.path(f"rank_{rank}.log", log + "rubbish\n"))
        run = self.overlap("import", "--list", *files, "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assert_every_line_says_whose_it_is(self.overlap("import", "--list", *files).stderr)
        listing = json.loads(run.stdout)
        self.assertEqual([(graph["rank"], graph["kind"], graph["nodes"]) for graph in listing["graphs"]],
                         [(0, "aot_forward_graph", 39), (1, "aot_forward_graph", 39)])
        self.assertEqual(listing["ranks"], [
            "aot_forward_graph 0/0: the same on ranks 0, 1",
            "collective schedule of 0/0: differs between ranks: 0 | 1; collective 2 is b on rank 0 and c on rank 1"])
        self.assertEqual(len(listing["notes"]), 2)
        self.assertIn("1 line outside of records skipped", listing["notes"][0])
        run = self.overlap("import", *files)
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn("--list", run.stderr)
        run = self.overlap("import", *files, "-o", self.path("out.graph.json"))
        self.assertEqual(run.returncode, 1)
        self.assertIn("--graph NUMBER chooses one; there are number 1 (aot_forward_graph 0/0, rank 0), number 2 (", run.stderr)
        self.assert_is_the_traced_step(self.imported(*files, "--graph", "2"))

    def log_path(self, rank):
        return data("structured_logs", f"schedule_rank_{rank}.log")

    def listing(self, *files):
        run = self.overlap("import", "--list", *files, "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def test_ranks_that_all_say_0_are_told_by_their_files_names(self):
        listing = self.listing(*(self.log_path(rank) for rank in range(3)))
        self.assertEqual(sorted({graph["rank"] for graph in listing["graphs"]}), [0, 1, 2])
        self.assertEqual(sum("its records say rank 0 and its name says rank" in note for note in listing["notes"]), 2)
        self.assertEqual([sentence for sentence in listing["ranks"] if "differs" in sentence], [
            "collective schedule of 0/0: differs between ranks: 0, 2 | 1; collective 4 is "
            "torch.ops._c10d_functional.reduce_scatter_tensor.default on rank 0 (6 in all) and "
            "torch.ops._c10d_functional.wait_tensor.default on rank 1 (4 in all)"])
        self.assertEqual(len(listing["ranks"]), 6)
        document = self.imported_as_logged(self.log_path(1))
        self.assertEqual((document["name"], document["rank"]), ("after_post_grad_graph 0/0", 1))

    def imported_as_logged(self, *files, graph="after_post_grad_graph 0/0"):
        out = self.path("out.graph.json")
        run = self.overlap("import", *files, "--graph", graph, "-o", out)
        self.assertEqual(run.returncode, 0, run.stderr)
        return read_document(out)

    def test_two_files_of_one_rank_are_told_and_compared(self):
        files = [self.log_path(0)]
        with open(self.log_path(1), encoding="utf-8") as file:
            files.append(self.path("other_rank_0.log", file.read()))
        sentences = self.listing(*files)["ranks"]
        self.assertIn("several files are of rank 0 and are compared one by one: ", sentences[0])
        # In the order of their paths.
        told = " | ".join(f"0 ({os.path.basename(file)})" for file in sorted(files))
        self.assertIn(f"differs between ranks: {told}; ", sentences[-1])

    def test_a_log_that_was_cut_is_read_as_far_as_it_goes(self):
        with open(self.log_path(2), encoding="utf-8") as file:
            lines = file.readlines()
        begin = next(i for i, line in enumerate(lines) if "after_pre_grad_graph" in line) + 5
        front = self.path("front_rank_2.log", "".join(lines[begin:]))
        listing = self.listing(front)
        self.assertEqual([graph["kind"] for graph in listing["graphs"]],
                         ["aot_inference_graph", "fx_graph_runnable", "after_post_grad_graph"])
        self.assertIn("lines outside of records skipped, from line 1 on", listing["notes"][-1])
        rubbish = self.path("rubbish_rank_2.log", "step 1 of 2\n" * 150 + "".join(lines))
        self.assertIn("150 lines outside of records skipped", self.listing(rubbish)["notes"][-1])
        packed = self.path("cut_rank_2.log.gz")
        with open(packed, "wb") as file:
            whole = gzip.compress("".join(lines).encode())
            file.write(whole[:len(whole) * 2 // 3])
        listing = self.listing(packed)
        self.assertEqual([graph["kind"] for graph in listing["graphs"]][:2],
                         ["before_pre_grad_graph", "after_pre_grad_graph"])
        self.assertIn("read as far as it goes: the gzip stream is truncated", listing["notes"][-1])

    def test_a_log_without_graphs_says_so(self):
        listing = self.listing(self.path("rank_0.log", record({"dynamo_start": {}})))
        self.assertEqual(listing["graphs"], [])
        self.assertIn("none of its records holds a graph; there are 1", listing["notes"][0])

    def test_what_is_meant_must_be_there(self):
        logs = [self.log_path(rank) for rank in range(2)]
        out = self.path("out.graph.json")
        for arguments, problem in (
                ([*logs, "--graph", "after_post_grad_graph 0/0"],
                 '"after_post_grad_graph 0/0" names several graphs; there are number 5 (after_post_grad_graph 0/0, rank 0), '
                 'number 10 (after_post_grad_graph 0/0, rank 1)'),
                ([logs[1], "--graph", "5", "--group", "9=0,1"],
                 'no collective of the graph is of process group "9"; they are of "0"'),
                ([logs[1], "--graph", "5", "--group", "0=0,1", "--rank", "5"],
                 'process group "0" has no rank 5, whose graph this is'),
                ([logs[1], "--graph", "5", "--symbol", "s0=3"],
                 'the graph has no symbol "s0"; all its sizes are numbers')):
            run = self.overlap("import", *arguments, "-o", out)
            self.assertEqual(run.returncode, 1, arguments)
            self.assertIn(problem, run.stderr)
            self.assertFalse(os.path.exists(out))

    def test_inputs_without_a_tensor_are_named(self):
        run = self.overlap("import", text_path("step.untyped.py"), "-o", self.path("out.graph.json"))
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(text_path("step.tensors.json"), encoding="utf-8") as file:
            names = list(json.load(file))
        line = next(line for line in run.stderr.split("\n") if "--tensors gives them" in line)
        self.assertEqual(set(line.split(": ")[-1].split(", ")), set(names))

    def test_placements_of_autoparallel(self):
        nodes = [{"name": "primals_1", "op": "placeholder", "placement": "S(0)R", "shape": [16, 16], "inputs": []},
                 {"name": "t", "op": "aten.t.default", "placement": "RS(1)", "compute_cost": 1500.0, "inputs": [
                     {"name": "primals_1", "src_placement": "S(0)R", "dst_placement": "RS(0)", "comm_cost": 2500.0}]}]
        graph = text_path("step.graph.json")
        names = [node["name"] for node in read_document(graph)["nodes"]]
        for node, name in zip(nodes, names):
            node["name"] = name
        nodes[1]["inputs"][0]["name"] = names[0]
        document = {"mesh": {"shape": [2, 4], "dim_names": ["dp", "tp"]}, "nodes": nodes}
        run = self.overlap("info", graph, "--placements", self.path("placements.json", json.dumps(document)))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("mesh 2 x 4 (dp, tp); placements of 2 nodes", run.stdout)
        self.assertIn("1.500 ms of compute and 2.500 ms in 1 redistribution", run.stdout)
        nodes[0]["placement"] = "S(0)S(2)"
        run = self.overlap("info", graph, "--placements", self.path("placements.json", json.dumps(document)))
        self.assertEqual(run.returncode, 1)
        self.assertIn(f'nodes[0] "{names[0]}", placement: it cuts dimension 2 of a tensor that has 2', run.stderr)
        nodes[0]["placement"] = "S(0)R"
        for node in nodes:
            node["name"] = "x" + node["name"]
        run = self.overlap("info", graph, "--placements", self.path("placements.json", json.dumps(document)))
        self.assertEqual(run.returncode, 1)
        self.assertIn("has none of these nodes", run.stderr)

    def test_bad_text_is_one_sentence_with_its_place_and_writes_nothing(self):
        bad = self.path("bad.py", "def forward(self, a):\n    b = torch.ops.aten.neg.default(c)\n    return b\n")
        out = self.path("out.graph.json")
        run = self.overlap("import", bad, "-o", out)
        self.assertEqual(run.returncode, 1)
        self.assertEqual(len(run.stderr.strip().split("\n")), 1)
        self.assertIn("line 2, column 36: no node before this is called", run.stderr)
        self.assertFalse(os.path.exists(out))
        self.assertEqual(self.overlap("import").returncode, 2)


if __name__ == "__main__":
    main()
