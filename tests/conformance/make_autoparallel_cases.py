#!/usr/bin/env python3
"""Make golden cases of autoparallel's ordered sharding and of its cost models with autoparallel itself.

    make_autoparallel_cases.py --checkout AUTOPARALLEL --out FOLDER [--seed S]

Run it with the Python of an environment that has torch 2.15 (no GPU needed). AUTOPARALLEL is a checkout of
meta-pytorch/autoparallel; only its modules are imported, not the package. FOLDER receives orders.json,
costs.json and nccl.json. Cases are determined by the seed.
"""
import argparse
import ast
import importlib
import json
import logging
import os
import random
import sys
import types

import torch
from torch.distributed.device_mesh import DeviceMesh, _mesh_resources
from torch.distributed.tensor._collective_utils import MeshTopoInfo
from torch.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta
from torch.distributed.tensor._op_schema import OpSpec
from torch.distributed.tensor.placement_types import Partial, Replicate, Shard, _StridedShard

R, P, S0, S1 = Replicate(), Partial(), Shard(0), Shard(1)
GPUS = ("NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-80GB", "NVIDIA B200", "NVIDIA GB200", "NVIDIA A30", "NVIDIA A10G",
        "Tesla T4", "Tesla V100-SXM2-16GB", "PG509-210", "NVIDIA H200")


def import_modules(checkout):
    """The modules under test. Their packages are made empty: the real ones import solvers that are not needed here."""
    for package in ("autoparallel", "autoparallel.cost_models", "autoparallel.shardings"):
        module = types.ModuleType(package)
        module.__path__ = [os.path.join(checkout, *package.split("."))]
        sys.modules[package] = module
    return {name: importlib.import_module(f"autoparallel.{name}") for name in (
        "shardings.ordered_sharding", "cost_models.collective_runtime_estimation", "cost_models.compute_estimation",
        "cost_models.nccl_cost_model")}


def mesh_of(shape):
    return DeviceMesh("cuda", torch.arange(torch.Size(shape).numel()).view(shape), _init_backend=False, _rank=0)


def placement_text(placement):
    if isinstance(placement, _StridedShard):
        return f"_S({placement.dim}, {placement.split_factor})"
    if placement.is_shard():
        return f"S({placement.dim})"
    return f"P({placement.reduce_op})" if placement.is_partial() else "R"


def text(placements):
    return "".join(placement_text(placement) for placement in placements)


def number(value):
    return "inf" if value == float("inf") else value


# Ordered sharding ---------------------------------------------------------------------------------------------------


class GraphMaker:
    """Random joint graphs with linear chains from parameters and to gradients, and a sharding of every node."""

    def __init__(self, dice, mesh):
        self.dice, self.mesh = dice, mesh
        self.graph = torch.fx.Graph()
        self.nodes, self.sharding, self.pairs = [], {}, []

    def spec(self, placements):
        return DTensorSpec(self.mesh, placements)

    def any_placements(self):
        return tuple(self.dice.choice((R, P, S0, S0, S1)) for _ in range(self.mesh.ndim))

    def like(self, placements, certainty=0.93):
        return placements if self.dice.random() < certainty else self.any_placements()

    def add(self, inputs, output, wants, keywords=()):
        function = torch.add if inputs else None
        node = (self.graph.call_function(function, tuple(inputs), {f"k{i}": x for i, x in enumerate(keywords)})
                if inputs else self.graph.placeholder(f"x{len(self.nodes)}"))
        self.nodes.append(node)
        self.sharding[node] = OpSpec(output_specs=self.spec(output), input_specs=[self.spec(w) for w in wants])
        return node

    def chain(self, node, length, before, after, change_at):
        """Unary nodes after `node`; the one at `change_at` wants `after` instead of `before`."""
        current = before
        for position in range(length):
            wanted = self.like(after if position >= change_at else current)
            keywords = [self.nodes[0]] if self.dice.random() < 0.06 else []
            node, current = self.add([node], self.like(wanted, 0.97), [wanted], keywords), wanted
        return node

    def parameter(self, activation):
        dice, mesh = self.dice, self.mesh
        stored = (S0,) * mesh.ndim
        used = (R,) + (S0,) * (mesh.ndim - 1)
        reduced = (P,) + (S0,) * (mesh.ndim - 1)
        parameter = self.add([], self.like(stored), [])
        gradient = None
        if dice.random() < 0.95:
            length = dice.randrange(4)
            last = self.chain(parameter, length, stored, used, dice.randrange(length + 1))
            wanted = self.like(used)
            inputs = [last, activation] if dice.random() < 0.8 else [activation, last, last]
            wants = [wanted if x is last else self.any_placements() for x in inputs]
            activation = self.add(inputs, self.any_placements(), wants)
            if dice.random() < 0.1:
                self.add([last], self.any_placements(), [self.any_placements()])
        if dice.random() < 0.9:
            summed = self.add([activation, self.nodes[0]], self.like(reduced), [self.any_placements()] * 2)
            length = dice.randrange(4) if dice.random() < 0.2 else 1 + dice.randrange(3)
            gradient = self.chain(summed, length, reduced, stored, dice.randrange(max(length, 1)))
        self.pairs.append((parameter, gradient))
        return activation

    def make(self):
        activation = self.add([], self.any_placements(), [])
        for _ in range(1 + self.dice.randrange(3)):
            activation = self.parameter(activation)
        grads = [gradient for _, gradient in self.pairs if gradient is not None]
        self.graph.output((activation, *grads))
        return self


def order_text(order):
    return [[entry.tensor_dim, list(entry.mesh_dims)] for entry in order]


def order_case(modules, shard_order_of, dice, mesh):
    ordered = modules["shardings.ordered_sharding"]
    maker = GraphMaker(dice, mesh).make()
    index = {node: i for i, node in enumerate(maker.graph.nodes)}  # the output node comes last and is not described
    ordered.get_param_and_grad_nodes = lambda graph: dict(enumerate(maker.pairs))
    _, chains = ordered.build_param_grad_linear_chains(maker.pairs)
    orders = ordered.compute_optimal_placement_order_for_parameters(types.SimpleNamespace(graph=maker.graph),
                                                                    maker.sharding)
    nodes = []
    for node in maker.nodes:
        inputs = [x for x in torch.utils._pytree.tree_leaves(node.args) if isinstance(x, torch.fx.Node)]
        wants = maker.sharding[node].input_specs
        entry = {"out": text(maker.sharding[node].output_specs.placements),
                 "inputs": [[index[x], text(want.placements)] for x, want in zip(inputs, wants)],
                 "users": [index[user] for user in node.users]}
        if node.kwargs:
            entry["keywords"] = [index[x] for x in node.kwargs.values()]
        if node in orders:
            # What the interpreter would redistribute: the state that it finds and the one that it makes.
            interpreter = types.SimpleNamespace(param_placement_order=orders)
            entry["applied"] = [
                [order_text(order) for order in shard_order_of(interpreter, node, maker.sharding[x].output_specs, want)]
                for x, want in zip(inputs, wants)]
        nodes.append(entry)
    return {"mesh_shape": list(mesh.shape), "nodes": nodes,
            "pairs": [[index[p], index[g] if g is not None else None] for p, g in maker.pairs],
            "chains": [[index[source], [index[x] for x in chain]] for source, chain in chains.items()],
            "orders": [[index[x], *(int(flag) for flag in info)] for x, info in orders.items()]}


def interpreter_rule(checkout):
    """ApplyShardingInterpreter._compute_origin_and_target_shard_order without the imports of its module."""
    path = os.path.join(checkout, "autoparallel", "apply_sharding.py")
    with open(path, encoding="utf-8") as file:
        source = file.read()
    wanted = {"_compute_shard_order", "_compute_origin_and_target_shard_order"}
    functions = [node for node in ast.walk(ast.parse(source))
                 if isinstance(node, ast.FunctionDef) and node.name in wanted]
    from torch.distributed.tensor._dtensor_spec import ShardOrderEntry
    space = {"ShardOrderEntry": ShardOrderEntry}
    exec(compile(ast.Module(functions, []), path, "exec"), space)
    return space["_compute_origin_and_target_shard_order"]


# Costs --------------------------------------------------------------------------------------------------------------


def contiguous_strides(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= max(size, 1)
    return strides


def pretend_gpu(name):
    """What the modules ask the device runtime for."""
    torch.get_device_module = lambda: types.SimpleNamespace(get_device_name=lambda device: name)
    torch.cuda.get_device_name = lambda device=0: name


def random_placements(dice, dims, source):
    choices = (R, S0, S0, S1, S1, Shard(2), P, P, Partial("avg"), _StridedShard(0, split_factor=2))
    count = len(choices) if dice.random() < 0.3 else 7
    placements = tuple(dice.choice(choices[:count]) for _ in range(dims))
    return (P,) * dims if source and dice.random() < 0.12 else placements


def cost_case(modules, configs, dice):
    costs = modules["cost_models.collective_runtime_estimation"]
    mesh_shape = dice.choice(((8,), (2, 4), (4, 2), (2, 8), (8, 8), (3, 2), (1, 4), (4, 1), (2, 2, 2), (2, 2, 4), (6, 4)))
    devices_per_host = dice.choice((0, 2, 4, 8))
    gpu = dice.choice(GPUS[:3] + GPUS[4:7])
    shape = dice.choice(((64, 48, 5), (4096, 8192, 4), (13, 7, 5), (1024, 1, 96), (16384, 53248, 1), (0, 4, 4)))
    dtype = dice.choice((torch.float32, torch.bfloat16, torch.float64))
    strides = contiguous_strides(shape)
    if dice.random() < 0.3:
        strides[0], strides[1] = strides[1], strides[0]
    mesh = mesh_of(mesh_shape)
    meta = TensorMeta(torch.Size(shape), tuple(strides), dtype)
    placements = [random_placements(dice, mesh.ndim, source) for source in (True, False)]
    source, target = (DTensorSpec(mesh, each, tensor_meta=meta) for each in placements)
    order = list(range(mesh.ndim))
    dice.shuffle(order)
    config = dice.choice((None, None, *configs))

    _mesh_resources.num_devices_per_host = lambda device_type: devices_per_host
    MeshTopoInfo.build_from_mesh.cache_clear()
    pretend_gpu(gpu)
    costs.set_nccl_topo_config(configs[config] if config else None)
    try:
        results = [number(costs.redistribute_cost(source, target, order)),
                   number(costs.estimate_strategy_comms_cost(source, target))]
    except ZeroDivisionError:
        return None
    return {"mesh_shape": mesh_shape, "devices_per_host": devices_per_host, "gpu": gpu, "shape": shape,
            "strides": strides, "element_bytes": dtype.itemsize, "source": text(placements[0]),
            "target": text(placements[1]), "order": order, "nccl": config, "cost_us": results[0],
            "strategy_cost_us": results[1]}


def nccl_case(nccl, dice):
    """A configuration that no preset has."""
    fields = {"arch": dice.choice(list(nccl.GpuArch)), "num_nodes": 1, "gpus_per_node": dice.choice((2, 4, 8, 16, 72)),
              "bw_intra": round(dice.uniform(20, 900), 1), "bw_inter": round(dice.uniform(1, 120), 1),
              "num_channels": dice.choice((1, 2, 4, 8, 16, 24, 32)), "has_nvswitch": dice.random() < 0.5,
              "has_collnet": dice.random() < 0.4, "net_latency": dice.choice((0.0, 0.0, 1.5, 7.0))}
    config = nccl.NCCLTopoConfig(**fields)
    mesh_shape = [dice.choice((1, 2, 2, 3, 4, 5, 8, 8, 16, 32, 64)) for _ in range(1 + dice.randrange(3))]
    mesh_dim = dice.randrange(len(mesh_shape))
    topology = nccl.derive_mesh_dim_topo(config, tuple(mesh_shape), mesh_dim)
    functions = {"all_gather": nccl.nccl_allgather_cost, "reduce_scatter": nccl.nccl_reduce_scatter_cost,
                 "all_reduce": nccl.nccl_allreduce_cost, "all_to_all": nccl.nccl_all_to_all_cost}
    collective = dice.choice(list(functions))
    sizes = sorted(int(2 ** dice.uniform(0, 38)) for _ in range(4)) + [0]
    try:
        samples = [[size, number(functions[collective](size, topology, config))] for size in sizes]
    except ZeroDivisionError:
        samples = None
    return {**fields, "arch": fields["arch"].name.lower(), "mesh_shape": mesh_shape, "mesh_dim": mesh_dim,
            "topo": [topology.n_ranks, topology.n_nodes, topology.ppn], "collective": collective, "cost_us": samples}


def detection_cases(nccl):
    cases = []
    for gpu in (*GPUS, "NVIDIA RTX 4090"):
        for world_size in (1, 8, 12, 16, 72, 144):
            pretend_gpu(gpu)
            config = nccl.detect_nccl_topo_config(mesh_of((world_size,)))
            cases.append({"gpu": gpu, "world_size": world_size, "arch": config and config.arch.name.lower(),
                          "gpus_per_node": config and config.gpus_per_node})
    return cases


def write(folder, name, note, cases):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
        file.write('{"note":%s,"cases":[\n%s\n]}\n' % (json.dumps(note), lines))
    print(f"{name}: {len(cases)} cases")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkout", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", type=int, default=6)
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)  # the detection tells of every GPU that it does not know
    modules = import_modules(arguments.checkout)
    nccl = modules["cost_models.nccl_cost_model"]
    dice = random.Random(arguments.seed)

    rule = interpreter_rule(arguments.checkout)
    meshes = [mesh_of(shape) for shape in ((2, 4), (2, 4), (2, 4), (4, 2), (8,), (2, 2, 2))]
    orders = [order_case(modules, rule, dice, dice.choice(meshes)) for _ in range(110)]
    write(arguments.out, "orders.json",
          "orders: [node, is_target_reversed_order, need_reorder]; applied: for each input its order and the wanted one",
          orders)

    configs = {"a100": nccl.a100_topo_config(), "h100": nccl.h100_topo_config(), "gb200": nccl.gb200_topo_config()}
    costs = [cost_case(modules, configs, dice) for _ in range(520)]
    write(arguments.out, "costs.json",
          "cost_us: redistribute_cost in the order given; strategy_cost_us: in autoparallel's own order",
          [case for case in costs if case])
    write(arguments.out, "nccl.json",
          "cost_us: [bytes, microseconds], null where autoparallel divides by zero; cases with gpu: the detection",
          [nccl_case(nccl, dice) for _ in range(400)] + detection_cases(nccl))


if __name__ == "__main__":
    main()
