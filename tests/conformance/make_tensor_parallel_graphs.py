#!/usr/bin/env python3
"""Make small graphs of tensor parallelism: tensors that are gathered, multiplied and scattered along drawn dimensions.

    make_tensor_parallel_graphs.py FOLDER [--count N] [--seed S]

A collective works along dimension 0. Along another one a gathered tensor is split and joined again, by torch.split or by
slices, and one to scatter is split and joined before. FOLDER receives N overlap-graph documents; a document is
determined by the seed and its number. make_step_cases.py makes golden cases of them.
"""
import argparse
import gzip
import json
import math
import os
import random

AG, RS, WAIT = (f"_c10d_functional.{name}.default" for name in
                ("all_gather_into_tensor", "reduce_scatter_tensor", "wait_tensor"))
RANKS = 4
GROUP = "0"


class Draft:
    """A graph that grows node by node."""

    def __init__(self, choose):
        self.choose, self.nodes, self.shapes, self.outputs = choose, [], {}, []

    def add(self, target, args, *shapes, op="call_function"):
        """A node that returns tensors of these shapes, contiguous and with memory of their own; its name."""
        name = f"n{len(self.nodes)}"
        node = {"name": name, "op": op, "target": target if op == "call_function" else name, "outputs": []}
        if op == "call_function":
            node["args"] = args
        for index, shape in enumerate(shapes):
            node["outputs"].append({
                "dtype": "bfloat16", "shape": shape, "stride": [math.prod(shape[at + 1:]) for at in range(len(shape))],
                "device": "cuda", "storage": 16 * len(self.nodes) + index, "storage_bytes": 2 * math.prod(shape)})
        if len(shapes) > 1:
            node["multi"] = True
        self.nodes.append(node)
        self.shapes[name] = shapes[0]
        return name

    def input(self, *shape):
        return self.add(None, None, list(shape), op="placeholder")

    def pieces(self, name, dim, count):
        """The tensor cut along a dimension into parts of one size."""
        shape = list(self.shapes[name])
        size = shape[dim] = shape[dim] // count
        where = [] if dim == 0 and self.choose.random() < 0.5 else [dim]
        if self.choose.random() < 0.5:
            return [self.add("aten.slice.Tensor", [ref(name), dim, part * size, (part + 1) * size], shape)
                    for part in range(count)]
        split = self.add("aten.split.Tensor", [ref(name), size, *where], *[shape] * count)
        return [self.add("operator.getitem", [ref(split), part], shape) for part in range(count)]

    def joined(self, parts, dim):
        shape = list(self.shapes[parts[0]])
        shape[dim] *= len(parts)
        where = [] if dim == 0 and self.choose.random() < 0.5 else [dim]
        return self.add("aten.cat.default", [[ref(part) for part in parts], *where], shape)

    def gathered(self, shard, dim):
        shape = self.shapes[shard]
        start = self.add(AG, [ref(shard), RANKS, GROUP], [shape[0] * RANKS, *shape[1:]])
        whole = self.add(WAIT, [ref(start)], self.shapes[start])
        return whole if dim == 0 else self.joined(self.pieces(whole, 0, RANKS), self.written(whole, dim))

    def scattered(self, whole, dim):
        if dim != 0:
            whole = self.joined(self.pieces(whole, dim, RANKS), 0)
        shape = self.shapes[whole]
        start = self.add(RS, [ref(whole), self.choose.choice(["sum", "avg"]), RANKS, GROUP],
                         [shape[0] // RANKS, *shape[1:]])
        self.maybe_returned(start, 0.15)
        return self.add(WAIT, [ref(start)], self.shapes[start])

    def written(self, name, dim):
        """A dimension, sometimes counted from the end."""
        return dim - len(self.shapes[name]) if self.choose.random() < 0.3 else dim

    def product(self, left, width):
        """The tensor times a weight, flat in between where it has more than two dimensions."""
        shape = self.shapes[left]
        if len(shape) == 2:
            return self.add("aten.mm.default", [ref(left), ref(self.input(shape[1], width))], [shape[0], width])
        rows = math.prod(shape[:-1])
        flat = self.add("aten.reshape.default", [ref(left), [rows, shape[-1]]], [rows, shape[-1]])
        made = self.product(flat, width)
        self.maybe_returned(made, 0.15)
        whole = [*shape[:-1], width]
        return self.add("aten.reshape.default", [ref(made), whole], whole)

    def maybe_returned(self, name, likely):
        if self.choose.random() < likely:
            self.outputs.append(name)

    def document(self, name):
        read = json.dumps([node.get("args") for node in self.nodes])
        for node in self.nodes:
            unread = f'"{node["name"]}"' not in read and node["op"] != "placeholder"
            if unread and node["name"] not in self.outputs:
                self.outputs.append(node["name"])
        inputs = [node for node in self.nodes if node["op"] == "placeholder"]
        others = [node for node in self.nodes if node["op"] != "placeholder"]
        output = {"name": "output", "op": "output", "target": "output", "args": [[ref(name) for name in self.outputs]]}
        return {"format": "overlap-graph", "version": 1, "name": name, "rank": 0, "world_size": RANKS,
                "process_groups": [{"name": GROUP, "ranks": list(range(RANKS)), "rank": 0, "desc": "tensor"}],
                "nodes": [*inputs, *others, output]}


def ref(name):
    return {"node": name}


def draw(choose, name):
    draft = Draft(choose)
    for _ in range(choose.randint(1, 3)):
        # A last dimension is fused where each rank has at least 1024 of it.
        sizes = [8, 8, choose.choice([16, 16, 1024])][-choose.choice([2, 3, 3, 3]):]
        dim = choose.randrange(len(sizes))
        value = draft.gathered(draft.input(*sizes), dim) if choose.random() < 0.6 else draft.input(*sizes)
        draft.maybe_returned(value, 0.2)
        for _ in range(choose.choice([1, 1, 2])):
            made = draft.product(value, 16)
        if choose.random() < 0.6:
            draft.scattered(made, choose.randrange(len(draft.shapes[made])))
    return draft.document(name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER")
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    for number in range(arguments.count):
        name = f"tensor_parallel.{arguments.seed}.{number}"
        document = draw(random.Random(f"{arguments.seed}/{number}"), name)
        # No time and no name inside: the same graph gives the same bytes.
        text = gzip.compress(json.dumps(document).encode(), mtime=0)
        with open(os.path.join(arguments.folder, f"{name}.graph.json.gz"), "wb") as file:
            file.write(text)


if __name__ == "__main__":
    main()
