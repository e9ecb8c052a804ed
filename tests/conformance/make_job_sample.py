#!/usr/bin/env python3
"""Makes the sample job: a traced llama3-8B step, cut into stages of whole layers.

    overlap estimate tests/data/graphs/llama3_8b_fsdp64.prebucket.graph.json.gz \
        --cost-model h100-96gb-500w -o step.graph.json.gz
    make_job_sample.py step.graph.json.gz

Written are, in `resources/samples`, `llama3_8b_pp8.job.json` and the graphs of its stages: the first with the
embeddings, the last with norm, head and loss, one of five layers, and one for all others, which do the same. What a
stage takes from another is an input of its graph, and what it gives to another a result.
"""
import copy
import gzip
import json
import pathlib
import sys

from graph_arguments import nodes_in

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "resources/samples"
# Head and loss of the last stage take nearly as long as three blocks.
LAYERS_OF_STAGES = [4, 4, 4, 5, 4, 4, 4, 3]
STAGES = len(LAYERS_OF_STAGES)
REPLICAS, MICROBATCHES = 64, 16
NAME = "llama3_8b_pp8"
SHARED = -1  # inputs that all stages have, such as positions
# A measured split of a transformer block's backward lies near a half: as many products are for inputs as for weights.
BACKWARD_INPUT_SHARE = 0.5
# What a network card of 400 Gbit/s moves, and how long it takes to begin.
CARD_BYTES_PER_S, CARD_LATENCY_MS = 45e9, 0.02


def inputs_of(node):
    return list(dict.fromkeys(nodes_in([node.get("args", []), node.get("kwargs", {})])))


def stage_of_module(name):
    if name.startswith("tok_embeddings"):
        return 0
    if name.startswith("layers."):
        layer = int(name.split(".")[1])
        return next(stage for stage in range(STAGES) if layer < sum(LAYERS_OF_STAGES[:stage + 1]))
    return STAGES - 1


def stages_of_nodes(graph):
    fqns = graph["placeholder_fqns"]
    stages = {}
    for node in graph["nodes"]:
        module = node.get("custom", {}).get("module_fqn") or fqns.get(node["name"])
        if module:
            stages[node["name"]] = stage_of_module(module)
            continue
        known = [stages[name] for name in inputs_of(node) if stages[name] != SHARED]
        # A residual sum is of the block that adds to it: the later one forward, the earlier one backward.
        pick = min if node.get("autograd_backward") else max
        stages[node["name"]] = pick(known) if known else SHARED
    return stages


def received(node):
    """The node as an input."""
    value = {key: node[key] for key in ("name", "outputs", "seq_nr") if key in node}
    return {"name": value["name"], "op": "placeholder", "target": value["name"], **value}


def cut(graph, stages, stage, name):
    by_name = {node["name"]: node for node in graph["nodes"]}
    mine = [node for node in graph["nodes"] if stages[node["name"]] == stage and node["op"] != "output"]
    used = {name for node in mine for name in inputs_of(node)}
    for needed in used:
        assert stages[needed] != SHARED or by_name[needed]["op"] == "placeholder", needed
    own = {node["name"] for node in mine}
    placeholders = [node for node in mine if node["op"] == "placeholder"]
    others = [node for node in mine if node["op"] != "placeholder"]
    shared = [node for node in graph["nodes"] if stages[node["name"]] == SHARED and node["name"] in used]
    from_others = [received(node) for node in graph["nodes"] if node["name"] in used and node["name"] not in own
                   and stages[node["name"]] != SHARED]
    output = next(node for node in graph["nodes"] if node["op"] == "output")
    wanted = {name for node in graph["nodes"] if stages[node["name"]] not in (stage, SHARED) and node["op"] != "output"
              for name in inputs_of(node)}
    given = [node["name"] for node in others if node["name"] in wanted]
    results = [argument for argument in output["args"][0]
               if not isinstance(argument, dict) or argument.get("node") in own]
    results += [{"node": name} for name in given if {"node": name} not in results]
    part = {key: copy.deepcopy(value) for key, value in graph.items() if key != "nodes"}
    part["name"] = name
    part["placeholder_fqns"] = {key: value for key, value in graph["placeholder_fqns"].items() if key in own}
    part["num_static_inputs"] = len(placeholders)
    part["nodes"] = [*placeholders, *shared, *from_others, *others, {**output, "args": [results]}]
    return part, from_others


def stage_name(stage):
    first = sum(LAYERS_OF_STAGES[:stage])
    layers = f"layers {first} to {first + LAYERS_OF_STAGES[stage] - 1}"
    return {0: "embeddings, " + layers, STAGES - 1: layers + ", head, loss"}.get(stage, layers)


def write(path, text):
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0) if path.suffix == ".gz" else text.encode())


def main():
    graph = json.loads(gzip.decompress(pathlib.Path(sys.argv[1]).read_bytes()))
    stages = stages_of_nodes(graph)
    names = {0: f"{NAME}_first", 1: f"{NAME}_middle", 3: f"{NAME}_wide", STAGES - 1: f"{NAME}_last"}
    for stage, name in names.items():
        part, from_others = cut(graph, stages, stage, name)
        print(name, len(part["nodes"]), "nodes; from other stages:", [node["name"] for node in from_others])
        write(SAMPLES / (name + ".graph.json.gz"), json.dumps(part))
        if stage == 1:
            message = max(node["outputs"][0]["storage_bytes"] for node in from_others)
    message_ms = round(CARD_LATENCY_MS + message / CARD_BYTES_PER_S * 1e3, 4)
    job = {
        "format": "overlap-job", "version": 1, "name": f"llama3-8B in {STAGES} stages on {STAGES * REPLICAS} ranks",
        "stages": [{"name": stage_name(stage),
                    "graph": names.get(stage, names[1]) + ".graph.json.gz",
                    "backward_input_share": BACKWARD_INPUT_SHARE} for stage in range(STAGES)],
        "schedule": {"name": "1F1B", "microbatches": MICROBATCHES},
        "transfer": {"activations_ms": message_ms, "gradients_ms": message_ms},
        "replicas": REPLICAS,
    }
    write(SAMPLES / (NAME + ".job.json"), json.dumps(job, indent=2) + "\n")


if __name__ == "__main__":
    main()
