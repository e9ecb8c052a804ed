#!/usr/bin/env python3
"""Make small random graphs and plans, run PyTorch's own manual_overlap_bucketing on them, and keep the results as goldens.

    random_graphs.py REFERENCE_TOOLS OUT_FOLDER [--count N] [--seed S]

REFERENCE_TOOLS is the folder that holds run_reference.py, graph_to_fx.py and fx_to_graph.py. Needs torch 2.15; no GPU.
The graphs hold what real ones seldom combine: several process groups and dtypes in one module, conversions with one and
two users, gathers of gathers, transposed, empty and scalar tensors, uneven shards, hybrid sharding, dependent
all-reduces, collectives that wait twice or never, shuffled node orders and user orders.
OUT_FOLDER/manifest.json has the shape of the goldens' manifest; where PyTorch raises, the entry holds the error.
"""
import argparse
import hashlib
import json
import logging
import os
import random
import sys

import torch
import torch.fx as fx
from torch._subclasses.fake_tensor import FakeTensorMode

F32, BF16 = torch.float32, torch.bfloat16


class Builder:
    """One random graph. Values are fake tensors; nodes carry the module that made them."""

    def __init__(self, choose, fake):
        self.choose, self.fake = choose, fake
        self.graph, self.module = fx.Graph(), ""
        self.results = []
        self.world = choose.choice([4, 8])
        self.rank = choose.randrange(self.world)
        half = [r for r in range(self.world) if r % 2 == self.rank % 2]
        pair = sorted({self.rank, self.rank ^ 1})
        self.groups = {"0": list(range(self.world)), "1": half, "2": pair, "3": list(range(self.world))}
        self.by_stack = choose.random() < 0.5

    def tag(self, node):
        if not self.module:
            return node
        if self.by_stack:
            parts = self.module.split(".")
            stack = {str(i): ("L['self']." + ".".join(parts[: i + 1]), "Module") for i in range(len(parts))}
            node.meta["nn_module_stack" if self.choose.random() < 0.7 else "fwd_nn_module_stack"] = stack
        else:
            node.meta["custom"] = {"module_fqn": self.module}
        return node

    def placeholder(self, shape, dtype=F32, stride=None):
        node = self.graph.placeholder(f"arg{len(self.graph.nodes)}_1")
        with self.fake:
            value = torch.empty(shape, dtype=dtype, device="cuda:0") if stride is None else \
                torch.empty_strided(shape, stride, dtype=dtype, device="cuda:0")
        node.meta["val"] = value
        return node

    def call(self, target, *args, **kwargs):
        node = self.tag(self.graph.call_function(target, args, kwargs))
        value = lambda a: a.meta["val"] if isinstance(a, fx.Node) else a  # noqa: E731
        with self.fake:
            node.meta["val"] = target(*fx.map_arg(args, value), **fx.map_arg(kwargs, value))
        return node

    def group(self, names="0000123"):
        name = self.choose.choice(names)
        return name, len(self.groups[name])

    def wait(self, start):
        return self.call(torch.ops._c10d_functional.wait_tensor.default, start)

    def gather(self, node, name=None):
        name, size = (name, len(self.groups[name])) if name else self.group()
        return self.call(torch.ops._c10d_functional.all_gather_into_tensor.default, node, size, name)

    def parameter(self):
        """A parameter's gather chain; returns what consumers read."""
        choose = self.choose
        rows, columns = choose.choice([0, 1, 2, 3, 5]) or choose.choice([0, 1]), choose.choice([1, 3, 4, 8])
        shape = choose.choice([(rows, columns)] * 4 + [(rows,), (rows, columns, 2)])
        transposed = len(shape) == 2 and choose.random() < 0.15
        stride = (1, max(rows, 1)) if transposed else None
        node = self.placeholder(shape, choose.choice([F32, F32, BF16]), stride)
        if choose.random() < 0.5:
            convert = choose.choice(["to_copy", "prims"])
            to = choose.choice([BF16, BF16, F32])
            node = self.call(torch.ops.aten._to_copy.default, node, dtype=to) if convert == "to_copy" else \
                self.call(torch.ops.prims.convert_element_type.default, node, to)
            if choose.random() < 0.2:
                self.results.append(self.call(torch.ops.aten.neg.default, node))
        start = self.gather(node)
        if choose.random() < 0.004:
            self.results.append(self.call(torch.ops.aten.view.default, start, [-1]))
        result = self.wait(start)
        if choose.random() < 0.004:
            self.results.append(self.wait(start))
        if choose.random() < 0.15:
            result = self.wait(self.gather(result, choose.choice("01")))
        if len(result.meta["val"].shape) == 2 and choose.random() < 0.5:
            result = self.call(torch.ops.aten.t.default, result)
        return result

    def use(self, activation, weights):
        for weight in weights:
            scalar = self.call(torch.ops.aten.sum.default, weight)
            activation = self.call(torch.ops.aten.add.Tensor, activation, scalar)
        if self.choose.random() < 0.8:
            activation = self.call(torch.ops.aten.mm.default, activation, self.square)
        return activation

    def all_reduce(self, node, operation="sum"):
        name, _ = self.group("0012")
        return self.wait(self.call(torch.ops._c10d_functional.all_reduce.default, node, operation, name))

    def gradient(self, activation):
        choose = self.choose
        name, size = self.group("00001")
        kind = choose.random()
        if kind < 0.2:  # data parallel
            shape = choose.choice([(), (3,), (2, 5)])
            total = self.call(torch.ops.aten.sum.default, activation)
            gradient = self.call(torch.ops.aten.expand.default, total, list(shape)) if shape else total
            gradient = self.call(torch.ops.aten.clone.default, gradient, memory_format=torch.contiguous_format)
            self.results.append(self.all_reduce(gradient, choose.choice(["sum", "sum", "max"])))
            return
        rows, columns = choose.choice([1, 2, 3]), choose.choice([1, 4, 6])
        column = self.call(torch.ops.aten.sum.default, activation)
        if kind < 0.4:  # uneven shards: split, pad and join
            real = choose.randrange(1, rows * size + 1)
            source = self.call(torch.ops.aten.clone.default,
                               self.call(torch.ops.aten.expand.default, column, [real, columns]),
                               memory_format=torch.contiguous_format)
            chunk = -(-real // size)
            parts = self.call(torch.ops.aten.split.Tensor, source, chunk)
            pieces = []
            for index in range(size):
                begin = index * chunk
                if begin < real:
                    piece = self.call(__import__("operator").getitem, parts, index)
                    first = piece if index == 0 else first
                    missing = chunk - min(chunk, real - begin)
                else:
                    piece = self.call(torch.ops.aten.new_zeros.default, first, [0, columns])
                    missing = chunk
                if missing:
                    piece = self.call(torch.ops.aten.constant_pad_nd.default, piece, [0, 0, 0, missing])
                pieces.append(piece)
            if choose.random() < 0.1:
                self.results.append(self.call(torch.ops.aten.neg.default, source))
            gradient = self.call(torch.ops.aten.cat.default, pieces)
        else:
            gradient = self.call(torch.ops.aten.expand.default, column, [rows * size, columns])
            gradient = self.call(torch.ops.aten.clone.default, gradient, memory_format=torch.contiguous_format)
            if choose.random() < 0.15:
                gradient = self.call(torch.ops.aten.t.default, self.call(
                    torch.ops.aten.clone.default, self.call(torch.ops.aten.t.default, gradient),
                    memory_format=torch.contiguous_format))
        if choose.random() < 0.3:
            gradient = self.call(torch.ops.aten._to_copy.default, gradient, dtype=BF16)
        result = self.wait(self.call(torch.ops._c10d_functional.reduce_scatter_tensor.default, gradient,
                                     choose.choice(["sum", "sum", "sum", "avg"]), size, name))
        end = choose.random()
        if end < 0.2:  # hybrid sharding
            result = self.wait(self.call(torch.ops._c10d_functional.all_reduce.default, result, "sum", "2"))
        elif end < 0.35:
            result = self.call(torch.ops.aten._to_copy.default, result, dtype=F32)
        elif end < 0.45:
            result = self.call(torch.ops.aten.view.default, result, [-1])
        elif end < 0.5:
            result = self.call(torch.ops.aten.add.Tensor, result, 1.0)
        elif end < 0.55:
            result = self.call(torch.ops.aten.mul.Tensor, result, column)
        elif end < 0.6:
            return
        self.results.append(result)

    def build(self):
        choose = self.choose
        self.square = self.placeholder((4, 4))
        activation = self.placeholder((4, 4))
        names = [f"layers.{i}" for i in range(choose.choice([1, 2, 3, 4]))]
        for name in names:
            for part in ("attention", "ffn"):
                self.module = f"{name}.{part}" if choose.random() < 0.9 else ""
                activation = self.use(activation, [self.parameter() for _ in range(choose.choice([0, 1, 2, 3]))])
                if choose.random() < 0.2:
                    activation = self.all_reduce(activation)
                if choose.random() < 0.1:
                    activation = self.wait(self.gather(activation, "2"))
                    activation = self.call(torch.ops.aten.slice.Tensor, activation, 0, 0, 4)
                if choose.random() < 0.05:
                    self.results.append(self.gather(activation))
        self.results.append(activation)
        if choose.random() < 0.7:
            for name in reversed(names):
                for part in ("ffn", "attention"):
                    self.module = f"{name}.{part}"
                    activation = self.use(activation, [self.parameter() for _ in range(choose.choice([0, 0, 1, 2]))])
                    for _ in range(choose.choice([0, 1, 2, 3])):
                        self.gradient(activation)
        self.module = ""
        self.graph.output(tuple(self.results))
        return names

    def shuffle(self):
        """Another topological order, close to the first or far from it."""
        nodes = [n for n in self.graph.nodes if n.op == "call_function"]
        output = next(iter(reversed(self.graph.nodes)))
        spread = self.choose.choice([0, 0, 4, 20, 1000])
        key = {n: i + self.choose.uniform(0, spread) for i, n in enumerate(nodes)}
        done, left = {n for n in self.graph.nodes if n.op == "placeholder"}, list(nodes)
        while left:
            ready = [n for n in left if all(i in done for i in n.all_input_nodes)]
            node = min(ready, key=key.get)
            output.prepend(node)
            done.add(node)
            left.remove(node)


def random_plan(choose, names):
    entries = []
    for name in names + ["layers.9", "norm"]:
        form = choose.random()
        if form < 0.4:
            entries.append(name)
        elif form < 0.6:
            entries.append([f"{name}.attention", f"{name}.ffn"])
        elif form < 0.75:
            entries += [f"{name}.ffn", [f"{name}.attention"]]
        elif form < 0.85 and entries and isinstance(entries[-1], list):
            entries[-1].append(name)
    if choose.random() < 0.4:
        choose.shuffle(entries)
    if choose.random() < 0.1:
        entries = ["layers"]
    return entries


def make_document(seed, fx_to_graph, graph_to_fx, builder_type=Builder):
    """The random graph of a seed: the generator after drawing it, the builder, its module names and the document."""
    choose = random.Random(seed)
    builder = builder_type(choose, FakeTensorMode(allow_non_fake_inputs=True))
    groups = [{"name": n, "ranks": r, "rank": r.index(builder.rank)} for n, r in builder.groups.items()]
    graph_to_fx.set_up_process_groups({"process_groups": groups, "world_size": builder.world, "rank": builder.rank})
    names = builder.build()
    builder.shuffle()
    module = fx.GraphModule(torch.nn.Module(), builder.graph)
    cost = {"device": {"flops_per_s": {"float32": 1e14}, "flops_efficiency": 1.0, "memory_bytes_per_s": 1e12,
                       "memory_efficiency": 1.0},
            "links": [{"process_group": n, "latency_ms": 0.01, "bytes_per_s": 1e10} for n in builder.groups]}
    document = fx_to_graph.graph_to_dict(module, f"random_{seed}", groups, world_size=builder.world,
                                         rank=builder.rank, extra={"cost_model": cost})
    for node in document["nodes"]:
        if "users_order" not in node and choose.random() < 0.1:
            users = [other["name"] for other in document["nodes"] if {"node": node["name"]} in other.get("args", [])]
            named = json.dumps({"node": node["name"]})
            mentions = [o["name"] for o in document["nodes"] if named in json.dumps([o.get("args"), o.get("kwargs")])]
            if len(mentions) > 1 and sorted(users) == sorted(mentions):
                choose.shuffle(mentions)
                node["users_order"] = mentions
    return choose, builder, names, document


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reference_tools")
    parser.add_argument("out")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.reference_tools)
    import fx_to_graph
    import graph_to_fx
    import run_reference
    logging.disable(logging.WARNING)
    os.makedirs(arguments.out, exist_ok=True)
    goldens = []
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        choose, builder, names, document = make_document(seed, fx_to_graph, graph_to_fx)
        groups, cost = document["process_groups"], document["cost_model"]
        graph_file = f"random_{seed}.graph.json.gz"
        fx_to_graph.write(document, os.path.join(arguments.out, graph_file))
        mode = choose.choice([None] * 6 + ["custom_ops", "custom_ops_multidtype", "default", "default", "coalesced"])
        options = {"module_bucket_plans": random_plan(choose, names), "insert_overlap_deps": choose.random() < 0.2,
                   "bucket_mode": mode}
        if not builder.by_stack:
            options["module_stack_fn"] = "custom.module_fqn"
        pipeline = [{"pass": "manual_overlap_bucketing", "options": options}]
        digest = hashlib.sha256(json.dumps(pipeline).encode()).hexdigest()[:6]
        entry = {"id": f"random_{seed}.{digest}", "graph_file": graph_file, "pipeline": pipeline}
        try:
            loaded, loaded_document = graph_to_fx.load(os.path.join(arguments.out, graph_file))
            result = run_reference.run(loaded, pipeline[0]["pass"], options, None)
            written = fx_to_graph.graph_to_dict(result, loaded_document["name"], groups, world_size=builder.world,
                                                rank=builder.rank, extra={"cost_model": cost})
            entry["result_file"] = f"random_{seed}.result.graph.json.gz"
            fx_to_graph.write(written, os.path.join(arguments.out, entry["result_file"]))
        except Exception as error:  # the reference raises: that is the golden
            entry["error"] = {"type": type(error).__name__, "message": str(error)[:300]}
        goldens.append(entry)
    with open(os.path.join(arguments.out, "manifest.json"), "w") as file:
        json.dump({"goldens": goldens}, file, indent=1)
    raised = sum("error" in entry for entry in goldens)
    print(f"{len(goldens)} cases, {raised} of them raise")


if __name__ == "__main__":
    main()
