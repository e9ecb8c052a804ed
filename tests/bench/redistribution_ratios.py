#!/usr/bin/env python3
"""Print how many times faster than torch redistributions are planned, and what the optimal planner saves.

    redistribution_ratios.py PROGRAMS --times TIMING.json [--torch N] [--goldens FILE...]

PROGRAMS is the folder with `redistribution_benchmark` and `overlap`. TIMING.json has torch's medians; --torch plans N
random pairs of each mesh with the torch of this Python as well, fresh planners as in TIMING.json, CPU time of the thread.
--goldens sums, for each file of cases, what torch's executed plans and the optimal ones cost by torch's model.
"""
import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance"))
from run_redistribution_goldens import answers  # noqa: E402

TENSOR_SIZES = (64, 48, 32)


def our_times(programs):
    """Counters of each benchmark by its name, such as cold/4x2/2d."""
    command = [os.path.join(programs, "redistribution_benchmark"), "--benchmark_format=json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    return {entry["name"].removesuffix("/manual_time").split("/min_time")[0]: entry
            for entry in json.loads(done.stdout)["benchmarks"]}


def random_spec(cases, dice, mesh, meta):
    """A state, all states equally likely: placements are kept in proportion to the orders that they can have."""
    kinds = [cases.Replicate(), cases.Partial("sum")] + [cases.Shard(dim) for dim in range(len(meta.shape))]
    while True:
        placements = tuple(dice.choice(kinds) for _ in range(mesh.ndim))
        entries = cases.DTensorSpec.compute_default_shard_order(placements)
        orders = math.prod(math.factorial(len(entry.mesh_dims)) for entry in entries)
        if dice.random() * math.factorial(mesh.ndim) < orders:
            break
    order = tuple(cases.ShardOrderEntry(entry.tensor_dim, tuple(dice.sample(entry.mesh_dims, len(entry.mesh_dims))))
                  for entry in entries)
    return cases.DTensorSpec(mesh, placements, meta, shard_order=order)


def torch_median_us(mesh_shape, tensor_dims, count):
    """torch's median over `count` random pairs, planned by a fresh planner each."""
    import make_redistribution_cases as cases
    import torch
    mesh = cases.DeviceMesh("cuda", torch.arange(torch.Size(mesh_shape).numel()).view(mesh_shape),
                            _init_backend=False, _rank=0)
    shape = torch.Size(TENSOR_SIZES[:tensor_dims])
    meta = cases.TensorMeta(shape, torch.empty(shape, device="meta").stride(), torch.float32)
    cases._mesh_resources.num_devices_per_host = lambda device: 8
    cases.MeshTopoInfo.build_from_mesh.cache_clear()
    dice, times = random.Random(0), []
    for _ in range(count):
        pair = [random_spec(cases, dice, mesh, meta) for _ in range(2)]
        start = time.thread_time()
        planner = cases.DTensorRedistributePlanner(mesh, meta)
        planner.generate_graph_based_transform_infos(*pair, shape)
        times.append((time.thread_time() - start) * 1e6)
    return statistics.median(times)


def print_ratios(ours, runs, torch_count):
    columns = ["cold", "warm", "p99", "max", "torch", "ratio", "warm ratio"] + (["torch now", "ratio now"] if torch_count else [])
    print(f"{'mesh, tensor':<20}" + "".join(f"{column:>12}" for column in columns) + "   (µs)")
    for run in runs:
        name = "x".join(map(str, run["mesh_shape"])) + f"/{run['tensor_ndim']}d"
        if f"cold/{name}" not in ours:
            print(f"{name:<20} not measured")
            continue
        cold, warm = ours[f"cold/{name}"], ours[f"warm/{name}"]
        torch_us = run["graph"]["median_ms"] * 1e3
        row = [cold["median_us"], warm["median_us"], cold["p99_us"], cold["max_us"], torch_us,
               torch_us / cold["median_us"], torch_us / warm["median_us"]]
        if torch_count:
            now = torch_median_us(run["mesh_shape"], run["tensor_ndim"], torch_count)
            row += [now, now / cold["median_us"]]
        print(f"{name:<20}" + "".join(f"{value:12,.1f}" for value in row))
    for name in ("table/2x2x2/3d", "optimal_table/2x2x2/3d"):
        print(f"{name}: {ours[name]['pairs']:,.0f} pairs in {ours[name]['real_time']:.0f} {ours[name]['time_unit']}")


def print_gains(programs, files):
    print(f"{'goldens':<30}{'cases':>8}{'cheaper':>9}{'torch':>14}{'optimal':>14}{'saved':>8}   (µs by torch's model)")
    for path in files:
        pairs = [(case["torch_default_executed"], case["plans"]["optimal"]["total_cost"])
                 for case in answers(programs, path) if isinstance(case.get("torch_default_executed"), (int, float))]
        if not pairs:
            continue
        torch_us, optimal_us = (sum(costs) for costs in zip(*pairs))
        cheaper = sum(optimal < torch * (1 - 1e-9) for torch, optimal in pairs)
        print(f"{os.path.basename(path).split('.')[0]:<30}{len(pairs):8}{cheaper:9}{torch_us:14,.0f}{optimal_us:14,.0f}"
              f"{1 - optimal_us / max(torch_us, 1e-9):8.0%}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("--times", required=True)
    parser.add_argument("--torch", type=int, default=0, metavar="N")
    parser.add_argument("--goldens", nargs="*", default=[])
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    with open(arguments.times, encoding="utf-8") as file:
        runs = json.load(file)["runs"]
    print(f"load: {' '.join(f'{load:.1f}' for load in os.getloadavg())}, {os.cpu_count()} cores")
    print_ratios(our_times(arguments.programs), runs, arguments.torch)
    print_gains(arguments.programs, arguments.goldens)


if __name__ == "__main__":
    main()
