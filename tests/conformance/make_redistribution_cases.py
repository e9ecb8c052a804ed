#!/usr/bin/env python3
"""Make golden cases of torch's redistribution planners with torch itself: random meshes, tensors and placements.

    make_redistribution_cases.py --out FILE.json.gz [--cases N] [--seed S]

Run it with the Python of an environment that has torch 2.15 (no GPU and no process group needed). The file's schema is
described in the README of tests/data/redistribution_goldens. Cases are determined by the seed.
"""
import argparse
import gzip
import itertools
import json
import logging
import math
import random

import torch
from torch.distributed.device_mesh import DeviceMesh, _mesh_resources
from torch.distributed.tensor import _redistribute
from torch.distributed.tensor._collective_utils import MeshTopoInfo, redistribute_cost
from torch.distributed.tensor._dtensor_spec import DTensorSpec, ShardOrderEntry, TensorMeta
from torch.distributed.tensor._redistribute import DTensorRedistributePlanner, _FlattenedTransformInfo, _TransformInfo
from torch.distributed.tensor.placement_types import Partial, Replicate, Shard, _StridedShard

DTYPES = ("float32", "bfloat16", "float64", "int8")
FIXED_COSTS = {"all_reduce": 4.0, "all_to_all": 1.0, "all_gather": 2.0, "reduce_scatter": 2.0}
OPERATIONS = (("sum",),) * 6 + (("avg",), ("max",), ("min",), ("product",), ("band",), ("bor",), ("bxor",)) + (("sum", "avg"),) * 3


class FirstOccurrence(dict):
    """A set that remembers the order in which members came: torch's own sets make the search order a matter of chance."""

    def add(self, member):
        self[member] = None


class Planner(DTensorRedistributePlanner):
    """torch's planner, watched: the path, the states that the search expands, and other costs than torch's."""

    def __init__(self, mesh, meta, fixed):
        super().__init__(mesh, meta)
        self.strided_shard_placements_in_target, self.partial_reduce_ops_in_target = FirstOccurrence(), FirstOccurrence()
        self.expanded, self.path = 0, []
        if fixed:
            self.cost_function = lambda before, after: FIXED_COSTS.get(kind_of(*changed(before, after)[1]), 0.0)

    def get_next_state(self, *state):
        self.expanded += 1
        return super().get_next_state(*state)

    def find_min_cost_path(self, source, target):
        self.path = super().find_min_cost_path(source, target)
        return self.path


def is_cut(placement):
    return isinstance(placement, (Shard, _StridedShard))


def kind_of(source, target):
    """Kind of a step, named as in torch's own grouping where it sends data."""
    communication = _TransformInfo(0, (source, target), [])._comm_type_key()
    if communication:
        return communication
    if source.is_replicate():
        return "chunk" if is_cut(target) else "partition"
    return "embed_zero" if isinstance(source, Shard) and target == Partial("sum") else "unsupported"


def changed(before, after):
    """The mesh dimension that differs, and its placements."""
    (mesh_dim, pair), = ((i, pair) for i, pair in enumerate(zip(before.placements, after.placements)) if pair[0] != pair[1])
    return mesh_dim, pair


def step_cost(planner, before, after, kind):
    # Zeros around a shard are free to the planner, although strategies may not choose them.
    return 0.0 if kind == "embed_zero" else planner.cost_function(before, after)


# Plans in the schema of the goldens ----------------------------------------------------------------------------------


def order_text(order):
    return [[entry.tensor_dim, list(entry.mesh_dims)] for entry in order]


def placement_text(placement):
    if isinstance(placement, _StridedShard):
        return f"_S({placement.dim}, {placement.split_factor})"
    if isinstance(placement, Shard):
        return f"S({placement.dim})"
    return f"P({placement.reduce_op})" if placement.is_partial() else "R"


def states_of(infos, placements, order):
    """The states that steps lead through; merged steps change several mesh dimensions at once."""
    placements, orders = list(placements), DTensorRedistributePlanner._ShardOrder_to_dict(order)
    states = [DTensorRedistributePlanner.DistState(tuple(placements), order)]
    for info in infos:
        _redistribute._update_shard_order_and_placements(info, placements, orders)
        states.append(DTensorRedistributePlanner.DistState(
            tuple(placements), DTensorRedistributePlanner._dict_to_ShardOrder(orders)))
    return states


def plan_json(planner, infos, states):
    steps = []
    for info, before, after in zip(infos, states, states[1:]):
        source, target = info.src_dst_placements
        merged = isinstance(info, _FlattenedTransformInfo)
        step = {"mesh_dims": list(info.original_mesh_dims) if merged else [info.mesh_dim],
                "src": placement_text(source), "dst": placement_text(target), "kind": kind_of(source, target),
                "logical_shape": list(info.logical_shape)}
        if merged:
            step["flattened"] = True
            if info.avg_scale:
                step["avg_scale"] = info.avg_scale
        else:
            step["cost"] = step_cost(planner, before, after, step["kind"])
        steps.append(step)
    separators = ["-->" if step.get("flattened") else "->" for step in steps]
    plan = {"steps": steps, "path": str(states[0]) + "".join(s + str(state) for s, state in zip(separators, states[1:]))}
    if any(step["kind"] == "unsupported" for step in steps):
        for step in steps:
            step.pop("cost", None)
        return plan | {"torch_error": "step not executable"}
    if any(step.get("flattened") and "_S" in step["src"] + step["dst"] for step in steps):
        plan["torch_error"] = "AssertionError at execution: flattened _StridedShard"
    elif any(step["kind"] == "partition" and step["dst"][2:-1] not in ("sum", "avg", "min", "max") for step in steps):
        plan["torch_error"] = "ValueError at execution: no value for each part"
    if not any(step.get("flattened") for step in steps):
        plan["total_cost"] = 0.0
        for step in steps:
            plan["total_cost"] += step["cost"]
    return plan


def chunk(begin, end, count, index):
    size = -(-(end - begin) // count)
    return min(begin + size * index, end), min(begin + size * (index + 1), end)


def gathers_wrong_data(step, before, mesh_shape, tensor_shape):
    """Whether some rank of a merged gather gets other indices than those of the region that its group holds."""
    dim = int(step["src"][2:-1])
    order = next(entry.mesh_dims for entry in before.tensor_dim_to_mesh_dim if entry.tensor_dim == dim)
    outer = [mesh_dim for mesh_dim in order if mesh_dim not in step["mesh_dims"]]
    for outer_coordinate in itertools.product(*(range(mesh_shape[m]) for m in outer)):
        region = (0, tensor_shape[dim])
        for mesh_dim, index in zip(outer, outer_coordinate):
            region = chunk(*region, mesh_shape[mesh_dim], index)
        gathered, ranks = [], math.prod(mesh_shape[m] for m in step["mesh_dims"])
        padded = -(-(region[1] - region[0]) // ranks)
        for coordinate in itertools.product(*(range(mesh_shape[m]) for m in step["mesh_dims"])):
            part = region
            for mesh_dim, index in zip(step["mesh_dims"], coordinate):
                part = chunk(*part, mesh_shape[mesh_dim], index)
            indices = list(range(*part))
            gathered += indices + [None] * (padded - len(indices))
        if gathered[:region[1] - region[0]] != list(range(*region)):
            return True
    return False


def merged_json(planner, infos, source, order, base, tensor_shape):
    """The plan after torch merged steps; None where it changes nothing."""
    mesh = planner.device_mesh
    merged = _redistribute._optimize_transform_infos(infos, mesh, source, source)
    if len(merged) == len(infos):
        return None
    states = states_of(merged, source, order)
    plan = plan_json(planner, merged, states) | {"base": base}
    if "torch_error" not in plan and any(
            step.get("flattened") and step["kind"] == "all_gather"
            and gathers_wrong_data(step, before, tuple(mesh.shape), tensor_shape)
            for step, before in zip(plan["steps"], states)):
        plan["torch_wrong_when_executed"] = True
    return plan


def graph_plan(spec_pair, meta, fixed):
    planner = Planner(spec_pair[0].mesh, meta, fixed)
    infos = planner.generate_graph_based_transform_infos(*spec_pair, meta.shape)
    return planner, infos, plan_json(planner, infos, planner.path) | {"states_expanded": planner.expanded}


def answer(case, source, target, meta):
    """Everything that torch says of a case. The specs may hold strided shards that encode an order."""
    encoded = source.use_strided_shard_as_shard_order or target.use_strided_shard_as_shard_order
    cost = redistribute_cost(source, target)
    case["strategy_cost"] = "inf" if cost == math.inf else cost
    plans = case["plans"] = {}
    default_order = all(not encoded and DTensorSpec.is_default_device_order(spec.shard_order)
                        and not any(isinstance(p, _StridedShard) for p in spec.placements) for spec in (source, target))
    try:
        planner, graph, plans["graph_torch"] = graph_plan((source, target), meta, False)
        plans["graph_fixed"] = graph_plan((source, target), meta, True)[2]
    except _redistribute._StridedShardNotDecodableError:
        planner, graph = Planner(source.mesh, meta, False), None
    if graph is not None:
        start = planner.path[0]
        merged = merged_json(planner, graph, start.placements, start.tensor_dim_to_mesh_dim, "graph_torch", meta.shape)
        if merged:
            plans["graph_torch_flattened"] = merged
    if default_order or graph is None:
        chosen = planner.generate_greedy_transform_infos(source, target)
        order = DTensorSpec.compute_default_shard_order(source.placements)
        plans["greedy"] = plan_json(planner, chosen, states_of(chosen, source.placements, order))
        merged = merged_json(planner, chosen, source.placements, order, "greedy", meta.shape)
    if merged:
        plans["executed_default"] = merged
    return case


# Random questions ----------------------------------------------------------------------------------------------------


class Questions:
    def __init__(self, seed):
        self.dice = random.Random(seed)

    def mesh_shape(self):
        dims = self.dice.choices((1, 2, 3, 4, 5), (2, 8, 10, 5, 1))[0]
        sizes = (1, 2, 2, 2, 3, 4, 4, 8) if dims < 4 else (1, 2, 2, 2, 2, 3)
        return [self.dice.choice(sizes) for _ in range(dims)]

    def tensor_shape(self, mesh_dims):
        dims = self.dice.choices((1, 2, 3, 4), (4, 8, 5, 2) if mesh_dims < 4 else (4, 6, 1, 0))[0]
        sizes = self.dice.choice(((5, 7, 9, 12, 13, 16, 25, 33), (64, 48, 96, 128), (1024, 4096, 8192), (0, 1, 2, 3, 64)))
        return [self.dice.choice(sizes) for _ in range(dims)]

    def placements(self, mesh_dims, tensor_dims, strided):
        operations = self.dice.choice(OPERATIONS)
        weights = (3, 6, self.dice.choice((0, 0, 3)), strided)
        def one():
            return self.dice.choices((Replicate(), Shard(self.dice.randrange(tensor_dims)),
                                      Partial(self.dice.choice(operations)),
                                      _StridedShard(self.dice.randrange(tensor_dims), split_factor=self.dice.choice((2, 2, 3, 4, 8)))),
                                     weights)[0]
        return tuple(one() for _ in range(mesh_dims))

    def order(self, placements):
        entries = DTensorSpec.compute_default_shard_order(placements)
        if self.dice.random() < 0.4:
            return entries
        return tuple(ShardOrderEntry(e.tensor_dim, tuple(self.dice.sample(e.mesh_dims, len(e.mesh_dims)))) for e in entries)

    def spec(self, mesh, meta, strided_shards):
        """Strided shards are absent, `placements` of their own, or `encode` an order, if possible one of this mesh."""
        strided = 4 if strided_shards == "placements" or (strided_shards == "encode" and self.dice.random() < 0.2) else 0
        placements = self.placements(mesh.ndim, len(meta.shape), strided)
        if strided_shards == "placements":
            return DTensorSpec(mesh, placements, meta, use_strided_shard_as_shard_order=False)
        if not strided:
            order = self.order(placements)
            if strided_shards is None or self.dice.random() < 0.3:
                return DTensorSpec(mesh, placements, meta, shard_order=order)
            placements = DTensorSpec._convert_shard_order_to_StridedShard(order, placements, mesh)
        return DTensorSpec(mesh, placements, meta)


def state_json(spec):
    state = {"placements": [placement_text(placement) for placement in spec.placements]}
    if spec.shard_order is not None:
        state |= {"shard_order": order_text(spec.shard_order),
                  "text": DTensorSpec.format_shard_order_str(spec.placements, spec.shard_order)}
    return state


def make_case(questions, number):
    """A case; None where torch's own bookkeeping refuses the steps that its greedy planner made of undecodable shards."""
    dice = questions.dice
    mesh_shape = questions.mesh_shape()
    dtype, devices_per_host = dice.choice(DTYPES), dice.choice((0, 1, 4, 8, 16))
    shape = torch.Size(questions.tensor_shape(len(mesh_shape)))
    mesh = DeviceMesh("cuda", torch.arange(math.prod(mesh_shape)).view(mesh_shape), _init_backend=False, _rank=0)
    meta = TensorMeta(shape, torch.empty(shape, device="meta").stride(), getattr(torch, dtype))
    _mesh_resources.num_devices_per_host = lambda device: devices_per_host
    # Both remember what they were asked before, the topology by the mesh alone.
    MeshTopoInfo.build_from_mesh.cache_clear()
    _redistribute._gen_transform_infos.cache_clear()
    _redistribute.clear_redistribute_planner_cache()
    strided_shards = dice.choices((None, "placements", "encode"), (6, 1, 1))[0]
    source, target = (questions.spec(mesh, meta, strided_shards) for _ in range(2))
    case = {"id": f"random:{number}", "mesh_shape": mesh_shape, "tensor_shape": list(shape), "dtype": dtype,
            "devices_per_host": devices_per_host, "src": state_json(source), "dst": state_json(target)}
    if source.use_strided_shard_as_shard_order or target.use_strided_shard_as_shard_order:
        case["use_strided_shard_as_shard_order"] = True
    try:
        return answer(case, source, target, meta)
    except (AssertionError, ValueError, RuntimeError) as error:
        if "Mismatch between expected and removed mesh dims" in str(error):
            return None
        return case | {"error": f"{type(error).__name__}: {error}"}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    _redistribute.logger.setLevel(logging.ERROR)  # it warns of everything that it does not merge
    # Every flattened mesh is at hand; plans only ask whether it is.
    _redistribute._get_flattened_mesh_by_layout = lambda mesh, mesh_dims: mesh
    questions = Questions(arguments.seed)
    cases = []
    while len(cases) < arguments.cases:
        cases += filter(None, [make_case(questions, len(cases))])
    header = {"planner": f"torch {torch.__version__}", "fixed_costs": FIXED_COSTS, "seed": arguments.seed}
    lines = ",\n".join(json.dumps(case) for case in cases)
    text = '{"header":' + json.dumps(header) + ',\n"cases":[\n' + lines + "\n]}\n"
    with gzip.GzipFile(arguments.out, "wb", mtime=0) as file:
        file.write(text.encode())


if __name__ == "__main__":
    main()
