#!/usr/bin/env python3
"""Make golden cases of the passes that hide collectives of experts and of tensor parallelism, on graphs with drawn changes.

    make_step_cases.py --reference TOOLS --torchtitan FOLDER --out FOLDER [--each N] [--seed S] GRAPH...

Run it with the Python of an environment that has torch 2.15 (no GPU needed). TOOLS is the folder with run_trainer_pass.py,
--torchtitan a checkout of torchtitan at b5bcd76c. What is drawn for a graph follows from what is in it: halves of modules
are scheduled, with labels, copies and dependencies changed; sums of reduce-scatters are merged, with users, operations and
writes between them changed; collectives beside products are fused, with users, forms and orders changed. A case is
determined by its seed, its graph's name and its number, and runs in a process of its own. FOLDER receives the changed
graphs, the results and manifest.json in the shape of the goldens' manifest. Check them with
`run_goldens.py PROGRAMS FOLDER/manifest.json`.
"""
import ast
import copy
import gzip
import json
import os
import random

from trainer_cases import prepared, run_forked, write_manifest

GATHER = "_c10d_functional.all_gather_into_tensor.default"
SCATTER = "_c10d_functional.reduce_scatter_tensor.default"
WAIT = "_c10d_functional.wait_tensor.default"
EXCHANGE = "_c10d_functional.all_to_all_single.default"
PRODUCT, RESHAPE, SUM = "aten.mm.default", "aten.reshape.default", "aten.add.Tensor"


class Edits:
    """Changes of one document. Each returns whether it found something to change."""

    def __init__(self, document, choose):
        self.nodes, self.choose = document["nodes"], choose
        self.made = 0
        for node in self.nodes:
            node.pop("users_order", None)

    def by_name(self, name):
        return next(node for node in self.nodes if node["name"] == name)

    def any_of(self, wanted):
        found = [node for node in self.nodes if wanted(node)]
        return self.choose.choice(found) if found else None

    @staticmethod
    def calls(target):
        return lambda node: node["op"] == "call_function" and node["target"] == target

    def users(self, name):
        return [node for node in self.nodes if f'{{"node": "{name}"}}' in json.dumps([node.get("args"), node.get("kwargs")])]

    def insert(self, target, args, like, behind=None, before=None, **fields):
        """A new node with the value of another one."""
        self.made += 1
        node = {"name": f"drawn_{self.made}", "op": "call_function", "target": target, "args": args, **fields}
        for field in ("outputs", "custom", "autograd_backward", "titan_meta"):
            if field in like and field not in fields:
                node[field] = copy.deepcopy(like[field])
        place = self.nodes.index(behind) + 1 if behind else self.nodes.index(before)
        self.nodes.insert(place, node)
        return node

    def read_elsewhere(self, target):
        """One more user of a node, which the output returns."""
        node = self.any_of(self.calls(target))
        if not node:
            return False
        user = self.insert("aten.relu.default", [{"node": node["name"]}], node, behind=node)
        last = self.nodes[-1]
        last["args"][0] = [*last["args"][0], {"node": user["name"]}] if isinstance(last["args"][0], list) else last["args"][0]
        return True

    def returned(self, target):
        node = self.any_of(self.calls(target))
        last = self.nodes[-1]
        if not node or not isinstance(last["args"][0], list):
            return False
        last["args"][0] = [*last["args"][0], {"node": node["name"]}]
        return True

    def repeated_node(self, target):
        """A second call of the same, beside it, read by nothing but the output."""
        node = self.any_of(self.calls(target))
        if not node:
            return False
        again = self.insert(target, copy.deepcopy(node["args"]), node, behind=node)
        self.nodes[-1]["args"][0] = [*self.nodes[-1]["args"][0], {"node": again["name"]}]
        return True

    def swapped_arguments(self, target):
        node = self.any_of(self.calls(target))
        if not node or len(node["args"]) < 2:
            return False
        node["args"][0], node["args"][1] = node["args"][1], node["args"][0]
        return True

    def keyword_dimension(self, target):
        """The last argument as the keyword `dim`."""
        node = self.any_of(lambda node: self.calls(target)(node) and len(node["args"]) == 2)
        if not node:
            return False
        node["kwargs"] = {**node.get("kwargs", {}), "dim": node["args"].pop()}
        return True

    def slices_for_split(self, _=None):
        """A split whose pieces are concatenated becomes slices."""
        splits = [node for node in self.nodes if node["target"] in ("aten.split.Tensor", "aten.split_with_sizes.default")]
        self.choose.shuffle(splits)
        for split in splits:
            pieces = self.users(split["name"])
            if not pieces or any(piece["target"] != "operator.getitem" for piece in pieces):
                continue
            dimension = split["args"][2] if len(split["args"]) > 2 else 0
            at = 0
            for piece in sorted(pieces, key=lambda piece: piece["args"][1]):
                size = piece["outputs"][0]["shape"][dimension]
                piece["target"], piece["args"] = "aten.slice.Tensor", [split["args"][0], dimension, at, at + size]
                at += size
            self.nodes.remove(split)
            return True
        return False

    def trimmed(self, _=None):
        """What is concatenated is cut from its beginning on before anyone reads it."""
        node = self.any_of(self.calls("aten.cat.default"))
        if not node:
            return False
        dimension = node["args"][1] if len(node["args"]) > 1 else 0
        size = node["outputs"][0]["shape"][dimension]
        users = self.users(node["name"])
        cut = self.insert("aten.slice.Tensor", [{"node": node["name"]}, dimension, self.choose.choice([0, 0, 1]), size], node, behind=node)
        for user in users:
            user["args"] = json.loads(json.dumps(user["args"]).replace(f'{{"node": "{node["name"]}"}}', f'{{"node": "{cut["name"]}"}}'))
        return True

    def retyped(self, target):
        node = self.any_of(self.calls(target))
        if not node:
            return False
        users = self.users(node["name"])
        view = self.insert("aten.view.dtype", [{"node": node["name"]}, {"dtype": node["outputs"][0]["dtype"]}], node, behind=node)
        for user in users:
            user["args"] = json.loads(json.dumps(user["args"]).replace(f'{{"node": "{node["name"]}"}}', f'{{"node": "{view["name"]}"}}'))
        return True

    def later_factor(self, _=None):
        """The right factor of a product goes through nodes that stand just before the product."""
        node = self.any_of(self.calls(PRODUCT))
        if not node:
            return False
        factor = self.by_name(node["args"][1]["node"])
        for _ in range(self.choose.randint(1, 3)):
            factor = self.insert("aten.relu.default", [{"node": factor["name"]}], factor, before=node)
        node["args"][1] = {"node": factor["name"]}
        return True

    def strided(self, _=None):
        """The input of a gather or the left factor of a product has its dimensions in another order."""
        node = self.any_of(lambda node: node["target"] in (GATHER, RESHAPE) and node["args"] and "node" in node["args"][0])
        source = node and self.by_name(node["args"][0]["node"])
        if not source or len(source.get("outputs", [])) != 1 or len(source["outputs"][0]["shape"]) < 2:
            return False
        out = source["outputs"][0]
        order = list(range(len(out["shape"])))
        self.choose.shuffle(order)
        step = 1
        for index in order:
            out["stride"][index] = step
            step *= out["shape"][index]
        return True

    def operation(self, _=None):
        node = self.any_of(self.calls(SCATTER))
        if not node:
            return False
        node["args"][1] = self.choose.choice(["sum", "avg", "max", "premul"])
        return True

    def scaled_sum(self, _=None):
        node = self.any_of(self.calls(SUM))
        if not node:
            return False
        node["kwargs"] = {"alpha": self.choose.choice([1, 2, 1.0])}
        return True

    def written_between(self, _=None):
        node = self.any_of(lambda node: node["target"] in (WAIT, SCATTER, SUM))
        if not node or not node.get("outputs"):
            return False
        self.insert("aten.add_.Tensor", [{"node": node["name"]}, 1], node, behind=node)
        return True

    def labelled_sum(self, _=None):
        node = self.any_of(lambda node: node["target"] == SUM and not node.get("custom"))
        if not node:
            return False
        node["custom"] = {"module_fqn": "layers.1"}
        if self.choose.random() < 0.5:
            node["titan_meta"] = {"recompute": "CheckpointPolicy.MUST_SAVE"}
        return True

    def doubled_sum(self, _=None):
        """A sum of one value with itself."""
        node = self.any_of(self.calls(SUM))
        if not node:
            return False
        node["args"][1] = node["args"][0]
        return True

    def halves_of(self, node):
        return node.get("titan_meta", {}).get("chunked_region_role") == "body"

    def label(self, _=None):
        """A label of a token exchange goes, comes, or changes."""
        node = self.any_of(lambda node: self.halves_of(node) and node["target"] in (EXCHANGE, WAIT) and node.get("custom"))
        if not node:
            return False
        value = self.choose.choice([None, "dispatch", "combine", "compute"])
        node["custom"].pop("EP_token_exchange", None)
        if value:
            node["custom"]["EP_token_exchange"] = value
        return True

    def count_label(self, _=None):
        node = self.any_of(lambda node: self.halves_of(node) and node["target"] == "aten._to_copy.default" and node.get("custom"))
        if not node:
            return False
        if node["custom"].pop("EP_token_count_sync", None) is None:
            node["custom"]["EP_token_count_sync"] = "dispatch"
        return True

    def other_half(self, _=None):
        node = self.any_of(self.halves_of)
        if not node:
            return False
        node["titan_meta"]["chunk_id"] = 1 - node["titan_meta"]["chunk_id"]
        return True

    def no_half(self, _=None):
        """A node leaves its half: what it takes is behind a node of no half."""
        node = self.any_of(lambda node: self.halves_of(node) and node["target"] not in (EXCHANGE, WAIT))
        if not node:
            return False
        node["titan_meta"] = {key: value for key, value in node["titan_meta"].items() if not key.startswith("chunk")}
        return True

    def incomplete(self, _=None):
        node = self.any_of(self.halves_of)
        if not node:
            return False
        node["titan_meta"].pop(self.choose.choice(["chunk_id", "chunked_region_fqn"]))
        return True


SCHEDULE = ["label", "count_label", "other_half", "no_half", "no_half", "no_half", "incomplete"]
MERGE = [("read_elsewhere", WAIT), ("read_elsewhere", SCATTER), ("repeated_node", SUM), "operation", "scaled_sum", "written_between",
         "labelled_sum", "labelled_sum", "doubled_sum"]
FUSE = [("read_elsewhere", PRODUCT), ("read_elsewhere", "aten.cat.default"), ("read_elsewhere", WAIT), ("read_elsewhere", RESHAPE),
        ("returned", SCATTER), ("returned", PRODUCT), ("repeated_node", PRODUCT), ("repeated_node", RESHAPE), ("swapped_arguments", PRODUCT),
        ("keyword_dimension", "aten.cat.default"), "slices_for_split", "slices_for_split", "trimmed", ("retyped", WAIT),
        ("retyped", "aten.cat.default"), "later_factor", "later_factor", "strided", "strided"]


def changed(choose, document, edits, most):
    drawn = Edits(document, choose)
    for _ in range(choose.randint(0, most)):
        edit = choose.choice(edits)
        name, target = edit if isinstance(edit, tuple) else (edit, None)
        getattr(drawn, name)(target)


def drawn_case(choose, document):
    """Changes the document and returns the pipeline."""
    targets = {node["target"] for node in document["nodes"]}
    halves = any("chunked_region_role" in {**node.get("titan_meta", {}), **node.get("custom", {})} for node in document["nodes"])
    if not halves:
        changed(choose, document, FUSE, 8)
        return [{"pass": "micro_pipeline_tp_pass", "options": {}}]
    steps = []
    if not any("chunked_region_role" in node.get("titan_meta", {}) for node in document["nodes"]):
        steps.append({"pass": "populate_eager_chunk_metadata_pass", "options": {}})
    if SCATTER in targets and choose.random() < 0.4:
        changed(choose, document, MERGE, 8)
        steps.append({"pass": "dedup_fsdp_reduce_scatter", "options": {}})
    if len(steps) < 2 or choose.random() < 0.3:
        if choose.random() < 0.7:
            changed(choose, document, SCHEDULE, 3)
        options = {"module_pattern": choose.choice(["layers.*.moe", "layers.[12].moe", "layers.*", "*", "layers.?.m[!x]e", "norm"])}
        if choose.random() < 0.6:
            options["pair_first_token_exchange"] = choose.random() < 0.7
        if choose.random() < 0.4:
            options["require_all_to_all"] = choose.random() < 0.5
        steps.append({"pass": "ep_overlap_schedule_pass", "options": options})
    return steps


def write_document(document, path):
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=9) as file:
        json.dump(document, file)


def with_records(path):
    """The tool writes a bucket's record as Python's text of it."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        document = json.load(file)
    for node in document["nodes"]:
        bucket = node.get("titan_meta", {}).get("fsdp_bucket")
        if isinstance(bucket, str):
            node["titan_meta"]["fsdp_bucket"] = ast.literal_eval(bucket)
    write_document(document, path)


def main():
    arguments, tool, trainer = prepared(__doc__)
    goldens = []
    for path in arguments.graphs:
        name = os.path.basename(path).removesuffix(".graph.json.gz")
        with gzip.open(path, "rt", encoding="utf-8") as file:
            original = json.load(file)
        for number in range(arguments.each):
            choose = random.Random(f"{arguments.seed}/{name}/{number}")
            document = copy.deepcopy(original)
            case = f"{name}.{arguments.seed}.{number}"
            steps = drawn_case(choose, document)
            graph_file = os.path.join(arguments.out, f"{case}.graph.json.gz")
            write_document(document, graph_file)
            result = os.path.join(arguments.out, f"{case}.result.graph.json.gz")
            error = run_forked(tool, trainer, tool.Graph(graph_file), steps, None, result)
            if not error:
                with_records(result)
            entry = {"id": case, "graph": name, "graph_file": os.path.basename(graph_file), "pipeline": steps}
            goldens.append({**entry, **({"error": error} if error else {"result_file": os.path.basename(result)})})
    write_manifest(goldens, arguments.out)


if __name__ == "__main__":
    main()
