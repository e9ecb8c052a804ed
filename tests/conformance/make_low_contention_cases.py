#!/usr/bin/env python3
"""Make golden cases of Inductor's pass that lets copy engines carry out collectives, on graphs with drawn changes.

    make_low_contention_cases.py --reference TOOLS --out FOLDER [--each N] [--seed S] GRAPH...

Run it with the Python of an environment that has torch 2.15 (no GPU needed). TOOLS is the folder with run_trainer_pass.py.
Symmetric memory counts as usable for every group, multicast as supported: torch asks the device. Drawn are the settings,
and changes of a graph: a product less or more between a collective and its wait, another group, a wait that comes first, a
reduction's number of ranks as a keyword. A case is determined by its seed, its graph's name and its number, and runs in a
process of its own. FOLDER receives the changed graphs, the results and manifest.json in the shape of the goldens' manifest.
Check them with `run_goldens.py PROGRAMS FOLDER/manifest.json`.
"""
import argparse
import copy
import gzip
import json
import logging
import os
import random
import sys
import warnings

from trainer_cases import run_forked, write_manifest

PASS = "replace_collectives_with_low_contention"
GATHERS = ("_c10d_functional.all_gather_into_tensor.default", "_c10d_functional.all_gather_into_tensor_out.default")
SCATTER = "_c10d_functional.reduce_scatter_tensor.default"
WAIT, PRODUCT = "_c10d_functional.wait_tensor.default", "aten.mm.default"


class Reference:
    """run_trainer_pass.py with the pass among its own."""

    def __init__(self, tools):
        sys.path.insert(0, tools)
        import run_trainer_pass as tool
        import torch.distributed._symmetric_memory as symmetric_memory
        from torch._inductor import config
        from torch._inductor.fx_passes import low_contention_collectives

        self.graph = tool.Graph

        def replaced(_, graph, **options):
            symmetric_memory.is_symm_mem_enabled_for_group = lambda group: True
            low_contention_collectives._has_multicast_support = lambda device: True
            with config.patch({f"aten_distributed_optimizations.{name}": value for name, value in options.items()}):
                low_contention_collectives.replace_collectives_with_low_contention(graph.module.graph)
            return graph.module

        tool.PASSES[PASS] = replaced
        self.run = tool.run


def collectives(document):
    return [node for node in document["nodes"] if node["target"] in (*GATHERS, SCATTER)]


def inserted_product(choose, document):
    """Somewhere in the graph one more product, of what is there."""
    nodes = document["nodes"]
    products = [node for node in nodes if node["target"] == PRODUCT]
    starts = collectives(document)
    if not products or not starts:
        return
    place = nodes.index(choose.choice(starts)) + choose.randint(0, 3)
    earlier = [product for product in products if nodes.index(product) < place]
    if not earlier:
        return
    product = copy.deepcopy(choose.choice(earlier))
    product["name"] = f"drawn_{len(nodes)}"
    product.pop("users_order", None)
    nodes.insert(min(place, len(nodes) - 1), product)


def removed_products(choose, document):
    """Products between a collective and its wait become other operators."""
    nodes = document["nodes"]
    starts = collectives(document)
    if not starts:
        return
    start = choose.choice(starts)
    for node in nodes[nodes.index(start):]:
        if node["target"] == WAIT and {"node": start["name"]} in node.get("args", []):
            break
        if node["target"] == PRODUCT:
            node["target"] = "aten.mul.Tensor"


def other_group(choose, document):
    groups = [group["name"] for group in document["process_groups"]]
    starts = collectives(document)
    if starts:
        node = choose.choice(starts)
        node["args"] = [argument if argument not in groups else choose.choice(groups) for argument in node["args"]]


def late_wait(choose, document):
    """A wait stands just before its first user."""
    nodes = document["nodes"]
    waits = [node for node in nodes if node["target"] == WAIT]
    if not waits:
        return
    wait = choose.choice(waits)
    text = json.dumps({"node": wait["name"]})
    first = next((node for node in nodes if text in json.dumps([node.get("args"), node.get("kwargs")])), None)
    if first:
        nodes.remove(wait)
        nodes.insert(nodes.index(first), wait)


def keyword_ranks(choose, document):
    """The group of a collective, and its number of ranks, as keywords."""
    starts = collectives(document)
    if not starts:
        return
    node = choose.choice(starts)
    places = {SCATTER: ("reduce_op", "group_size", "group_name")}.get(node["target"], ("group_size", "group_name"))
    for place in range(choose.randint(1, len(places))):
        if len(node["args"]) > 1:
            node.setdefault("kwargs", {})[places[len(places) - 1 - place]] = node["args"].pop()


def other_name(choose, document):
    """What awaits a collective is found by its name too."""
    nodes = document["nodes"]
    starts = collectives(document)
    if not starts:
        return
    start = choose.choice(starts)
    reader = {"name": f"late_wait_tensor_{len(nodes)}", "op": "call_function", "target": "aten.alias.default",
              "args": [{"node": start["name"]}], "outputs": copy.deepcopy(start["outputs"])}
    nodes.insert(choose.randint(nodes.index(start) + 1, len(nodes) - 1), reader)


CHANGES = (inserted_product, removed_products, removed_products, other_group, late_wait, late_wait, keyword_ranks, other_name)


def drawn_case(choose, document):
    """Changes the document and returns the pipeline."""
    for node in document["nodes"]:
        node.pop("users_order", None)
    for _ in range(choose.choice((0, 2, 6, 20))):
        choose.choice(CHANGES)(choose, document)
    options = {"low_contention_min_bytes_per_rank": choose.choice((0, 1024, 65536, 1 << 20, 4 << 20, 16 << 20)),
               "low_contention_skip_overlap_check": choose.random() < 0.25,
               "low_contention_all_gather_ce_multicast": choose.random() < 0.35}
    given = {name: value for name, value in options.items() if choose.random() < 0.8}
    return [{"pass": PASS, "options": given}]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", required=True, metavar="TOOLS")
    parser.add_argument("--out", required=True, metavar="FOLDER")
    parser.add_argument("--each", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("graphs", nargs="+", metavar="GRAPH")
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    warnings.filterwarnings("ignore")
    reference = Reference(arguments.reference)
    os.makedirs(arguments.out, exist_ok=True)
    goldens = []
    for path in arguments.graphs:
        name = os.path.basename(path).removesuffix(".graph.json.gz")
        with gzip.open(path, "rt", encoding="utf-8") as file:
            original = json.load(file)
        for number in range(arguments.each):
            choose = random.Random(f"{arguments.seed}/{name}/{number}")
            document = copy.deepcopy(original)
            case = f"{name}.low_contention.{arguments.seed}.{number}"
            steps = drawn_case(choose, document)
            graph_file = os.path.join(arguments.out, f"{case}.graph.json.gz")
            with gzip.open(graph_file, "wt", encoding="utf-8", compresslevel=9) as file:
                json.dump(document, file)
            result = os.path.join(arguments.out, f"{case}.result.graph.json.gz")
            error = run_forked(reference, None, reference.graph(graph_file), steps, None, result)
            entry = {"id": case, "graph": name, "graph_file": os.path.basename(graph_file), "pipeline": steps}
            goldens.append({**entry, **({"error": error} if error else {"result_file": os.path.basename(result)})})
    write_manifest(goldens, arguments.out)


if __name__ == "__main__":
    main()
