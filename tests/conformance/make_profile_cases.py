#!/usr/bin/env python3
"""Make golden cases of profile-guided times with PyTorch's own ProfileGuidedEstimator.

    make_profile_cases.py --reference TOOLS --graphs GRAPHS --out FOLDER [--count N] [--seed S] [--traces TRACES]

Run it with the Python of an environment that has torch 2.15 (no GPU needed). TOOLS is the folder with graph_to_fx.py,
GRAPHS one with overlap-graph files. FOLDER receives random profiles (`N.trace.json.gz`) and `cases.json`: for each
profile and graph what the estimator says of each node, with its own size and with other sizes, and what the tables say
to questions beyond the graph. With TRACES, a folder with profilers' traces, these are asked too.

The random profiles know some of the graph's operators and collectives, on the graph's groups, on others along the same
mesh dimension and on unrelated ones, at the graph's sizes and around them; some events are incomplete in the ways
that the estimator forgives. Numbers are written as Python's repr, which reads back to the same double.
"""
import argparse
import glob
import gzip
import json
import logging
import os
import random
import re
import sys
import tempfile

import torch

CASES = (
    "llama3_debugmodel_fsdp8.prebucket",
    "llama3_debugmodel_fsdp4_tp2.prebucket",
    "deepseek_v3_debugmodel_fsdp8_ep4.prebucket",
    "llama3_debugmodel_fsdp8_aot_bw",
)
KINDS = {
    "all_gather_into_tensor": ("_allgather_base", "all_gather_into_tensor", "allgather_into_tensor_coalesced"),
    "all_gather_into_tensor_out": ("_allgather_base",),
    "reduce_scatter_tensor": ("_reduce_scatter_base", "reduce_scatter_tensor_coalesced"),
    "all_reduce": ("allreduce", "all_reduce"),
    "all_to_all_single": ("all_to_allv", "all_to_all", "alltoall_base"),
}
INPUT_TYPES = {torch.float32: "float", torch.bfloat16: "c10::BFloat16", torch.float16: "c10::Half",
               torch.int64: "long int", torch.bool: "bool", torch.float64: "double", torch.int32: "int"}


def elements(value):
    return value.numel() if isinstance(value, torch.Tensor) else 0


class RandomProfile:
    def __init__(self, seed, gm, document, estimation):
        self.choose = random.Random(seed)
        self.document, self.estimation = document, estimation
        self.nodes = [node for node in gm.graph.nodes if node.op == "call_function"]
        self.events = []
        self.external = 100
        self.groups = document["process_groups"]
        world = document.get("world_size", 8)
        self.others = [sorted(self.choose.sample(range(world), min(world, self.choose.choice((2, 3, 4))))) for _ in range(2)]
        self.groups_shift = self.choose.random() < 0.4

    def duration(self, size):
        return round(max(0.001, self.choose.lognormvariate(0, 0.4) * (5 + size / 20_000)), 3)

    def kernel(self, duration, **arguments):
        event = {"ph": "X", "cat": "kernel", "name": "kernel", "pid": 0, "tid": 7, "ts": 1.0, "dur": duration, "args": arguments}
        if self.choose.random() < 0.02:
            del event["dur"]
        elif self.choose.random() < 0.02:
            event["dur"] = 0
        elif self.choose.random() < 0.1:
            event["dur"] = max(1, int(duration))
        self.events.append(event)

    def operator(self, node):
        name = self.estimation._fx_target_to_profile_name(node)
        values = [argument.meta.get("val") for argument in node.args if isinstance(argument, torch.fx.Node)]
        tensors = [value for value in values if isinstance(value, torch.Tensor)]
        dims, strides, types = [], [], []
        for tensor in tensors:
            dims.append(list(tensor.shape))
            strides.append(list(tensor.stride()))
            types.append(INPUT_TYPES.get(tensor.dtype, "unknown"))
        own = node.meta.get("val")
        if types and isinstance(own, torch.Tensor) and self.choose.random() < 0.8:
            types[0] = INPUT_TYPES.get(own.dtype, "")
        for _ in range(self.choose.choice((0, 0, 1, 2))):  # scalars and numbers stand between tensors
            place = self.choose.randrange(len(dims) + 1)
            if place or self.choose.random() < 0.2:
                dims.insert(place, [])
                strides.insert(place, [])
                types.insert(place, "Scalar")
        if self.choose.random() < 0.05:
            dims.append([[4, 4], [2]])
            strides.append([[4, 1], [1]])
            types.append("TensorList")
        if dims and dims[0] and self.choose.random() < 0.1 and isinstance(dims[0][0], int):
            dims[0] = [dims[0][0] + 1, *dims[0][1:]]
        for _ in range(self.choose.choice((1, 1, 2, 3))):
            self.external += 1
            arguments = {"External id": self.external, "Input Dims": dims, "Input type": types}
            if self.choose.random() < 0.95:
                arguments["Input Strides"] = strides
            self.events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": 1.0, "dur": 3.0, "args": arguments})
            for _ in range(self.choose.choice((0, 1, 1, 1, 2, 3))):
                self.kernel(self.duration(elements(own)), **{"External id": self.external})

    def ranks_of(self, group):
        ranks = group["ranks"]
        if self.groups_shift and len(ranks) < self.document.get("world_size", 8):
            return [rank + 1 for rank in ranks]  # another group along the same dimension
        return ranks if self.choose.random() < 0.9 else self.choose.choice(self.others)

    def collective(self, node):
        kind = node.target._schema.name.split("::")[-1]
        group = next(g for g in self.groups if g["name"] == [a for a in node.args if isinstance(a, str)][-1])
        value = node.meta["val"]
        for _ in range(self.choose.choice((0, 1, 1, 2, 4))):
            size = elements(value)
            if self.choose.random() < 0.7:
                size = max(1, int(size * self.choose.choice((0.1, 0.4, 0.5, 0.9, 1.5, 3))))
            if self.choose.random() < 0.02:
                size = 0
            ranks = self.ranks_of(group)
            text = self.choose.choice((json.dumps(ranks), json.dumps(list(reversed(ranks))), "[0, 1, ..., 7]", ""))
            self.kernel(self.duration(size), **{
                "External id": self.external, "Collective name": self.choose.choice(KINDS[kind]),
                "In msg nelems": size, "Out msg nelems": size, "Group size": len(ranks),
                "dtype": self.estimation._dtype_to_nccl_str(value.dtype) if self.choose.random() < 0.95 else "Float8_e4m3fn",
                "Process Group Name": group["name"] if self.choose.random() < 0.95 else "unknown", "Process Group Ranks": text})

    def write(self, path):
        share = self.choose.choice((0.3, 0.9))
        for node in self.nodes:
            if self.choose.random() > share:
                continue
            if self.estimation._is_collective_node(node):
                self.collective(node)
            elif isinstance(node.target, torch._ops.OpOverload) and self.choose.random() < 0.5:
                self.operator(node)
        if self.choose.random() < 0.3:  # a number that two operators carry
            doubled = [event for event in self.events if event["cat"] == "cpu_op"]
            if doubled:
                self.events.append({**self.choose.choice(doubled), "name": "aten::doubled"})
        self.choose.shuffle(self.events)
        groups = [{"pg_name": g["name"], "pg_desc": "", "pg_size": len(g["ranks"]), "ranks": g["ranks"]} for g in self.groups]
        if self.choose.random() < 0.3:
            groups = {group["pg_name"]: group for group in groups}
        trace = {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": 0, "pg_config": groups}, "traceEvents": self.events}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(trace, file)


def table_questions(profile, choose):
    """Questions beyond a graph, with the tables' answers."""
    questions = []
    keys = list(profile._collective_index)
    for name, ranks, dtype in keys[:40]:
        known = [size for size, _ in profile._collective_index[(name, ranks, dtype)]]
        sizes = {0, 1, known[0], known[-1] * 2, known[-1] * 2 + 1, known[-1] * 50, (known[0] + known[-1]) // 2 + 1}
        groups = {tuple(ranks), tuple(rank + 1 for rank in ranks), tuple(range(len(ranks)))}
        for size in sorted(sizes):
            for group in sorted(groups):
                answer = profile.lookup_collective(name, group, size, dtype)
                questions.append({"name": name, "ranks": group, "elements": size, "dtype": dtype, "answer": answer})
    return choose.sample(questions, min(len(questions), 120))


def flat_operators(profile):
    """Those that a look-up can ask for: no lists of tensors among their inputs."""
    return [key for key in profile._op_index if all(isinstance(size, int) for tensor in key[1] for size in tensor)]


def operator_questions(profile, choose):
    known = flat_operators(profile)
    chosen = choose.sample(known, min(len(known), 60))
    return [{"name": name, "shapes": shapes, "strides": strides, "dtype": str(dtype).removeprefix("torch.") if dtype else None,
             "answer": profile.lookup_op(name, shapes, strides, dtype)} for name, shapes, strides, dtype in chosen]


def of_unknown_size(document):
    """Nodes with a size that only the running job knows. torch has no hint for it; here a number stands in its place."""
    return {node["name"] for node in document["nodes"] if re.search(r"\bu\d", json.dumps(node.get("symbolic_shapes")))}


def answers_of(estimator, gm, unknown, choose):
    """Times of the nodes that the profile knows, and of collectives with other sizes."""
    nodes, sizes = {}, []
    for node in gm.graph.nodes:
        # A trainer's own operators are functions without torch's names in this process.
        if node.op != "call_function" or type(node.target).__name__ == "function":
            continue
        is_collective = sys.modules[type(estimator).__module__]._is_collective_node(node)
        sized = [node] if is_collective else [taken for taken in node.args if isinstance(taken, torch.fx.Node)]
        if any(taken.name in unknown for taken in sized):
            continue
        answer = estimator(node, None)
        if answer is not None:
            nodes[node.name] = answer
        if len(sizes) < 60 and is_collective:
            for size in (0, 3, choose.randrange(1, 1 << 20), choose.randrange(1 << 20, 1 << 31)):
                sizes.append({"node": node.name, "bytes": size, "answer": estimator(node, size)})
    return nodes, sizes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", required=True)
    parser.add_argument("--graphs", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--count", type=int, default=3, help="profiles for each graph")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--traces")
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    sys.path.insert(0, arguments.reference)
    import graph_to_fx
    from torch._inductor.fx_passes import profile_guided_estimation as estimation

    os.makedirs(arguments.out, exist_ok=True)
    cases = []
    number = 0
    for graph in CASES:
        gm, document = graph_to_fx.load(os.path.join(arguments.graphs, graph + ".graph.json.gz"))
        for _ in range(arguments.count):
            seed = arguments.seed + number
            choose = random.Random(seed)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "trace.json")
                RandomProfile(seed, gm, document, estimation).write(path)
                estimator = estimation.ProfileGuidedEstimator(path)
                name = f"{number}.trace.json.gz"
                with open(path, "rb") as file, open(os.path.join(arguments.out, name), "wb") as packed:
                    packed.write(gzip.compress(file.read(), mtime=0))
            nodes, sizes = answers_of(estimator, gm, of_unknown_size(document), choose)
            cases.append({"profile": name, "graph": graph, "nodes": nodes, "sizes": sizes,
                          "collectives": table_questions(estimator.profile, choose),
                          "operators": operator_questions(estimator.profile, choose),
                          "known_operators": len(flat_operators(estimator.profile))})
            print(f"{name}: {len(nodes)} nodes of {graph}")
            number += 1
    for path in sorted(glob.glob(os.path.join(arguments.traces, "*.json.gz"))) if arguments.traces else []:
        with tempfile.NamedTemporaryFile(suffix=".json") as plain:
            plain.write(gzip.open(path).read())
            plain.flush()
            profile = estimation.ProfileData()
            profile.load(plain.name)
        cases.append({"trace": os.path.basename(path), "collectives": table_questions(profile, random.Random(0)),
                      "operators": operator_questions(profile, random.Random(0)), "known_operators": len(flat_operators(profile))})
        print(f"{path}: {len(profile.collectives)} collectives, {len(profile.ops)} operators")
    with open(os.path.join(arguments.out, "cases.json.gz"), "wb") as file:
        file.write(gzip.compress(json.dumps({"torch": torch.__version__, "cases": cases}).encode(), mtime=0))


if __name__ == "__main__":
    main()
