#!/usr/bin/env python3
"""Make small random graphs, run torchtitan's own graph passes on them, and keep the results as goldens.

    random_trainer_graphs.py REFERENCE_TOOLS CHECKOUT OUT_FOLDER [--count N] [--seed S]

REFERENCE_TOOLS is the folder that holds graph_to_fx.py and fx_to_graph.py, CHECKOUT one of torchtitan's source
(torchtitan_passes.py). Needs torch 2.15; no GPU. The cases go round the passes. The graphs are those of
random_graphs.py with what these passes look for: parameters gathered twice, dead nodes, views that change nothing,
exchanges of tokens, nodes of the backward pass, groups that the file does not list.
OUT_FOLDER/manifest.json has the shape of the goldens' manifest; where torchtitan raises, the entry holds the error.
"""
import argparse
import hashlib
import json
import logging
import operator
import os
import sys

import torch

import torchtitan_passes
from random_graphs import BF16, F32, Builder, make_document, random_plan

BLOCK_PASS = "transformer_block_bucketing_reordering_pass"
JOINT_PASS = "joint_" + BLOCK_PASS
DENSE_PASS = "schedule_fsdp_comms_to_dense_regions_pass"
PASSES = ("eliminate_dead_code_pass", "canonicalize_graph_pass", "deduplicate_fsdp_unshard_chains_pass",
          "isolate_ep_process_group_pass", "reassign_collective_pgs_pass", JOINT_PASS, BLOCK_PASS, DENSE_PASS)


class TrainerBuilder(Builder):
    """A random graph with what torchtitan's passes look for beside collectives to bucket."""

    backward = False  # whether nodes that are made now belong to the backward pass

    def __init__(self, choose, fake, pass_name):
        super().__init__(choose, fake)
        self.by_stack = pass_name == BLOCK_PASS
        self.quiet = pass_name == DENSE_PASS  # it asks for regular graphs, and refuses nearly all others
        if choose.random() < 0.1 and not self.quiet:
            self.unknown_group = choose.choice(["nowhere", ""])
        else:
            self.unknown_group = None

    def tag(self, node):
        if self.backward:
            node.meta["autograd_backward"] = True
        return super().tag(node)

    def group(self, names="0000123"):
        if self.unknown_group is not None and self.choose.random() < 0.05:
            return self.unknown_group, self.world
        return super().group(names)

    def gather(self, node, name=None):
        if name is None:
            name, size = self.group()
            return self.call(torch.ops._c10d_functional.all_gather_into_tensor.default, node, size, name)
        return super().gather(node, name)

    def exchange(self, node):
        name, size = self.group("0012")
        rows = node.meta["val"].shape[0]
        splits = [rows // size + (index < rows % size) for index in range(size)]
        aten, c10d = torch.ops.aten, torch.ops._c10d_functional
        start = self.call(c10d.all_to_all_single.default, node, splits, splits, name)
        if self.choose.random() < 0.05:
            start.args, start.kwargs = start.args[:3], {"group_name": name}
        return self.call(aten.clone.default, self.wait(start))

    def parameter(self):
        """Sometimes gathered again from the same shard, or by way of views."""
        choose, aten = self.choose, torch.ops.aten
        if self.quiet:
            return self.wait(self.gather(self.placeholder((1, 4)), "0"))
        if choose.random() < 0.6:
            return super().parameter()
        shard = self.placeholder((choose.choice([1, 2, 4]), 4), choose.choice([F32, BF16]))
        name, chains = choose.choice("0001"), []
        for _ in range(choose.choice([1, 2, 2, 3])):
            node = shard
            if choose.random() < 0.6:
                node = self.call(aten._to_copy.default, node, dtype=choose.choice([F32, BF16]))
            if choose.random() < 0.1:
                node = self.wait(self.gather(node, "2"))
            full = self.wait(self.gather(node, name))
            if choose.random() < 0.3:
                parts = self.call(aten.split.Tensor, full, choose.choice([1, 2, 4]))
                items = [self.call(operator.getitem, parts, index) for index in range(len(parts.meta["val"]))]
                full = self.call(aten.cat.default, items, choose.choice([0, 1]))
            if choose.random() < 0.3:
                full = self.call(aten.view.default, full, [-1])
            chains.append(full)
        total = self.call(aten.sum.default, chains[0])
        for chain in chains[1:]:
            total = self.call(aten.add.Tensor, total, self.call(aten.sum.default, chain))
        return total

    def clutter(self, node):
        """Nodes that clean-ups remove, or nearly remove."""
        choose, aten = self.choose, torch.ops.aten
        kind = choose.randrange(12)
        shape = list(node.meta["val"].shape)
        if kind == 0:
            node = self.call(aten.detach.default, node)
        elif kind == 1:
            view = choose.choice([aten.view, aten.reshape, aten._unsafe_view]).default
            node = self.call(view, node, choose.choice([shape, [-1]]))
            node = node if list(node.meta["val"].shape) == shape else self.call(aten.reshape.default, node, shape)
        elif kind == 2:
            node = self.call(aten.t.default, self.call(aten.t.default, node))
        elif kind == 3:
            end = choose.choice([4, 4, 9223372036854775807, 100])
            node = self.call(aten.slice.Tensor, node, choose.choice([0, 1, -1]), choose.choice([0, 0, -4, -9]), end)
        elif kind == 4:
            self.call(aten.neg.default, self.call(aten.sum.default, node))
        elif kind == 5:
            self.call(aten._assert_async.msg, self.call(aten.gt.Scalar, self.call(aten.sum.default, node), 0), "text")
        elif kind == 6:
            self.gather(node, "1")
        elif kind == 7:
            self.wait(self.gather(node, "1"))
        elif kind == 8:
            copy = self.call(aten.clone.default, node)
            self.call(aten.add_.Tensor, copy, 1.0)
        elif kind == 9:
            self.call(aten.rand.default, [2, 2])
        elif kind == 10:
            transposed = self.call(aten.t.default, node)
            node = self.call(aten.add.Tensor, self.call(aten.t.default, transposed), transposed)
        else:
            node = self.exchange(node)
        return node

    def use(self, activation, weights):
        if self.quiet:
            for weight in weights:
                activation = self.call(torch.ops.aten.add.Tensor, activation,
                                       self.call(torch.ops.aten.sum.default, weight))
            return self.call(torch.ops.aten.mm.default, activation, self.square)
        activation = super().use(activation, weights)
        while self.choose.random() < 0.6:
            activation = self.clutter(activation)
        return activation

    def gradient(self, activation):
        if not self.quiet:
            return super().gradient(activation)
        gradient = self.call(torch.ops.aten.clone.default, self.call(torch.ops.aten.expand.default, self.call(
            torch.ops.aten.sum.default, activation), [self.world, 4]), memory_format=torch.contiguous_format)
        self.results.append(self.wait(self.call(
            torch.ops._c10d_functional.reduce_scatter_tensor.default, gradient, "sum", self.world, "0")))

    def build_quietly(self):
        """A stack of layers with one gather each way and one scatter, as FSDP makes it."""
        self.square, activation = self.placeholder((4, 4)), self.placeholder((4, 4))
        names = [f"layers.{index}" for index in range(self.choose.choice([2, 3, 4]))]
        tail = ["norm"] if self.choose.random() < 0.5 else []
        for backward, modules in ((False, names + tail), (True, tail + names[::-1])):
            self.backward = backward
            for name in modules:
                parts = ["attention", "ffn"] if name.startswith("layers") else [""]
                for part in reversed(parts) if backward else parts:
                    self.module = f"{name}.{part}".rstrip(".")
                    again = self.choose.random() < 0.97 or not backward
                    activation = self.use(activation, [self.parameter()] if again else [])
                    if backward:
                        self.gradient(activation)
        self.module, self.backward = "", False
        self.results.append(activation)
        self.graph.output(tuple(self.results))
        return names

    def build(self):
        if self.quiet:
            return self.build_quietly()
        names = super().build()
        if not self.by_stack:
            # The pass after the first half is the backward pass, as far as the order of the nodes says.
            nodes = [node for node in self.graph.nodes if node.op == "call_function"]
            begin = self.choose.choice([len(nodes) // 2, len(nodes)])
            for node in nodes[begin:]:
                node.meta["autograd_backward"] = True
        return names


def random_order(choose, names):
    """A place for some of the modules, as torchtitan takes it from the parameters; sometimes none."""
    modules = [f"{name}.{part}" for name in names for part in ("attention", "ffn")]
    choose.shuffle(modules)
    return {module: place for place, module in enumerate(modules[: choose.randrange(len(modules) + 1)])} or None


def random_pipeline(choose, names, pass_name):
    if pass_name == BLOCK_PASS:
        return [{"pass": pass_name, "options": {"fsdp_manual_buckets": random_plan(choose, names)}}]
    if pass_name == JOINT_PASS:
        mode = choose.choice([None] * 4 + ["custom_ops", "custom_ops_multidtype", "default", "coalesced"])
        return [{"pass": pass_name, "options": {
            "module_bucket_plans": random_plan(choose, names), "insert_overlap_deps": choose.random() < 0.2,
            "bucket_mode": mode, "fsdp_param_module_order": random_order(choose, names)}}]
    if pass_name == DENSE_PASS:
        plan = list(names) + (["norm"] if choose.random() < 0.9 else [])
        if choose.random() < 0.2:
            plan = [[name + ".attention", name + ".ffn"] for name in names]
        if choose.random() < 0.1:
            plan = [names]
        layers = len(names) + choose.choice([0] * 8 + [1, -1])
        options = {"moe_layer_ids": [layer for layer in range(layers) if choose.random() < 0.3], "n_layers": layers,
                   "strict": choose.random() < 0.5, "transformer_bucket_counts_by_layer": None}
        if choose.random() < 0.5:
            options["transformer_bucket_counts_by_layer"] = {
                str(layer): choose.choice([1] * 30 + [2]) for layer in range(layers)}
        return [{"pass": JOINT_PASS, "options": {"module_bucket_plans": plan}},
                {"pass": pass_name, "options": options}]
    return [{"pass": pass_name, "options": {}}] * choose.choice([1, 1, 1, 2])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reference_tools")
    parser.add_argument("checkout")
    parser.add_argument("out")
    parser.add_argument("--count", type=int, default=80)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.reference_tools)
    import fx_to_graph
    import graph_to_fx
    trainer = torchtitan_passes.load(arguments.checkout)
    logging.disable(logging.WARNING)
    os.makedirs(arguments.out, exist_ok=True)
    goldens = []
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        name = PASSES[seed % len(PASSES)]
        choose, builder, modules, document = make_document(
            seed, fx_to_graph, graph_to_fx, lambda choose, fake: TrainerBuilder(choose, fake, name))
        graph_file = f"trainer_{seed}.graph.json.gz"
        fx_to_graph.write(document, os.path.join(arguments.out, graph_file))
        pipeline = random_pipeline(choose, modules, name)
        digest = hashlib.sha256(json.dumps(pipeline).encode()).hexdigest()[:6]
        entry = {"id": f"trainer_{seed}.{digest}", "graph_file": graph_file, "pipeline": pipeline}
        trainer.forget_groups()
        try:
            result, _ = graph_to_fx.load(os.path.join(arguments.out, graph_file))
            for step in pipeline:
                result = trainer.run(result, step["pass"], step["options"])
            written = fx_to_graph.graph_to_dict(
                result, document["name"], document["process_groups"] + trainer.groups, world_size=builder.world,
                rank=builder.rank, extra={"cost_model": document["cost_model"]})
            entry["result_file"] = f"trainer_{seed}.result.graph.json.gz"
            fx_to_graph.write(written, os.path.join(arguments.out, entry["result_file"]))
        except Exception as error:  # the reference raises: that is the golden
            entry["error"] = {"type": type(error).__name__, "message": str(error)[:300]}
        goldens.append(entry)
    with open(os.path.join(arguments.out, "manifest.json"), "w", encoding="utf-8") as file:
        json.dump({"goldens": goldens}, file, indent=1)
    raised = sum("error" in entry for entry in goldens)
    print(f"{len(goldens)} cases, {raised} of them raise")


if __name__ == "__main__":
    main()
