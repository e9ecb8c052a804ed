#!/usr/bin/env python3
"""Make golden cases of Inductor's stand-alone bucketing passes with PyTorch itself, on real and on random graphs.

    make_bucketing_cases.py --reference TOOLS --out FOLDER [--graphs GRAPHS NAME ...] [--random COUNT] [--seed S]

Run it with the Python of an environment that has torch 2.15 (no GPU needed). TOOLS is the folder with run_reference.py,
GRAPHS one with overlap-graph files. Each real graph goes through PIPELINES, each random one through a drawn pipeline.
FOLDER receives a manifest.json in the shape of the goldens' manifest, the random graphs and the results. Each case runs
in a forked process of its own. Check them with `run_goldens.py PROGRAMS FOLDER/manifest.json`.
"""
import argparse
import json
import logging
import os
import sys

from make_cases import outcome, run_case, write_manifest
from random_graphs import make_document

SORT = {"pass": "stable_topological_sort", "options": {}}
MODES = (None, "default", "custom_ops", "custom_ops_multidtype", "coalesced")


def step(name, **options):
    return {"pass": name, "options": options}


# What Inductor runs, in its order, and each pass by itself with caps below, amid and above the sizes of small models.
PIPELINES = {
    "gather-default": [step("bucket_all_gather"), SORT],
    "gather-1mb-bare": [step("bucket_all_gather", bucket_cap_mb=1)],
    "gather-custom": [step("bucket_all_gather", bucket_cap_mb=0.25, mode="custom_ops"), SORT],
    "gather-multidtype": [step("bucket_all_gather", bucket_cap_mb=50.5, mode="custom_ops_multidtype"), SORT],
    "gather-coalesced": [step("bucket_all_gather", bucket_cap_mb=3, mode="coalesced"), SORT],
    "scatter-default": [step("bucket_reduce_scatter"), SORT],
    "scatter-custom": [step("bucket_reduce_scatter", bucket_cap_mb=1.5, mode="custom_ops"), SORT],
    "scatter-coalesced": [step("bucket_reduce_scatter", bucket_cap_mb=0.5, mode="coalesced"), SORT],
    "scatter-multidtype": [step("bucket_reduce_scatter", mode="custom_ops_multidtype")],
    "reduce-default": [step("bucket_all_reduce"), SORT],
    "reduce-small": [step("bucket_all_reduce", bucket_cap_mb=0.01, mode="custom_ops"), SORT],
    "fsdp-default": [step("pre_bucket_fsdp_collectives"), SORT],
    "fsdp-bare": [step("pre_bucket_fsdp_collectives", bucket_cap_mb=2)],
    "fsdp-custom": [step("pre_bucket_fsdp_collectives", mode="custom_ops", bucket_cap_mb=0.5), SORT],
    "fsdp-multidtype": [step("pre_bucket_fsdp_collectives", mode="custom_ops_multidtype"), SORT],
    "fsdp-coalesced": [step("pre_bucket_fsdp_collectives", mode="coalesced", bucket_cap_mb=4), SORT],
    "inductor": [step("deduplicate_wait_tensors"), step("bucket_reduce_scatter", bucket_cap_mb=25),
                 step("bucket_all_reduce", bucket_cap_mb=25), step("bucket_all_gather", bucket_cap_mb=25), SORT],
}


def await_again(document, choose):
    """Adds waits on values that are awaited already, and on waits, and lets some later users read these."""
    nodes, renamed = [], {}
    for node in document["nodes"]:
        node.pop("users_order", None)
        for name, others in renamed.items():
            text = json.dumps([node.get("args", []), node.get("kwargs", {})])
            if name in text and choose.random() < 0.5:
                text = text.replace(json.dumps({"node": name}), json.dumps({"node": choose.choice(others)}))
                node["args"], node["kwargs"] = json.loads(text)
        nodes.append(node)
        if node["target"] != "_c10d_functional.wait_tensor.default":
            continue
        others = renamed.setdefault(node["name"], [])
        while choose.random() < 0.4:
            name = f"again_{len(nodes)}"
            awaited = choose.choice([node["args"], [{"node": node["name"]}], [{"node": (others or [node["name"]])[-1]}]])
            nodes.append(dict(node, name=name, args=awaited))
            others.append(name)
        if not others:
            del renamed[node["name"]]
    document["nodes"] = nodes


def random_pipeline(choose):
    cap = choose.choice([0, 1e-5, 1e-4, 3e-4, 1e-3, 1, 2000, None])
    mode = choose.choice(MODES)
    options = {} if mode is None else {"mode": mode}
    name = choose.choice(("bucket_all_gather",) * 3 + ("bucket_reduce_scatter", "bucket_all_reduce") +
                         ("pre_bucket_fsdp_collectives",) * 3 + ("all", "deduplicate_wait_tensors"))
    if name == "deduplicate_wait_tensors":
        return [step(name)]
    if cap is not None:
        options["bucket_cap_mb"] = cap
    names = ("bucket_reduce_scatter", "bucket_all_reduce", "bucket_all_gather") if name == "all" else (name,)
    steps = [step("deduplicate_wait_tensors")] if choose.random() < 0.5 else []
    steps += [step(each, **options) for each in names]
    return steps + [SORT] if choose.random() < 0.7 else steps


def real_cases(graphs, names, out):
    for name in names:
        path = os.path.join(os.path.abspath(graphs), name + ".graph.json.gz")
        for kind, pipeline in PIPELINES.items():
            yield {"id": f"{name}.{kind}", "graph": name, "graph_file": os.path.relpath(path, out),
                   "pipeline": pipeline, "result_file": f"passes/{name}.{kind}.graph.json.gz"}


def random_cases(count, seed, out, fx_to_graph, graph_to_fx):
    for number in range(seed, seed + count):
        choose, _, _, document = make_document(number, fx_to_graph, graph_to_fx)
        pipeline = random_pipeline(choose)
        if pipeline[0]["pass"] == "deduplicate_wait_tensors":
            await_again(document, choose)
        graph_file = f"random_{number}.graph.json.gz"
        fx_to_graph.write(document, os.path.join(out, graph_file))
        yield {"id": f"bucketing_random_{number}", "graph_file": graph_file, "pipeline": pipeline,
               "result_file": f"passes/random_{number}.graph.json.gz"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", required=True, help="folder with run_reference.py")
    parser.add_argument("--out", required=True)
    parser.add_argument("--graphs", help="folder with overlap-graph files")
    parser.add_argument("--random", type=int, default=0, help="how many random graphs")
    parser.add_argument("--seed", type=int, default=0, help="of the first random graph")
    parser.add_argument("names", nargs="*", help="graphs of GRAPHS, without .graph.json.gz")
    arguments = parser.parse_args()
    sys.path.insert(0, os.path.abspath(arguments.reference))
    import run_reference as reference
    import torch

    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    os.makedirs(os.path.join(arguments.out, "passes"), exist_ok=True)
    cases = list(real_cases(arguments.graphs, arguments.names, arguments.out))
    cases += random_cases(arguments.random, arguments.seed, arguments.out, reference.fx_to_graph, reference.graph_to_fx)
    goldens = []
    for index, entry in enumerate(cases):
        run_case(reference, entry, arguments.out)
        goldens.append(entry)
        write_manifest(arguments.out, {"torch": {"version": torch.__version__}, "seed": arguments.seed}, goldens)
        print(f"{index + 1} of {len(cases)}: {outcome(entry)}", flush=True)


if __name__ == "__main__":
    main()
