#!/usr/bin/env python3
"""Make small graphs in which torch's DTensor redistributes a parameter and its gradient over several mesh dimensions.

    make_redistribution_graphs.py --tools TOOLS --out FOLDER

Run it with the Python of an environment that has torch 2.15 (no GPU needed). TOOLS is a folder with fx_to_graph.py.
Each graph is one step of one layer: the stored parameter is redistributed to what the matrix product takes, and the
gradient back to how the parameter is stored, both by DTensor itself, on a fake process group.
"""
import argparse
import os
import sys

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch.distributed.tensor.placement_types import _StridedShard
from torch.fx.experimental.proxy_tensor import make_fx
from torch.testing._internal.distributed.fake_pg import FakeStore

R, P, S = Replicate(), Partial(), Shard

# name: mesh shape, this rank, tensor shape, stored as, used as, gradient of the use
SCENARIOS = {
    "fsdp_2d": ((2, 4), 5, (64, 48), (S(0), S(0)), (R, R), (P, P)),
    "fsdp_columns": ((2, 4), 5, (64, 48), (S(0), S(1)), (R, R), (P, P)),
    "hsdp": ((2, 4), 3, (64, 48), (R, S(0)), (R, R), (P, P)),
    "fsdp_tp": ((2, 4), 6, (64, 48), (S(0), S(0)), (R, S(0)), (P, S(0))),
    "fsdp_tp_square": ((2, 2), 0, (64, 48), (S(0), S(0)), (R, S(0)), (P, S(0))),
    "fsdp_tp_reversed": ((2, 4), 6, (64, 48), (_StridedShard(0, split_factor=4), S(0)), (R, S(0)), (P, S(0))),
    "fsdp_tp_rows": ((2, 4), 6, (64, 48), (S(0), S(1)), (R, S(1)), (P, S(1))),
    "fsdp_3d": ((2, 2, 2), 7, (64, 48), (S(0), S(0), S(0)), (R, S(0), S(0)), (P, S(0), S(0))),
    "fsdp_uneven": ((4, 2), 6, (30, 10), (S(0), R), (R, R), (P, P)),
}


def local_shape(mesh, rank, shape, placements):
    meta = DTensor.from_local(torch.empty(0), mesh, [R] * mesh.ndim, run_check=False)
    del meta
    from torch.distributed.tensor._utils import compute_local_shape_and_global_offset
    return compute_local_shape_and_global_offset(torch.Size(shape), mesh, placements)[0]


def trace(mesh, rank, shape, stored, used, gradient):
    stride = torch.empty(shape).stride()

    def step(parameter, activation):
        parameter = parameter.detach().requires_grad_()
        weight = DTensor.from_local(parameter, mesh, stored, run_check=False, shape=torch.Size(shape), stride=stride)
        local = weight.redistribute(mesh, used).to_local(grad_placements=gradient)
        loss = (activation @ local).sum()
        return loss, torch.autograd.grad(loss, parameter)[0]

    used_rows = local_shape(mesh, rank, shape, used)[0]
    parameter = torch.randn(local_shape(mesh, rank, shape, stored))
    module = make_fx(step, tracing_mode="fake")(parameter, torch.randn(8, used_rows))
    module.graph.eliminate_dead_code()
    return module


def link(group, ranks, inner):
    fast = ranks[-1] - ranks[0] < inner
    return {"process_group": group, "latency_ms": 0.02 if fast else 0.06, "bytes_per_s": 180e9 if fast else 40e9}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", required=True)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.tools)
    import fx_to_graph
    for name, (mesh_shape, rank, shape, stored, used, gradient) in SCENARIOS.items():
        world = torch.Size(mesh_shape).numel()
        dist.init_process_group("fake", store=FakeStore(), rank=rank, world_size=world)
        mesh = init_device_mesh("cpu", mesh_shape, mesh_dim_names=("outer", "middle", "inner")[-len(mesh_shape):])
        module = trace(mesh, rank, shape, stored, used, gradient)
        groups, links = [], []
        for dim, dim_name in enumerate(mesh.mesh_dim_names):
            group = mesh.get_group(dim)
            ranks = dist.get_process_group_ranks(group)
            groups.append({"name": group.group_name, "ranks": ranks, "rank": ranks.index(rank),
                           "description": "mesh_" + dim_name})
            links.append(link(group.group_name, ranks, mesh_shape[-1]))
        device = {"flops_per_s": {"float32": 6.7e13}, "flops_efficiency": 0.75, "memory_bytes_per_s": 3.35e12,
                  "memory_efficiency": 0.8}
        document = fx_to_graph.graph_to_dict(module, name, groups, None, world, rank,
                                             {"cost_model": {"device": device, "links": links}})
        fx_to_graph.write(document, os.path.join(arguments.out, name + ".graph.json"))
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
