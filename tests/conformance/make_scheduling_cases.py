#!/usr/bin/env python3
"""Make golden cases of schedule_overlap_bucketing with PyTorch itself, on random and on real graphs.

    make_scheduling_cases.py --reference TOOLS --out FOLDER [--random COUNT] [--seed S] [--also SEED ...]
                             [--graphs GRAPHS --each N NAME ...] [--minutes M]

Run it with the Python of an environment that has torch 2.15 (no GPU needed). TOOLS is the folder with run_reference.py,
GRAPHS one with overlap-graph files; each of those named gets N drawn sets of options. FOLDER receives a manifest.json
in the shape of the goldens' manifest with what hides each collective, the random graphs and the results. Each case is
determined by its seed and runs in a forked process of its own. Check them with
`run_goldens.py PROGRAMS FOLDER/manifest.json`.

The random graphs mix sharded parameters, tensor-parallel activations, expert exchanges and gradients that nothing waits
for, on up to four groups, some of the same ranks. Times are few small dyadic numbers, so that sums are exact and ties
are many; sizes and limits are of one magnitude, so that limits matter.
"""
import argparse
import json
import logging
import os
import random
import sys
import time

import torch

from make_cases import outcome, run_case, write_manifest
from random_graphs import BF16, F32, Builder, make_document

AFFORDABLE = (0, 1, 3, 8, 20, 60)  # limits as multiples of one activation
ACTIVATION_GB = 4 * 16 * 16 / 2**30


class StepBuilder(Builder):
    """One random training step."""

    def placeholder(self, shape, dtype=F32, stride=None):
        node = super().placeholder(shape, dtype, stride)
        if self.choose.random() < self.primal_share:
            node.name = f"primals_{len(self.graph.nodes)}"
        return node

    def group(self, names=None):
        name = self.choose.choice(names or self.used_groups)
        return name, len(self.groups[name])

    def matrix(self):
        """A value that collectives and compute can take: one of the streams, a recent one more often."""
        last = self.values[-self.choose.choice([1, 2, 6, 1000]):]
        return self.choose.choice(last)

    def keep(self, node):
        """Brings a node back to the shape of an activation and offers it to later operators."""
        shape = tuple(node.meta["val"].shape)
        if len(shape) != 2 or shape[0] < 16 or shape[1] != 16:
            total = self.call(torch.ops.aten.sum.default, node)
            node = self.call(torch.ops.aten.add.Tensor, self.matrix(), total)
        elif shape[0] > 16:
            node = self.call(torch.ops.aten.slice.Tensor, node, 0, 0, 16)
        if node.meta["val"].dtype != F32:
            node = self.call(torch.ops.aten._to_copy.default, node, dtype=F32)
        self.values.append(node)

    def scattered(self, node):
        name, size = self.group()
        rows = 16 * self.choose.choice([1, 1, size])
        source = self.call(torch.ops.aten.expand.default, self.call(torch.ops.aten.sum.default, node), [rows, 16])
        source = self.call(torch.ops.aten.clone.default, source, memory_format=torch.contiguous_format)
        if self.choose.random() < 0.2:
            source = self.call(torch.ops.aten._to_copy.default, source, dtype=BF16)
        reduction = self.choose.choice(["sum", "sum", "avg"])
        return self.call(torch.ops._c10d_functional.reduce_scatter_tensor.default, source, reduction, size, name)

    def reduced(self, node):
        name, _ = self.group()
        return self.call(torch.ops._c10d_functional.all_reduce.default, node, self.choose.choice(["sum", "sum", "max"]), name)

    def exchanged(self, node):
        name, size = self.group()
        splits = [16 // size] * size
        return self.call(torch.ops._c10d_functional.all_to_all_single.default, node, splits, splits, name)

    def compute(self):
        left, right = self.matrix(), self.choose.choice([self.square, self.matrix()])
        self.keep(self.call(torch.ops.aten.mm.default, left, right))

    def pointwise(self):
        kind = self.choose.random()
        if kind < 0.4:
            self.keep(self.call(torch.ops.aten.add.Tensor, self.matrix(), self.matrix()))
        elif kind < 0.6:
            self.keep(self.call(torch.ops.aten.relu.default, self.matrix()))
        elif kind < 0.75:
            self.keep(self.call(torch.ops.aten.t.default, self.matrix()))
        elif kind < 0.85:
            self.keep(self.call(torch.ops.aten.cumsum.default, self.matrix(), 0))
        elif kind < 0.95:
            self.keep(self.call(torch.ops.aten.view.default, self.call(
                torch.ops.aten.clone.default, self.matrix(), memory_format=torch.contiguous_format), [16, 16]))
        else:
            self.keep(self.call(torch.ops.aten.add_.Tensor, self.call(torch.ops.aten.neg.default, self.matrix()), 1.0))

    def sharded_parameter(self):
        """A gathered parameter, used now or later."""
        choose = self.choose
        shape = choose.choice([(16, 16), (16, 16), (4, 16), (16,), (3, 8)])
        node = self.placeholder(shape, choose.choice([F32, F32, BF16]))
        if choose.random() < 0.3:
            node = self.call(torch.ops.prims.convert_element_type.default, node, choose.choice([BF16, F32]))
        if choose.random() < 0.15:
            node = self.call(torch.ops.aten.neg.default, node)
        start = self.gather(node, self.group()[0])
        self.later.append(start)
        if choose.random() < 0.6:
            self.finish_later()

    def finish_later(self):
        if not self.later:
            return
        awaited = self.wait(self.later.pop(self.choose.randrange(len(self.later))))
        if self.choose.random() < 0.15:
            awaited = self.wait(self.gather(awaited, self.group()[0]))
        self.keep(awaited)

    def activation_collective(self):
        start = self.choose.choice([self.scattered, self.reduced, self.reduced, self.exchanged,
                                    lambda node: self.gather(node, self.group()[0])])(self.matrix())
        if self.choose.random() < 0.5:
            self.keep(self.wait(start))
        else:
            self.later.append(start)

    def coalesced(self):
        name, size = self.group()
        values = [self.matrix() for _ in range(self.choose.choice([1, 2, 3]))]
        starts = self.call(torch.ops._c10d_functional.all_gather_into_tensor_coalesced.default, values, size, name)
        for index in range(len(values)):
            item = self.call(__import__("operator").getitem, starts, index)
            self.keep(self.wait(item))

    def off_path_gradient(self):
        """Nothing but the step's result waits for these."""
        choose = self.choose
        kind = choose.random()
        if kind < 0.5:
            result = self.wait(self.scattered(self.matrix()))
        elif kind < 0.8:
            result = self.wait(self.reduced(self.matrix()))
        else:
            result = self.wait(self.gather(self.matrix(), self.group()[0]))
        if choose.random() < 0.3:
            result = self.wait(self.reduced(result))
        if choose.random() < 0.3:
            result = self.call(torch.ops.aten._to_copy.default, result, dtype=F32)
        if choose.random() < 0.15:
            result = self.call(torch.ops.aten.mm.default, self.call(torch.ops.aten.neg.default, self.matrix()), self.square)
        if choose.random() < 0.9:
            self.results.append(result)

    def build(self):
        choose = self.choose
        self.primal_share = choose.choice([0, 0.5, 1])
        self.used_groups = "".join(choose.choice("0123") for _ in range(choose.choice([1, 2, 3, 4, 6])))
        self.square = self.placeholder((16, 16))
        self.values = [self.placeholder((16, 16)) for _ in range(choose.choice([1, 1, 2]))]
        self.later = []
        weights = [choose.choice([1, 4, 8]), choose.choice([1, 3, 6]), choose.choice([0, 1, 4, 8]), choose.choice([0, 2, 4]),
                   choose.choice([0, 1, 4]), choose.choice([0, 1, 4, 8]), choose.choice([0, 0, 0, 1])]
        steps = [self.compute, self.pointwise, self.sharded_parameter, self.finish_later, self.activation_collective,
                 self.off_path_gradient, self.coalesced]
        for _ in range(choose.choice([12, 20, 35, 60])):
            choose.choices(steps, weights)[0]()
        while self.later:
            if choose.random() < 0.9:
                self.finish_later()
            else:
                self.results.append(self.wait(self.later.pop()))
        self.compute()
        self.results += self.values[-choose.choice([1, 3]):]
        if choose.random() < 0.2:
            self.results.append(self.call(torch.ops.aten.copy_.default, self.square, self.values[-1]))
        self.graph.output(tuple(self.results))
        return []


def set_times(document, choose):
    """Draws a time for each node."""
    cheap_share = choose.choice([0, 0, 0.3])
    compute, collectives = choose.choice([((1,), (1,)), ((0.5, 1, 2), (1, 2, 4)), ((0, 1, 4), (0, 0.5, 1)), ((0.25, 8), (1, 3))])
    for node in document["nodes"]:
        target = node["target"]
        if node["op"] != "call_function":
            continue
        if target.startswith("_c10d_functional.wait") or target.startswith("operator."):
            node["estimate_ms"] = 0.0
        elif target.startswith("_c10d_functional."):
            node["estimate_ms"] = float(choose.choice(collectives))
        elif target == "aten.mm.default":
            node["estimate_ms"] = float(choose.choice(compute))
        else:
            node["estimate_ms"] = choose.choice((0.25, 0.5)) if choose.random() < cheap_share else 0.0
    for link in document["cost_model"]["links"]:
        link.update(latency_ms=choose.choice([0.0, 0.25, 0.5]), bytes_per_s=2.0**30)


def random_options(choose, unit_gb):
    """Options of the pass, most of them as they are by default. Limits are multiples of `unit_gb`."""
    def limit():
        return choose.choice(AFFORDABLE) * unit_gb

    drawn = {
        "collective_bucketing": lambda: True,
        "insert_overlap_deps": lambda: True,
        "max_in_flight_gb": limit,
        "max_compute_pre_fetch": lambda: choose.choice([0, 1, 2, 5]),
        "compute_overlap_multipler": lambda: choose.choice([0.0, 0.5, 0.75, 2.0]),
        "max_coll_distance": lambda: choose.choice([0, 1, 2, 3, 8]),
        "max_memory_increase_gb": lambda: choose.choice([None, limit()]),
        "max_memory_increase_ratio": lambda: choose.choice([None, 0.0, 0.1, 1.0]),
        "bucket_exposed_first": lambda: choose.choice([True, False]),
        "bucket_only_internode_comms": lambda: True,
        "prioritize_bucketing_during_scheduling": lambda: False,
        "max_off_bucket_gb": lambda: choose.choice([None, limit()]),
        "enable_fusion_regions": lambda: True,
        "bucket_mode": lambda: choose.choice(["default", "custom_ops", "custom_ops_multidtype", "coalesced"]),
    }
    shares = {"collective_bucketing": 0.7, "insert_overlap_deps": 0.25, "bucket_only_internode_comms": 0.1,
              "enable_fusion_regions": 0.15, "bucket_mode": 0.5}
    share = choose.choice([0.15, 0.3, 0.6])
    options = {name: draw() for name, draw in drawn.items() if choose.random() < shares.get(name, share)}
    # The reference's model of times knows no coalesced collectives, which merging beforehand would make.
    if choose.random() < 0.25 and options.get("bucket_mode") != "coalesced":
        if choose.random() < 0.7:
            options["pre_bucketing_fsdp_collectives_bucket_cap_mb"] = limit() * 1024
    else:
        options["pre_bucketing_fsdp_collectives"] = False
    return options


def scheduling(options):
    return [{"pass": "schedule_overlap_bucketing", "options": options}]


def random_cases(seeds, out, fx_to_graph, graph_to_fx):
    for number in seeds:
        choose, _, _, document = make_document(number, fx_to_graph, graph_to_fx, StepBuilder)
        set_times(document, choose)
        graph_file = f"random_{number}.graph.json.gz"
        fx_to_graph.write(document, os.path.join(out, graph_file))
        yield {"id": f"scheduling_random_{number}", "graph_file": graph_file,
               "pipeline": scheduling(random_options(choose, ACTIVATION_GB)),
               "result_file": f"passes/random_{number}.graph.json.gz"}


def real_cases(graphs, names, each, seed, out, fx_to_graph, graph_to_fx):
    for name in names:
        path = os.path.join(os.path.abspath(graphs), name + ".graph.json.gz")
        sizes = [out["storage_bytes"] for node in graph_to_fx.read(path)["nodes"]
                 if node["target"].startswith("_c10d_functional.") for out in node.get("outputs", []) if out]
        for number in range(each):
            choose = random.Random(f"{name} {seed + number}")
            options = random_options(choose, choose.choice(sizes or [1024]) / 2**30)
            yield {"id": f"{name}.scheduling-{seed + number}", "graph": name, "graph_file": os.path.relpath(path, out),
                   "pipeline": scheduling(options), "result_file": f"passes/{name}.{seed + number}.graph.json.gz"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", required=True, help="folder with run_reference.py")
    parser.add_argument("--out", required=True)
    parser.add_argument("--random", type=int, default=0, help="how many random graphs")
    parser.add_argument("--seed", type=int, default=0, help="of the first case")
    parser.add_argument("--also", type=int, nargs="*", default=[], help="seeds of further random graphs")
    parser.add_argument("--graphs", help="folder with overlap-graph files")
    parser.add_argument("--each", type=int, default=3, help="how many sets of options for each graph of GRAPHS")
    parser.add_argument("--minutes", type=float, default=1e9, help="start no further case after this time")
    parser.add_argument("names", nargs="*", help="graphs of GRAPHS, without .graph.json.gz")
    arguments = parser.parse_args()
    sys.path.insert(0, os.path.abspath(arguments.reference))
    import run_reference as reference

    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    os.makedirs(os.path.join(arguments.out, "passes"), exist_ok=True)
    tools = (reference.fx_to_graph, reference.graph_to_fx)
    goldens, began = [], time.monotonic()

    def cases():
        seeds = [*range(arguments.seed, arguments.seed + arguments.random), *arguments.also]
        yield from random_cases(seeds, arguments.out, *tools)
        yield from real_cases(arguments.graphs, arguments.names, arguments.each, arguments.seed, arguments.out, *tools)

    for entry in cases():
        run_case(reference, entry, arguments.out)
        goldens.append(entry)
        write_manifest(arguments.out, {"torch": {"version": torch.__version__}, "seed": arguments.seed}, goldens)
        print(f"{len(goldens)}: {outcome(entry)}", flush=True)
        if time.monotonic() - began > 60 * arguments.minutes:
            break


if __name__ == "__main__":
    main()
