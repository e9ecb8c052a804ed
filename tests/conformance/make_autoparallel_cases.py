#!/usr/bin/env python3
"""Make golden cases of autoparallel's NCCL cost model with autoparallel itself.

    make_autoparallel_cases.py --checkout AUTOPARALLEL --out FOLDER [--seed S]

Run it with the Python of an environment that has torch 2.15 (no GPU needed). AUTOPARALLEL is a checkout of
meta-pytorch/autoparallel; only the cost model is imported, not the package. FOLDER receives nccl.json. Cases are
determined by the seed.
"""
import argparse
import importlib
import json
import os
import random
import sys
import types


def import_nccl_model(checkout):
    """The module under test. Its packages are made empty: the real ones import solvers that are not needed here."""
    for package in ("autoparallel", "autoparallel.cost_models"):
        module = types.ModuleType(package)
        module.__path__ = [os.path.join(checkout, *package.split("."))]
        sys.modules[package] = module
    return importlib.import_module("autoparallel.cost_models.nccl_cost_model")


def number(value):
    return "inf" if value == float("inf") else value


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
    nccl = import_nccl_model(arguments.checkout)
    dice = random.Random(arguments.seed)

    write(arguments.out, "nccl.json",
          "cost_us: [bytes, microseconds], null where autoparallel divides by zero",
          [nccl_case(nccl, dice) for _ in range(400)])


if __name__ == "__main__":
    main()
